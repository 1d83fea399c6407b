import { Client, Connection } from '@temporalio/client';
import { Counter } from 'prom-client';
import { describe, inject, it } from 'vitest';
import { createLogger } from '../../../src/process/logging.js';
import { NudgeQueue } from '../../../src/receiver/nudges.js';
import { loadReceiverSettings } from '../../../src/receiver/settings.js';
import { merchant } from '../../rigs/inputs.js';
import {
  BATCHED,
  clientOf,
  event,
  NOT_APPLIED,
  problemOf,
  runReceiver,
  STRUCTURED,
  UNAVAILABLE,
} from '../../rigs/receiver/running-receiver.js';
import { createRig } from '../../rigs/rig.js';
import { ends } from '../../rigs/shared.js';
import { eventually } from '../../rigs/waiting.js';

/** Longer than the five seconds that the receiver waits, because the machine may be busy. */
const MOST_MS = 30_000;

// Each test waits some seconds for Temporal or a worker, so they run concurrently.
describe.concurrent('while Temporal is unavailable', () => {
  it('an event or a partner webhook is accepted only when Temporal has it', async ({
    expect,
    onTestFinished,
  }) => {
    const client = clientOf('127.0.0.1:9', ends(onTestFinished));
    const { webhooks } = loadReceiverSettings({ RECEIVER_BANKING_AUTH: 'none' });
    const { post, call, log } = await runReceiver(
      { client, taskQueue: 'q' },
      { webhooks },
      ends(onTestFinished),
    );
    const body = event('merchant.boarding.requested.v1', merchant());
    const began = Date.now();
    const [one, batch, ready, webhook] = await Promise.all([
      post(JSON.stringify(body), { 'content-type': STRUCTURED }),
      post(JSON.stringify([body]), { 'content-type': BATCHED }),
      call('GET /readyz'),
      call('POST /webhooks/banking', '{"profileId": 3001}', { 'content-type': 'application/json' }),
    ]);
    expect(Date.now() - began).toBeLessThan(MOST_MS);
    expect(problemOf(one)).toEqual(UNAVAILABLE);
    expect(one.headers.get('retry-after')).toBe('5');
    expect(problemOf(webhook)).toEqual(UNAVAILABLE);
    expect(webhook.headers.get('retry-after')).toBe('5');
    expect(log()).toContain('"partner":"banking","result":"failed"');
    expect(problemOf(batch)).toEqual({
      ...UNAVAILABLE,
      detail: 'not all events of the batch were accepted: send the same batch again',
      events: [UNAVAILABLE],
    });
    expect(batch.headers.get('retry-after')).toBe('5');
    expect([ready.status, (await call('GET /healthz')).status]).toEqual([503, 200]);
    expect(log()).toContain('Temporal is unavailable');
  });

  it('an answer is accepted only when a worker has applied it', async ({ expect, onTestFinished }) => {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const worker = await rig.startWorker();
    const { post } = await runReceiver(rig, {}, ends(onTestFinished));
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    await worker.stop();

    const answer = { kind: 'text', text: 'Yes.' };
    const data = {
      id: input.externalId,
      requirementId: requirements[0]?.id,
      answer,
      actor: 'olga',
      reason: 'r',
    };
    const body = JSON.stringify(event('requirement.resolved.v1', data));
    const send = () => post(body, { 'content-type': STRUCTURED });
    expect(problemOf(await send())).toEqual(NOT_APPLIED);
    await rig.startWorker();
    await eventually(
      async () => (await send()).status,
      (status) => status === 202,
      'that the answer is accepted',
    );
    const { requirements: open } = await boarding.state();
    expect(open.map(({ id }) => id)).toEqual([requirements[1]?.id]);
  });

  it('a batch is accepted only as a whole: the response names the accepted events, and the sender repeats the batch', async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const { post } = await runReceiver(rig, {}, ends(onTestFinished));
    const input = merchant();
    const answer = { kind: 'text', text: 'Yes.' };
    const data = { id: input.externalId, requirementId: 'r', answer, actor: 'olga', reason: 'r' };
    const batch = [
      event('merchant.boarding.requested.v1', input),
      // No worker applies it.
      event('requirement.resolved.v1', data, { id: 'e-2' }),
    ];
    const reply = await post(JSON.stringify(batch), { 'content-type': BATCHED });
    expect(problemOf(reply)).toEqual({
      ...UNAVAILABLE,
      detail: 'not all events of the batch were accepted: send the same batch again',
      events: [{ status: 202, workflowId: `merchant-boarding-${input.externalId}` }, NOT_APPLIED],
    });
    await rig.client.workflow.getHandle(`merchant-boarding-${input.externalId}`).terminate();
  });

  it('a nudge that does not reach Temporal is counted and logged', async ({ expect, onTestFinished }) => {
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    await connection.close();
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const count = new Counter({ name: 'nudges', help: 'h', labelNames: ['result'], registers: [] });
    const nudges = new NudgeQueue(new Client({ connection }), logger, count);
    onTestFinished(() => nudges.close());
    nudges.add('merchant-boarding-m-1');
    const { values } = await eventually(
      () => count.get(),
      (counted) => counted.values.length > 0,
      'the count',
    );
    expect(values).toMatchObject([{ labels: { result: 'failed' }, value: 1 }]);
    expect(lines.join('')).toContain('nudge failed: the workflow reads at its next poll');
  });
});

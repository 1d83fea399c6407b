import { describe, it } from 'vitest';
import { loadReceiverSettings } from '../../../../src/apps/receiver/settings.js';
import { merchant } from '../../../rigs/inputs.js';
import {
  BATCHED,
  clientOf,
  event,
  NOT_APPLIED,
  problemOf,
  runReceiver,
  STRUCTURED,
  UNAVAILABLE,
} from '../../../rigs/receiver/running-receiver.js';
import { createRig } from '../../../rigs/rig.js';
import { ends } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

// Each test waits some seconds for Temporal or a worker, so they run concurrently.
// Proves D3.
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
    const [one, batch, ready, webhook] = await Promise.all([
      post(JSON.stringify(body), { 'content-type': STRUCTURED }),
      post(JSON.stringify([body]), { 'content-type': BATCHED }),
      call('GET /readyz'),
      call('POST /webhooks/banking', '{"profileId": 3001}', { 'content-type': 'application/json' }),
    ]);
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
});

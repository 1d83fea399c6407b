import { Readable } from 'node:stream';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  BadSetting,
  EndedOnboarding,
  EndedWithoutOutcome,
  type GangwayClient,
  gangwayClient,
  InvalidInput,
  type OpenRequirement,
  type Reading,
  TemporalUnavailable,
  UnknownOnboarding,
} from '../../../../src/services/client/index.js';
import { gangway as command } from '../../../rigs/command.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { ends } from '../../../rigs/shared.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig({ accounts: ['acme'] });
let gangway: GangwayClient;
beforeAll(async () => {
  gangway = await gangwayClient({ settings: { ...rig.env, GANGWAY_ACCOUNTS: 'acme' } });
});
afterAll(() => gangway.close());

/** A boarding that waits for answers to two notes. */
async function waiting() {
  const input = merchant('notes');
  const { workflowId } = await gangway.boardMerchant(input);
  for await (const { requirements } of gangway.watch(workflowId))
    if (requirements.length === 2) return { workflowId, requirements };
  throw new Error('it ended without notes');
}

const BY = { actor: 'crm', reason: 'the merchant wrote it' };

describe.concurrent('a program', () => {
  it('boards a merchant, and a second call with the same key attaches to the first', async () => {
    const { dueInHours: _, ...input } = merchant();
    const first = await gangway.boardMerchant(input);
    const workflowId = `merchant-boarding-${input.externalId}`;
    expect(first).toEqual({ workflowId, runId: expect.any(String), started: true });
    expect(await gangway.boardMerchant(input)).toEqual({ ...first, started: false });
    expect(await gangway.outcome(first.workflowId)).toEqual({
      outcome: 'boarded',
      merchantProfileId: expect.any(Number),
      mid: expect.stringMatching(/^\d{15}$/),
    });
    expect(await gangway.status(input.externalId)).toMatchObject({ stage: 'boarded', outcome: 'boarded' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    expect(await gangway.boardMerchant(input, { again: true })).toMatchObject({ started: true });
  });

  it('onboards a business in a partner account, which its id names', async () => {
    const input = { ...business(), account: 'acme' };
    const { workflowId } = await gangway.onboardBusiness(input);
    expect(workflowId).toBe(`business-onboarding-${input.externalId}@acme`);
    expect(await gangway.outcome(`${input.externalId}@acme`)).toMatchObject({ outcome: 'onboarded' });
  });

  it('gets every wrong field of an input by name, as the command does, and starts nothing', async () => {
    const input = { ...merchant(), externalId: '123-45-6789', dueInHours: 9_000 };
    const failure = await gangway.boardMerchant(input).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidInput);
    expect((failure as InvalidInput).problems).toEqual([
      { field: 'externalId', message: 'contains what looks like a social security number' },
      { field: 'dueInHours', message: 'must be 8760 or less, in hours' },
    ]);
    const { code, stderr } = await command(rig.env, ['board', '-'], JSON.stringify(input));
    expect([code, stderr.split('\n').slice(1, -1)]).toEqual([
      2,
      (failure as InvalidInput).report.split('\n').slice(1),
    ]);
    await expect(gangway.status(input.externalId)).rejects.toThrow(UnknownOnboarding);
  });

  it('answers what is asked, with a document too, and watches what happens', async () => {
    const { workflowId, requirements } = await waiting();
    expect(await gangway.requirements(workflowId)).toEqual(requirements);
    const [check, share] = requirements.map(({ requirement }) => requirement.id);
    const document = await gangway.storeDocument('check.pdf', Readable.from(['%PDF-1.7\n%%EOF\n']));
    const page = gangway.storeDocument('check.pdf', Readable.from(['<!doctype html>']));
    await expect(page).rejects.toThrow(new InvalidInput('check.pdf: does not match its name.'));
    await gangway.answer(workflowId, {
      ...BY,
      requirementId: check ?? '',
      answer: { kind: 'documents', documents: [document] },
    });
    const watching = gangway.watch(workflowId);
    const receipt = await gangway.answer(workflowId, {
      ...BY,
      requirementId: share ?? '',
      answer: { kind: 'text', text: 'One in ten.' },
    });
    expect(receipt).toEqual({ requirementId: share, acceptedAt: expect.any(String), open: 0 });
    const readings: Reading[] = await Array.fromAsync(watching);
    const { timeline } = await gangway.status(workflowId);
    expect(readings.flatMap(({ entries }) => entries)).toEqual(timeline);
    expect(readings.map(({ hasEnded }) => hasEnded).filter(Boolean)).toEqual([true]);
    expect(readings.at(-1)).toMatchObject({ hasEnded: true, state: { outcome: 'boarded' } });
    expect(await watching.outcome).toEqual(await gangway.outcome(workflowId));
    const late = { ...BY, requirementId: share ?? '', answer: { kind: 'retry' } } as const;
    await expect(gangway.answer(workflowId, late)).rejects.toThrow(EndedOnboarding);
  });

  it('learns that an onboarding was stopped, and what is left of it', async () => {
    const { workflowId } = await waiting();
    const watching = gangway.watch(workflowId);
    await rig.client.workflow.getHandle(workflowId).terminate();
    expect((await Array.fromAsync(watching)).at(-1)?.hasEnded).toBe(true);
    const failure = await watching.outcome.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EndedWithoutOutcome);
    expect((failure as Error).message).toMatch(
      /: it was terminated; merchant \d+ exists at the partner: to import it, set "merchantProfileId": \d+ in the input; then start it again with \{ again: true \}$/,
    );
  });

  it('waits for an outcome and gets what is asked meanwhile, until its signal aborts', async () => {
    const { workflowId, requirements } = await waiting();
    const stop = new AbortController();
    const reason = new Error('enough');
    const reported: (readonly OpenRequirement[])[] = [];
    const waits = gangway.outcome(workflowId, {
      signal: stop.signal,
      onRequirements(open) {
        reported.push(open);
        stop.abort(reason);
      },
    });
    await expect(waits).rejects.toBe(reason);
    expect(reported).toEqual([requirements]);
  });

  it('gets the outcome within its timeout, and each change of what is asked before', async () => {
    const { workflowId, requirements } = await waiting();
    const reported: string[][] = [];
    const waits = gangway.outcome(workflowId, {
      timeoutMs: 3_000_000_000,
      onRequirements: (open) => reported.push(open.map(({ requirement }) => requirement.id)),
    });
    await eventually(
      async () => reported.length,
      (count) => count === 1,
      'the requirements',
    );
    const ids = requirements.map(({ requirement }) => requirement.id);
    const answer = { kind: 'text', text: 'One in ten.' } as const;
    for (const requirementId of ids) await gangway.answer(workflowId, { ...BY, requirementId, answer });
    expect(await waits).toMatchObject({ outcome: 'boarded' });
    expect(reported[0]).toEqual(ids);
  });

  it('lists onboardings, and cancels one, once', async () => {
    const { workflowId } = await waiting();
    const listed = () =>
      Array.fromAsync(gangway.list({ running: true, actionRequired: true, stage: 'underwriting' }));
    const [result] = await eventually(
      async () => (await listed()).filter((each) => each.workflowId === workflowId),
      (all) => all.length > 0,
      'the boarding in the list',
    );
    expect(result).toMatchObject({ type: 'merchantBoarding', state: 'running', stage: 'underwriting' });
    expect(await Array.fromAsync(gangway.list({ most: 1 }))).toHaveLength(1);
    await gangway.cancel(workflowId);
    await expect(gangway.outcome(workflowId)).rejects.toThrow(/: it was canceled; merchant \d+ exists/);
    await expect(gangway.cancel(workflowId)).rejects.toThrow(EndedOnboarding);
    await expect(gangway.cancel('merchant-boarding-never-started')).rejects.toThrow(UnknownOnboarding);
  });

  it.each(['never-started', 'merchant-boarding-never-started'])('gets the same error for %s', async (id) => {
    const answer = { ...BY, requirementId: 'note-1', answer: { kind: 'retry' } } as const;
    for (const call of [
      () => gangway.status(id),
      () => gangway.requirements(id),
      () => gangway.outcome(id),
      () => Array.fromAsync(gangway.watch(id)),
      () => gangway.answer(id, answer),
    ])
      await expect(call()).rejects.toThrow(UnknownOnboarding);
  });
});

describe.concurrent('a client of Temporal that a program has', () => {
  it('is used with the encryption of Gangway, and stays open', async ({ onTestFinished }) => {
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    ends(onTestFinished)(() => connection.close());
    const client = new Client({ connection, identity: 'crm' });
    const { PAYLOAD_KEYS, GANGWAY_TASK_QUEUE } = rig.env;
    const over = await gangwayClient({ client, settings: { PAYLOAD_KEYS, GANGWAY_TASK_QUEUE } });
    const { workflowId } = await over.boardMerchant(merchant());
    expect(await over.outcome(workflowId)).toMatchObject({ outcome: 'boarded' });
    await over.close();
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    const { identity, input } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    expect(identity).toBe('crm');
    const encodings = input?.payloads?.map(({ metadata }) => Buffer.from(metadata?.['encoding'] ?? []));
    expect(encodings?.map(String)).toEqual(['binary/encrypted']);
  });

  it('needs keys where its server may be another machine', async ({ onTestFinished }) => {
    const connection = Connection.lazy({ address: 'temporal.example.com:7233' });
    ends(onTestFinished)(() => connection.close());
    const failure = gangwayClient({ client: new Client({ connection }), settings: {} });
    await expect(failure).rejects.toThrow(BadSetting);
    await expect(failure).rejects.toThrow(/^PAYLOAD_KEYS: is not set/);
  });
});

describe.concurrent('a client with wrong settings', () => {
  it.each([
    [{ GANGWAY_DBA: 'hidden' }, BadSetting, /^GANGWAY_DBA: /],
    [{ TEMPORAL_ADDRESS: 'temporal.example.com:7233' }, BadSetting, /^PAYLOAD_KEYS: is not set/],
    [{ TEMPORAL_ADDRESS: '127.0.0.1:1' }, TemporalUnavailable, /^cannot reach Temporal at 127\.0\.0\.1:1 /],
  ])('%j fails as the command does', async (settings, kind, message) => {
    const failure = gangwayClient({ settings });
    await expect(failure).rejects.toThrow(kind);
    await expect(failure).rejects.toThrow(message);
  });
});

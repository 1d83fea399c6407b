import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, expect, it } from 'vitest';
import {
  BATCH_MEMO,
  type BatchInput,
  type BatchRow,
  type BatchState,
  confirmBatch,
  NO_RESULTS,
  type StartLimits,
} from '../../src/messages/batches.js';
import { workflowId } from '../../src/messages/ids.js';
import { folder } from '../../src/platform/documents/file-store.js';
import { readBatch } from '../../src/services/batches/batches.js';
import { runsOf } from '../../src/temporal/history.js';
import { decodePayloads, sealValue } from '../../src/temporal/payload-codec.js';
import { wasStarted } from '../rigs/commands/files.js';
import { merchant } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';

const rig = await sharedRig();

/** What a test has started would poll through the time that the next one waits. */
afterEach(() => rig.clear());

const OF_EACH = 2;

/** A batch of parts with two rows each. Without a limits, it waits for its confirmation. @param facts what it begins with */
async function batchOf(
  parts: number,
  limits?: StartLimits,
  { client, taskQueue, documentDir }: Rig = rig,
  facts: Partial<BatchState> = {},
) {
  const batch = workflowId('onboardingBatch', randomUUID());
  const rows = Array.from({ length: parts * OF_EACH }, (_, index): BatchRow => {
    const input = merchant('waiting');
    const { externalId } = input;
    const type = 'merchantBoarding';
    return { line: index + 1, externalId, type, workflowId: workflowId(type, externalId), input };
  });
  for (let part = 0; part < parts; part += 1) {
    const content = await sealValue(client, rows.slice(part * OF_EACH, (part + 1) * OF_EACH), batch);
    await folder(documentDir).save(
      `${batch}.${part}.rows`,
      Readable.from([content]),
      'application/octet-stream',
    );
  }
  const state: BatchState = {
    stage: limits ? 'running' : 'checked',
    name: 'merchants.csv',
    actor: 'olga',
    rows: rows.length,
    kinds: { merchantBoarding: rows.length },
    accounts: [''],
    parts: 0,
    counts: NO_RESULTS,
    failures: [],
    ...facts,
  };
  const input: BatchInput = { ...limits, parts, state };
  const memo = { [BATCH_MEMO]: state };
  const handle = await client.workflow.start('onboardingBatch', {
    workflowId: batch,
    taskQueue,
    args: [input],
    memo,
  });
  const stored = async () => (await readdir(documentDir)).filter((name) => name.startsWith(batch)).sort();
  return { handle, rows, stored, state: async () => (await readBatch(client, batch))?.state };
}

it('goes on in a new run from the part that it has reached, and starts nothing twice', async () => {
  const busyRig = await createRig({ continueAfter: 20 });
  try {
    const { handle, stored, state } = await batchOf(6, { concurrency: 1 }, busyRig);
    const end = { stage: 'done', parts: 6, rows: 12, counts: { started: 12, attached: 0, failed: 0 } };
    expect(await handle.result()).toMatchObject(end);
    expect(await state()).toMatchObject(end);
    expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
    expect(await stored()).toEqual([0, 1, 2, 3, 4, 5].map((part) => `${handle.workflowId}.${part}.results`));
  } finally {
    await busyRig.close();
  }
});

it('shows in each run at once what it showed before, and a stop between two runs holds', async () => {
  // Each part is a run of its own.
  const busyRig = await createRig({ continueAfter: 1 });
  try {
    const slow = await batchOf(3, undefined, busyRig);
    await slow.handle.executeUpdate(confirmBatch, { args: [{ concurrency: 1, rate: 0.5 }] });
    const runOf = async () => (await slow.handle.describe()).runId;
    await eventually(runOf, (runId) => runId !== slow.handle.firstExecutionRunId, 'a second run');
    expect(await slow.state()).toMatchObject({ stage: 'running', parts: 1 });
    await slow.handle.terminate();

    const fast = await batchOf(8, { concurrency: 1, rate: 4 }, busyRig);
    await eventually(() => wasStarted(busyRig.client, fast.rows[0]?.workflowId ?? ''), Boolean, 'a row');
    await fast.handle.cancel();
    const failure: unknown = await fast.handle.result().catch((error: unknown) => error);
    expect((failure as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    expect(await fast.state()).toMatchObject({ stage: 'stopped' });
  } finally {
    await busyRig.close();
  }
});

it('ends when it is canceled: what was started continues, and the rest is left out', async () => {
  const { handle, rows, stored, state } = await batchOf(2, { concurrency: 1, rate: 0.01 });
  const [first, second] = rows;
  await eventually(() => wasStarted(rig.client, first?.workflowId ?? ''), Boolean, 'the first row');
  await handle.cancel();
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WorkflowFailedError);
  expect((failure as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect(await state()).toMatchObject({ stage: 'stopped', counts: { started: 1, attached: 0, failed: 0 } });
  expect(await wasStarted(rig.client, second?.workflowId ?? '')).toBe(false);
  expect(await stored()).toEqual([`${handle.workflowId}.0.results`]);
});

it('is discarded when nobody confirms it within 15 minutes, and starts nothing', async () => {
  const { handle, rows, stored, state } = await batchOf(1);
  expect(await handle.result()).toMatchObject({ stage: 'discarded', counts: NO_RESULTS });
  const { startTime, closeTime } = await handle.describe();
  expect(Number(closeTime) - Number(startTime)).toBeGreaterThanOrEqual(15 * 60_000);
  expect(await state()).toMatchObject({ stage: 'discarded' });
  for (const row of rows) expect(await wasStarted(rig.client, row.workflowId)).toBe(false);
  expect(await stored()).toEqual([]);
});

it('starts when it is confirmed, and each of its runs keeps the limits of the first confirmation and all that is known', async () => {
  const busyRig = await createRig({ continueAfter: 1 });
  try {
    const { client } = busyRig;
    // Two of each, as after other parts.
    const failures = [8, 9].map((line) => ({
      line,
      externalId: `m-${line}`,
      workflowId: `merchant-boarding-m-${line}`,
      result: 'failed' as const,
      error: 'too long',
    }));
    const facts = {
      failures,
      counts: { started: 2, attached: 3, failed: 2 },
      accounts: ['', 'acme'],
      kinds: { merchantBoarding: 14, businessOnboarding: 1 },
    };
    const { handle, state } = await batchOf(4, undefined, busyRig, facts);
    const before = await state();
    const limits = { concurrency: 2, rate: 50 };
    for (const confirmed of [limits, { concurrency: 1 }])
      await handle.executeUpdate(confirmBatch, { args: [confirmed] });
    const end = { ...before, stage: 'done', parts: 4, counts: { ...facts.counts, started: 10 } };
    expect([await handle.result(), await state()]).toEqual([end, end]);
    const { runs } = await runsOf(client, handle.workflowId, (await handle.describe()).runId);
    const started = runs.flatMap(({ events }) =>
      events.flatMap(({ activityTaskScheduledEventAttributes: of }) =>
        of?.activityType?.name === 'startRows' ? [of.input?.payloads] : [],
      ),
    );
    const values = await Promise.all(started.map((each) => decodePayloads(client, each, handle.workflowId)));
    // The second run has begun when the second confirmation comes, which changes nothing.
    expect([runs.length, values.flat()]).toEqual([
      4,
      [0, 1, 2, 3].map((part) => ({ batch: handle.workflowId, part, actor: 'olga', ...limits })),
    ]);
  } finally {
    await busyRig.close();
  }
});

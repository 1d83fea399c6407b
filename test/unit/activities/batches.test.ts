import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { batchActivities } from '../../../src/activities/batches.js';
import { BATCH_MEMO, type BatchRow, type RowResult } from '../../../src/messages/batches.js';
import { folder } from '../../../src/platform/documents/file-store.js';
import { newFolder } from '../../rigs/folders.js';
import { merchant } from '../../rigs/inputs.js';
import {
  type Answers,
  answering,
  execution,
  grpcError,
  payloads,
  startIn,
} from '../../rigs/temporal/answering-service.js';

const BATCH = 'onboarding-batch-1';
const OF = { batch: BATCH, part: 0 };

let documents: string;
beforeEach(async () => {
  documents = await newFolder();
});

const rows = [1, 2, 3, 4].map((line): BatchRow => {
  const externalId = `m-${line}`;
  const workflowId = `merchant-boarding-${externalId}`;
  return { line, externalId, type: 'merchantBoarding', workflowId, input: { ...merchant(), externalId } };
});

const result = (line: number, more: Partial<RowResult> = {}): RowResult => ({
  line,
  externalId: `m-${line}`,
  workflowId: `merchant-boarding-m-${line}`,
  result: 'started',
  runId: 'run-2',
  ...more,
});

/** Attempts of the activity against a server that answers starts so. @param heartbeats collects their details */
async function attempts(answers: Answers, heartbeats: RowResult[][] = []) {
  const { client, sent } = answering({ startWorkflowExecution: () => ({ runId: 'run-2' }), ...answers });
  const activities = batchActivities({ fourEyes: [], taskQueue: 'gangway', dbaForm: 'shown' }, async () =>
    folder(documents),
  );
  const run = <Result>(activity: () => Promise<Result>, details?: readonly RowResult[]) => {
    const environment = new MockActivityEnvironment({ heartbeatDetails: details }, { client });
    environment.on('heartbeat', (results: RowResult[]) => heartbeats.push([...results]));
    // The environment itself gives up an activity as soon as it is canceled, which a worker does not.
    const end = new Promise<Result>((resolve, reject) => {
      environment.run(async () => activity().then(resolve, reject)).catch(() => undefined);
    });
    return { environment, end };
  };
  await run(() => activities.keepRows({ ...OF, rows })).end;
  const start = (pace: object = {}, details?: readonly RowResult[]) =>
    run(() => activities.startRows({ ...OF, actor: 'Ada Park (ada-17)', concurrency: 1, ...pace }), details);
  const results = () => run(() => activities.readResults(OF)).end;
  const started = () =>
    sent.flatMap(([name, request]) => (name === 'startWorkflowExecution' ? [request.workflowId] : []));
  const memos = () =>
    sent.flatMap(([name, request]) => (name === 'startWorkflowExecution' ? [startIn(request).memo] : []));
  return { start, results, started, memos, run, activities };
}

/** A server that rejects the first start of the row on a line. */
function rejecting(line: number, error: Error): Answers {
  const errors = [error];
  return {
    startWorkflowExecution: ({ workflowId }) => {
      const rejected = workflowId.endsWith(`-${line}`) ? errors.pop() : undefined;
      if (rejected) throw rejected;
      return { runId: 'run-2' };
    },
  };
}

it('each row is started and has a result, which a later attempt does not repeat', async () => {
  const heartbeats: RowResult[][] = [];
  const { start, results, started, memos } = await attempts({}, heartbeats);
  const before = result(2, { result: 'attached', runId: 'run-1' });
  const counts = { started: 3, attached: 1, failed: 0 };
  expect(await start({}, [before]).end).toEqual({ counts, failures: [], isStopped: false });
  expect(started()).toEqual([1, 3, 4].map((line) => `merchant-boarding-m-${line}`));
  // Who handed the batch over has started its onboardings.
  expect(memos()).toMatchObject(Array(3).fill({ batch: BATCH, startedBy: 'Ada Park (ada-17)' }));
  const all = [before, result(1), result(3), result(4)];
  expect(heartbeats.at(-1)).toEqual(all);
  expect(await results()).toEqual(all);
});

it('what an earlier attempt of the batch started counts as started, and what others started as attached', async () => {
  const others: Readonly<Record<string, string | undefined>> = {
    1: BATCH,
    2: 'onboarding-batch-0',
    3: undefined,
  };
  const { start, results } = await attempts({
    startWorkflowExecution: ({ workflowId }) => {
      if (!(workflowId.split('-').at(-1) in others)) return { runId: 'run-2' };
      throw grpcError('ALREADY_EXISTS');
    },
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const batch = others[workflowId.split('-').at(-1)];
      const memo = batch === undefined ? {} : { [BATCH_MEMO]: payloads(batch)[0] as never };
      return { workflowExecutionInfo: execution({ workflowId, runId: 'run-1', memo }) };
    },
  });
  expect(await start().end).toMatchObject({ counts: { started: 2, attached: 2, failed: 0 } });
  const runs = (await results()).map((row) => `${row.result} ${row.runId}`);
  expect(runs).toEqual(['started run-1', 'attached run-1', 'attached run-1', 'started run-2']);
});

it('a row that Temporal rejects fails alone', async () => {
  const { start } = await attempts(rejecting(2, grpcError('INVALID_ARGUMENT', 'too large')));
  const { runId: _, ...failed } = result(2, { result: 'failed', error: 'too large' });
  const counts = { started: 3, attached: 0, failed: 1 };
  expect(await start().end).toEqual({ counts, failures: [failed], isStopped: false });
});

it('a heartbeat stays small, whatever Temporal says about each row', async () => {
  const { start } = await attempts({
    startWorkflowExecution: () => {
      throw grpcError('INVALID_ARGUMENT', 'x'.repeat(60_000));
    },
  });
  const { failures } = await start().end;
  expect(failures.map(({ error }) => error?.length)).toEqual([2_000, 2_000, 2_000, 2_000]);
});

it('a worker survives a concurrency beyond all bounds', async () => {
  const { start } = await attempts({});
  const concurrency = Number.MAX_SAFE_INTEGER;
  expect(await start({ concurrency }).end).toMatchObject({ counts: { started: 4 } });
});

it('an error that says nothing about a row ends the attempt, whose results the next one has', async () => {
  const heartbeats: RowResult[][] = [];
  const { start, started } = await attempts(rejecting(3, grpcError('PERMISSION_DENIED')), heartbeats);
  await expect(start().end).rejects.toThrow();
  expect(heartbeats.at(-1)).toEqual([result(1), result(2)]);
  expect(await start({}, heartbeats.at(-1)).end).toMatchObject({ counts: { started: 4 } });
  expect(started().slice(-2)).toEqual(['merchant-boarding-m-3', 'merchant-boarding-m-4']);
});

it('rows are started no faster than the rate, also after the part or the attempt before', async () => {
  const { start, started } = await attempts({});
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { end } = start({ rate: 10, concurrency: 3 });
  while (vi.getTimerCount() < 2) await setImmediate();
  for (const count of [0, 1, 2, 3, 4]) {
    await vi.advanceTimersByTimeAsync(count === 0 ? 90 : 100);
    expect(started()).toHaveLength(count);
  }
  await end;
});

it('a worker that ends leaves the rest to the next attempt', async () => {
  const { start, started } = await attempts({});
  const { environment, end } = start({ rate: 1 });
  environment.cancel('WORKER_SHUTDOWN', { workerShutdown: true } as never);
  await expect(end).rejects.toThrow('the worker ended');
  expect(started()).toEqual([]);
});

it('a cancellation leaves rows out, and keeps the results so far', async () => {
  const { start, results } = await attempts({});
  const { environment, end } = start({ rate: 1 }, [result(1)]);
  environment.cancel('CANCELLED', { cancelRequested: true } as never);
  expect(await end).toMatchObject({ counts: { started: 1 }, isStopped: true });
  expect(await results()).toEqual([result(1)]);
});

it('the rows are forgotten, again and again, and the results stay', async () => {
  const { start, run, activities } = await attempts({});
  await start().end;
  for (let time = 0; time < 2; time += 1)
    await run(() => activities.forgetRows({ batch: BATCH, parts: 2 })).end;
  expect(await readdir(documents)).toEqual([`${BATCH}.0.results`]);
});

import { type Client, NamespaceNotFoundError } from '@temporalio/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Ready, RefusedRow } from '../../../../src/operators/batch/ready.js';
import { persistent, startAll } from '../../../../src/operators/batch/starting.js';
import { grpcError } from '../../../rigs/temporal/answering-service.js';

const notFound = () => Promise.reject(new NamespaceNotFoundError('default'));

function persistently() {
  const notes: string[] = [];
  const call = persistent({
    giveUpAfter: 60_000,
    stop: new AbortController(),
    gaveUp: () => new Error('gave up'),
    note: (text) => notes.push(text),
  });
  return { call, notes };
}

it('a namespace that was never found is an error at once', async () => {
  const { call, notes } = persistently();
  await expect(call(notFound)).rejects.toThrow('default');
  expect(notes).toEqual([]);
});

it('a namespace that was there before is asked for again, because its database may be down', async () => {
  const { call, notes } = persistently();
  await call(async () => 'started');
  let calls = 0;
  const result = await call(async () => {
    calls += 1;
    return calls < 2 ? notFound() : calls;
  });
  expect({ result, notes }).toEqual({ result: 2, notes: ['Temporal does not respond; trying again'] });
});

it.each([
  [5, 5, 'done'],
  [6, 6, 'done'],
  [7, 0, 'gave up'],
])(
  'gives up after 6 s without a response: after %i s and again %i s, it is %s',
  async (first, second, end) => {
    vi.useFakeTimers({ fakeNodeBuiltins: true });
    onTestFinished(() => void vi.useRealTimers());
    const stop = new AbortController();
    const gaveUp = () => new Error('gave up');
    const call = persistent({ giveUpAfter: 6_000, stop, gaveUp, note: () => undefined });
    const unavailableFor = (seconds: number) => {
      const until = Date.now() + seconds * 1_000;
      return call(async () => {
        if (Date.now() < until) throw grpcError('UNAVAILABLE');
        return 'done';
      });
    };
    const both = unavailableFor(first).then(() => unavailableFor(second));
    const result = both.catch(() => stop.signal.reason.message);
    await vi.runAllTimersAsync();
    expect(await result).toBe(end);
  },
);
it('rows are started no faster than the rate, in their order, and the rows after a rejected one as well', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const results: string[] = [];
  async function* rows(): AsyncGenerator<Ready> {
    for (const line of [1, 2, 3, 4]) {
      const start = async () => {
        if (line === 2) throw new RefusedRow('too large');
        return { workflowId: `m-${line}`, runId: 'r', started: true };
      };
      yield { line, externalId: `${line}`, workflowId: `m-${line}`, start } as unknown as Ready;
    }
  }
  const started = startAll({} as Client, rows(), {
    options: { taskQueue: 'q', dbaForm: 'shown' },
    ...{ rate: 10, concurrency: 3, stop: new AbortController(), persistently: persistently().call },
    onResult: ({ line }, result) => results.push(`${line} ${Object.keys(result).join()}`),
  });
  const expected = ['1 workflowId,runId,started', '2 rejected', '3 workflowId,runId,started'];
  for (const count of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(count === 1 ? 99 : 100);
    expect(results).toEqual(expected.slice(0, count));
  }
  await vi.advanceTimersByTimeAsync(100);
  await started;
  expect(results).toHaveLength(4);
});

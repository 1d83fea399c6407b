import { NamespaceNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { retryCalls } from '../../../../../src/apps/command/batch/waiting.js';
import { grpcError } from '../../../../rigs/temporal/answering-service.js';

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }));
afterEach(() => void vi.useRealTimers());

const notFound = () => Promise.reject(new NamespaceNotFoundError('default'));

function persistently() {
  const notes: string[] = [];
  const stop = new AbortController();
  return { call: retryCalls({ giveUpAfter: 6_000, stop, note: (text) => notes.push(text) }), notes, stop };
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
  const result = call(() => (++calls < 2 ? notFound() : Promise.resolve(calls)));
  await vi.runAllTimersAsync();
  expect([await result, notes]).toEqual([2, ['Temporal does not respond; trying again']]);
});

it.each([
  [5, 5, 'done'],
  [6, 6, 'done'],
  [7, 0, 'gave up, because Temporal does not respond (--give-up-after)'],
])(
  'gives up after 6 s without a response: after %i s and again %i s, it is %s',
  async (first, second, end) => {
    const { call, stop } = persistently();
    const unavailableFor = (seconds: number) => {
      const until = Date.now() + seconds * 1_000;
      return call(() =>
        Date.now() < until ? Promise.reject(grpcError('UNAVAILABLE')) : Promise.resolve('done'),
      );
    };
    const both = unavailableFor(first).then(() => unavailableFor(second));
    const result = both.catch(() => stop.signal.reason.message.split('\n')[0]);
    await vi.runAllTimersAsync();
    expect(await result).toBe(end);
  },
);

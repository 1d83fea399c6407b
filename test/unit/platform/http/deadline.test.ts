import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Deadline, retryAfterMs, untilAborted } from '../../../../src/platform/http/deadline.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => {
  vi.useFakeTimers({ now: new Date(NOON) });
  onTestFinished(() => void vi.useRealTimers());
});

describe('a deadline', () => {
  it('ends a call when its time has passed, and not before', () => {
    const { signal } = new Deadline({ ms: 1_000 });
    vi.advanceTimersByTime(999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('ends a call when another signal does, for its reason, even if that was before', () => {
    const stop = new AbortController();
    const { signal } = new Deadline({ ms: 1_000, until: stop.signal });
    expect(signal.aborted).toBe(false);
    stop.abort('stopped');
    expect([signal.reason, new Deadline({ until: stop.signal }).signal.reason]).toEqual([
      'stopped',
      'stopped',
    ]);
    // The first reason counts.
    vi.advanceTimersByTime(1_000);
    expect(signal.reason).toBe('stopped');
  });

  it('gives way to a time that becomes known later', () => {
    const deadline = new Deadline({ ms: 1_000 });
    vi.advanceTimersByTime(900);
    deadline.endAfter(500, () => 'a pause');
    vi.advanceTimersByTime(499);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toBe('a pause');
  });

  it('that is released ends nothing, and nobody listens for it any more', () => {
    const stop = new AbortController();
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const deadline = new Deadline({ ms: 1_000, until: stop.signal });
    deadline.release();
    vi.advanceTimersByTime(1_000);
    stop.abort();
    expect([deadline.signal.aborted, removed.mock.calls.length, vi.getTimerCount()]).toEqual([false, 1, 0]);
  });
});

describe('a wait until a signal aborts', () => {
  it('ends with the value, or with the reason, whichever is first', async () => {
    const stop = new AbortController();
    const never = new Promise(() => {});
    expect(await untilAborted(Promise.resolve(1), undefined)).toBe(1);
    expect(await untilAborted(Promise.resolve(1), stop.signal)).toBe(1);
    const waiting = untilAborted(never, stop.signal);
    stop.abort('stopped');
    await expect(waiting).rejects.toBe('stopped');
    await expect(untilAborted(never, stop.signal)).rejects.toBe('stopped');
    // A failure that nobody waits for any more is not reported.
    await expect(untilAborted(Promise.reject(new Error('late')), stop.signal)).rejects.toBe('stopped');
    await expect(untilAborted(Promise.reject(new Error('failed')), undefined)).rejects.toThrow('failed');
  });
});

it.each([
  ['0', 0],
  ['120', 120_000],
  ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
  ['Sat, 31 Jan 2026 11:59:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [['120'], undefined],
  [undefined, undefined],
])('Retry-After %j is a pause of %j ms', (header, ms) => {
  expect(retryAfterMs(header)).toEqual(ms);
});

import { setImmediate } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { beforeEach, expect, it, vi } from 'vitest';
import { SharedReads } from '../../../src/temporal/shared-reads.js';
import { stoppedAt } from '../../rigs/clock.js';

beforeEach(() => stoppedAt(0));

/** Values that may be two seconds old, or ten while a new one is being read. The test ends each read. */
function reads() {
  const shared = new SharedReads<string>(2_000, 10_000);
  const client = {} as Client;
  const underWay: ((value: string) => void)[] = [];
  let start = 0;
  const read = () => {
    start += 1;
    return new Promise<string>((resolve) => underWay.push(resolve));
  };
  return {
    start: () => start,
    get: () => shared.get(client, 'inbox', read),
    /** Ends the read that is under way. */
    end: async (value: string) => {
      await vi.waitFor(() => expect(underWay).toHaveLength(1));
      underWay.pop()?.(value);
      await setImmediate();
    },
  };
}

it('gives everybody the value before while a new one is being read', async () => {
  const { get, end, start } = reads();
  const first = get();
  await end('first');
  expect(await first).toBe('first');
  vi.advanceTimersByTime(3_000);
  expect(await Promise.all([get(), get(), get()])).toEqual(['first', 'first', 'first']);
  await end('second');
  expect(await get()).toBe('second');
  expect(start()).toBe(2);
});

it('has everybody wait for one read where the value before is too old', async () => {
  const { get, end, start } = reads();
  const first = get();
  await end('first');
  await first;
  vi.advanceTimersByTime(11_000);
  const both = [get(), get()];
  await end('second');
  expect(await Promise.all(both)).toEqual(['second', 'second']);
  expect(start()).toBe(2);
});

import { NamespaceNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { persistent } from '../../../../src/operators/batch/starting.js';

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

import { expect, it } from 'vitest';
import { NO_RESULTS, type RowResult, summaryOf, withResults } from '../../../src/messages/batches.js';

const rows = (first: number, ...results: RowResult['result'][]): RowResult[] =>
  results.map((result, place) => ({ line: first + place, externalId: '', workflowId: '', result }));

it('a batch counts the rows of all its parts, and has the first twenty that failed', () => {
  const parts = [
    rows(1, 'started', 'failed', 'attached'),
    rows(4, 'attached', 'started', 'started'),
    rows(7, ...Array<'failed'>(12).fill('failed')),
    rows(19, ...Array<'failed'>(12).fill('failed'), 'started'),
  ];
  let state: ReturnType<typeof summaryOf> = { counts: NO_RESULTS, failures: [] };
  const counts = parts.map((part) => {
    state = withResults(state, summaryOf(part));
    return Object.values(state.counts);
  });
  expect(counts).toEqual([
    [1, 1, 1],
    [3, 2, 1],
    [3, 2, 13],
    [4, 2, 25],
  ]);
  const lines = Array.from({ length: 19 }, (_, place) => 7 + place);
  expect(state.failures.map(({ line }) => line)).toEqual([2, ...lines]);
});

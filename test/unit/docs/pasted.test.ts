import { describe, expect, it } from 'vitest';
import { firstDifference, pastedBlocks, staleReasons, TUTORIAL } from '../../rigs/docs/pasted.js';

describe('the blocks that a test pastes into a terminal', () => {
  it('are all but those with a reason, and each reason is for one block', () => {
    expect(staleReasons()).toEqual([]);
    const pages = pastedBlocks().map(({ page }) => page);
    for (const page of ['README.md', TUTORIAL, 'docs/commands.md', 'docs/reports.md', 'docs/disaster.md'])
      expect(pages).toContain(page);
  });
});

describe('the output on a page', () => {
  const PRINTED = [
    'started merchant-boarding-a',
    'mid 518000000001010',
    '2026-11-22 11:16:41 UTC  started',
    '3 s',
  ];

  it('may differ in times and IDs of runs', () => {
    const lines = ['started merchant-boarding-a', '...', '2026-10-02 01:06:01 UTC  started', '12 min'];
    expect(firstDifference(lines, PRINTED)).toBe(undefined);
  });

  it.each([
    ['a number', ['started merchant-boarding-a', 'mid 518000000001009', '...'], 'mid 518000000001009'],
    [
      'the order',
      ['...', '2026-11-22 11:16:41 UTC  started', 'mid 518000000001010', '...'],
      'mid 518000000001010',
    ],
    ['a missing line', ['started merchant-boarding-a', '...', 'boarded', '...'], 'boarded'],
    ['what it leaves out without saying so', PRINTED.slice(0, 3), 'the end, before: <span>'],
  ])('may not differ in %s', (_, lines, difference) => {
    expect(firstDifference(lines, PRINTED)).toBe(difference);
  });
});

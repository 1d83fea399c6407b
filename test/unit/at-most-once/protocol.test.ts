import { expect, it } from 'vitest';
import { RULES, type Rule } from './model.js';
import { explore } from './protocol.js';

// Proves A1, A2, A3, A4, A5, A6.
it('keeps every invariant in every interleaving, and reaches every end', () => {
  const { states, found: result } = explore();
  expect(result).toBeUndefined();
  const reached = (is: (state: (typeof states)[number]) => boolean) => states.some(is);
  expect(reached(({ workflow, effects }) => workflow === 'done' && effects === 1)).toBe(true);
  expect(reached(({ workflow, attempts }) => workflow === 'asking' && attempts.length === 2)).toBe(true);
  // The limit that the page names: a person says again, and a worker that was suspended before its first byte sends as well.
  expect(reached(({ effects, used }) => effects === 2 && used.again === 1)).toBe(true);
  expect(states.length, 'a model that explores little proves little').toBeGreaterThan(30_000);
});

/** The invariant that breaks first without a rule, and the last step of a shortest course to it. */
const BROKEN: Readonly<Record<Rule, readonly [invariant: string, last: string]>> = {
  'the request waits for the acknowledgment': ['A1', 'attempt 1 sends, responded'],
  'an attempt reads the last intent': ['A2', 'attempt 2 sends, responded'],
  'a cleared intent counts as one': ['A2', 'attempt 2 sends, responded'],
  'the outcome is reported until the server accepts it': ['A3', 'attempt 1 reports in vain'],
  'a refused intent ends the attempt': ['A4', 'attempt 1 sends, responded'],
  'the server refuses the intent of a closed attempt': ['A4', 'attempt 1 sends, responded'],
  'an attempt is silent once its time is over': ['A6', 'attempt 1 records its intent'],
  'only a request that had no effect withdraws its intent': ['A5', 'attempt 2 sends, responded'],
  'after an uncertain outcome, a person is asked': ['A5', 'attempt 2 sends, responded'],
  'a restored workflow begins as uncertain': ['A5', 'attempt 2 sends, responded'],
  'only a change that the write alone explains is evidence': ['F5', 'evidence shows the effect'],
};

it.each(RULES)('breaks an invariant unless %s', (rule) => {
  const [invariant, course] = explore(rule).found ?? [];
  expect([invariant, course?.split('; ').at(-1)]).toEqual(BROKEN[rule]);
});

it('finds the shortest course: a reset that cleared an intent, after an attempt that timed out', () => {
  expect(explore('a cleared intent counts as one').found?.[1].split('; ')).toEqual([
    'an attempt begins',
    'the attempt times out',
    'an operator clears the intent',
    'an attempt begins',
    'attempt 2 records its intent',
    'attempt 2 sends, responded',
  ]);
});

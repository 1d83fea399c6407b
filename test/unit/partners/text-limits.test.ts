import { describe, expect, it } from 'vitest';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { cleanStatusName } from '../../../src/partners/phases.js';
import { boundProblems, boundTexts, LONGEST, truncate } from '../../../src/partners/text-limits.js';

it.each([
  ['x'.repeat(50), 'x'.repeat(50)],
  ['x'.repeat(51), `${'x'.repeat(22)}… (shortened, 51 characters)`],
  [`${'x'.repeat(21)}😀${'x'.repeat(40)}`, `${'x'.repeat(21)}… (shortened, 63 characters)`],
])('%s is marked as shortened, and has no half of a character', (text, expected) => {
  expect(truncate(text, 50)).toBe(expected);
  expect(truncate(expected, 50)).toBe(expected);
});

it('a bounded value has short texts at any depth, and is otherwise the same', () => {
  const same = { list: [{ mid: '1', none: null, is: true, count: 3 }], left: undefined };
  const text = 'x'.repeat(3_000);
  expect(boundTexts({ ...same, text })).toEqual({ ...same, text: truncate(text, LONGEST.text) });
  expect(boundTexts(undefined)).toBeUndefined();
});

describe('the problems of a response', () => {
  const problem = { field: 'f'.repeat(1_000), message: 'm'.repeat(10_000) };

  it('are fifty at most, and how many more there are', () => {
    const problems = boundProblems(Array(120).fill(problem));
    expect(problems).toHaveLength(51);
    expect(problems[0]?.field).toHaveLength(LONGEST.line);
    expect(problems[0]?.message).toHaveLength(LONGEST.text);
    expect(problems[50]).toEqual({ field: '', message: 'and 70 more problems' });
  });

  it('are bounded in every error of a partner, its message included', () => {
    const error = new PartnerError({
      system: 'boarding',
      operation: 'create-merchant',
      kind: 'Rejected',
      reason: 'HTTP 400',
      fields: Array.from({ length: 120 }, (_, index) => ({ ...problem, field: `${index}${problem.field}` })),
      requestId: '7'.repeat(5_000),
    });
    expect(error.message.length).toBeLessThan(2_100);
    expect(error.fields).toHaveLength(51);
    expect(error.requestId).toHaveLength(LONGEST.line);
  });
});

it.each([
  ['UW Level 1: Pending', 'UW Level 1: Pending'],
  [' In\n\u0000review\t', 'In review'],
  ['\u200bNot Sub\u00admitted\u202e', 'Not Submitted'],
  ['Wait for 123-45-6789', 'Wait for [Redacted]'],
  ['Wait for 123456789', 'Wait for [Redacted]'],
  ['Ask ada@example.com, (518) 555-0100', 'Ask [Redacted], [Redacted]'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), `${'x'.repeat(171)}… (shortened, 201 characters)`],
])('a status named %j is shown as %j', (name, text) => {
  expect(cleanStatusName(name)).toBe(text);
  expect(cleanStatusName(text)).toBe(text);
});

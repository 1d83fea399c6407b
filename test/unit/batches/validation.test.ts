import { describe, expect, it } from 'vitest';
import { type Row, rowCheck } from '../../../src/batches/ready.js';
import { kindsOf, rowsOf, validate } from '../../../src/batches/validation.js';
import { business, customer, merchant } from '../../rigs/inputs.js';

const known = { posNames: [], accounts: { acme: { posNames: [] } } };

/** The result for a file with these rows, from line 1. */
function validated(...rows: readonly (object | Row['problems'])[]) {
  const check = rowCheck(known);
  async function* checked() {
    for (const [place, row] of rows.entries())
      yield check(Array.isArray(row) ? { line: place + 1, problems: row } : { line: place + 1, value: row });
  }
  return validate(checked());
}

const one = merchant(undefined, { externalId: 'm-1' });

describe('a file', () => {
  it.each<[string, rows: object[], counts: object]>([
    [
      'each kind',
      [one, business(), customer(), merchant()],
      { merchantBoarding: 2, businessOnboarding: 1, customerOnboarding: 1 },
    ],
    ['one id in two accounts', [one, { ...one, account: 'acme' }], { merchantBoarding: 2 }],
  ])('may have %s', async (_, rows, counts) => {
    expect(await validated(...rows)).toEqual({
      ...{ rows: rows.length, counts, problems: [], problemCount: 0, badRows: 0, doubts: [], doubtCount: 0 },
      named: expect.any(Array),
      workflowIds: expect.any(Array),
    });
  });

  it('may have doubtful values, which are listed by line', async () => {
    const doubtful = { ...one, merchant: { ...one.merchant, email: 'not-an-email' } };
    const { problemCount, doubts, doubtCount, workflowIds } = await validated(doubtful);
    expect({ problemCount, doubtCount, doubts, workflowIds }).toEqual({
      ...{ problemCount: 0, doubtCount: 1, workflowIds: ['merchant-boarding-m-1'] },
      doubts: [{ line: 1, field: 'merchant.email', message: 'is not an e-mail address' }],
    });
  });

  it('names each agent and each boarding settings once, with the first line', async () => {
    const { named } = await validated(one, { ...one, externalId: 'm-2' }, customer(), business());
    expect(named.map(({ line, rows, named: { prefix } }) => [line, rows, prefix])).toEqual([
      [1, 2, ''],
      [3, 1, 'boarding.'],
    ]);
  });

  it('counts the rows that are not valid', async () => {
    const wrong = { ...one, dueInHours: 0, agentProfileId: 0 };
    const { badRows, problemCount } = await validated(one, wrong, one);
    expect([badRows, problemCount]).toEqual([2, 3]);
  });

  it('may not have an id twice in an account, even in rows of two kinds', async () => {
    const there = { ...one, account: 'acme' };
    const { problems } = await validated(one, there, business(undefined, { externalId: 'm-1' }), there, one);
    const same = (line: number, first: number) => ({
      ...{ line, field: 'externalId', message: `is the same as in line ${first}` },
    });
    expect(problems).toEqual([same(3, 1), same(4, 2), same(5, 1)]);
  });

  it('may not have a row of two kinds, or of none', async () => {
    const { problems } = await validated(
      { ...one, holder: {} },
      { externalId: 'x' },
      { boarding: {}, business: {} },
    );
    expect(problems.slice(0, 2).map(({ message }) => message)).toEqual([
      'has merchant and holder: put them in separate rows',
      expect.stringMatching(/^is not an onboarding: /),
    ]);
    expect(problems.at(-1)?.line).toBe(3);
  });

  it('shows a hundred of its problems, and counts them all, each once in a row', async () => {
    const problem = { field: 'a', message: 'is wrong' };
    const { problems, problemCount, rows, badRows } = await validated(
      ...Array.from({ length: 101 }, () => [problem, problem]),
    );
    expect([problems.length, problemCount, rows, badRows]).toEqual([100, 101, 101, 101]);
    expect(problems.at(-1)).toEqual({ line: 100, ...problem });
  });
});

it('is counted in words', () => {
  expect(kindsOf({ merchantBoarding: 1, businessOnboarding: 2 })).toBe('1 merchant, 2 businesses');
  expect([0, 1, 2].map(rowsOf)).toEqual(['0 rows', '1 row', '2 rows']);
});

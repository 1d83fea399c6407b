import { describe, expect, it } from 'vitest';
import {
  attachedSentence,
  consequenceOf,
  fileWarnings,
  kindsOf,
  type Row,
  rowCheck,
  rowsOf,
  rowWarnings,
  validate,
} from '../../../../src/services/batches/validation.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { answering, execution, payloads } from '../../../rigs/temporal/answering-service.js';

const facts = { posNames: [], accounts: { acme: { posNames: [] } } };

/** The result for a file with these rows, from line 1. */
function validated(...rows: readonly (object | Row['problems'])[]) {
  const check = rowCheck(facts);
  async function* checked() {
    for (const [place, row] of rows.entries())
      yield check(Array.isArray(row) ? { line: place + 1, problems: row } : { line: place + 1, value: row });
  }
  return validate(checked());
}

const one = merchant(undefined, { externalId: 'm-1' });

const TWIN = 'is the same as line 1, under another externalId';

describe('a file', () => {
  const ALL_KINDS = { merchantBoarding: 2, businessOnboarding: 1, customerOnboarding: 1 };
  it.each<[string, rows: object[], counts: object]>([
    ['each kind', [one, business(), customer(), merchant()], ALL_KINDS],
    ['one id in two accounts', [one, { ...one, account: 'acme' }], { merchantBoarding: 2 }],
  ])('may have %s', async (_, rows, counts) => {
    expect(await validated(...rows)).toEqual({
      rows: rows.length,
      counts,
      problems: [],
      problemCount: 0,
      badRows: 0,
      moreWarnings: 0,
      businesses: Array.from({ length: rows.length }, () => expect.any(String)),
      valid: expect.any(Array),
    });
  });

  it('may have doubtful values, which are listed by line', async () => {
    const email = { ...one.merchant, email: 'not-an-email' };
    const checked = await validated(business(), { ...one, merchant: email });
    expect(checked).toMatchObject({ problemCount: 0, valid: [{}, { workflowId: 'merchant-boarding-m-1' }] });
    const warning = { line: 2, field: 'merchant.email', message: 'is not an e-mail address' };
    expect(rowWarnings(checked)).toEqual({ count: 1, warnings: [warning] });
  });

  it('keeps 10,000 doubts, and counts the others', async () => {
    const email = { ...one.merchant, email: 'not-an-email' };
    const rows = Array.from({ length: 10_002 }, (_, number) => ({
      ...one,
      externalId: `m-${number}`,
      merchant: { ...email, dba: `Shop ${number}` },
    }));
    const checked = await validated(...rows);
    expect(checked.valid.filter(({ warnings }) => warnings.length > 0)).toHaveLength(10_000);
    expect(checked.moreWarnings).toBe(2);
    const { warnings, count } = rowWarnings(checked);
    expect([warnings.length, count]).toEqual([100, 10_002]);
  });

  const ADA = { ...one.merchant, email: 'ada@example.com' };
  it.each<[string, object, object, string | undefined]>([
    ['everything but the key', { ...one, merchant: ADA }, { ...one, externalId: 'm-2', merchant: ADA }, TWIN],
    ['names, without an address', one, { ...one, externalId: 'm-2' }, undefined],
    [
      'names and e-mail address',
      { ...one, merchant: ADA },
      { ...one, externalId: 'm-2', dueInHours: 5, merchant: { ...ADA, email: 'ADA@example.com' } },
      TWIN,
    ],
    [
      'everything but the account',
      { ...one, merchant: ADA },
      { ...one, externalId: 'm-2', account: 'acme', merchant: ADA },
      undefined,
    ],
    [
      'the address alone',
      { ...one, merchant: ADA },
      { ...one, externalId: 'm-2', merchant: { ...ADA, dba: 'Other' } },
      undefined,
    ],
  ])('warns of a merchant under two keys: the rows have the same %s', async (_, first, second, message) => {
    const { valid, problemCount } = await validated(first, second, business());
    expect(problemCount).toBe(0);
    expect(valid.map(({ warnings }) => warnings.map((warning) => warning.message))).toEqual([
      [],
      message ? [message] : [],
      [],
    ]);
  });

  it('keeps the same agent and boarding settings once', async () => {
    const { valid } = await validated(one, { ...one, externalId: 'm-2' }, customer(), business());
    const [first, second, third, last] = valid.map(({ named }) => named);
    expect([second === first, first?.prefix, third?.prefix, last]).toEqual([
      true,
      '',
      'boarding.',
      undefined,
    ]);
  });

  // Alone catches a problem without the row's name, one without its value, and a private value on a page.
  it('names the business of a problem, and its value unless that is private', async () => {
    const cash = { ...one.merchant, dba: 'Corner Bakery', cashDiscount: '123-45-6789' };
    const { holder } = business();
    const { problems } = await validated(
      { ...one, merchant: cash },
      business(undefined, { holder: { ...holder, doingBusinessAsName: 'Fir', ssn: '123456' } }),
    );
    expect(problems).toEqual([
      {
        line: 1,
        field: 'merchant.cashDiscount',
        message: 'must be one of Yes, No',
        business: 'Corner Bakery',
        value: '***-**-6789',
      },
      { line: 2, field: 'holder.ssn', message: expect.any(String), business: 'Fir', value: '(not shown)' },
    ]);
    expect((await validated(...Array.from({ length: 7 }, () => merchant()))).businesses).toHaveLength(5);
  });

  it('counts the rows that are not valid', async () => {
    const wrong = { ...one, dueInHours: 0, agentProfileId: 0 };
    const { badRows, problemCount, valid, counts } = await validated(one, wrong, one);
    expect([badRows, problemCount]).toEqual([2, 4]);
    // Alone catches a duplicate that counts as valid, too, and one that hides behind another problem of its row.
    expect([valid.length, counts]).toEqual([1, { merchantBoarding: 1 }]);
  });

  it('may not have an id twice in an account, even in rows of two kinds', async () => {
    const there = { ...one, account: 'acme' };
    const { problems } = await validated(one, there, business(undefined, { externalId: 'm-1' }), there, one);
    const same = (line: number, first: number) => ({
      line,
      field: 'externalId',
      message: `is the same as in line ${first}`,
    });
    expect(problems).toEqual([same(3, 1), same(4, 2), same(5, 1)]);
  });

  it('may not have a row of two kinds, or of none', async () => {
    const rows = [{ ...one, holder: {} }, { externalId: 'x' }, { boarding: {}, business: {} }];
    const { problems } = await validated(...rows);
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

describe('what a file itself does not tell', () => {
  /** Temporal has these onboardings, some of them with several runs. */
  const temporal = (existing: readonly string[] = []) =>
    answering({
      listWorkflowExecutions: ({ query }: { readonly query: string }) => ({
        executions: existing
          .filter((workflowId) => query.includes(`'${workflowId}'`))
          .map((workflowId) => ({ execution: { workflowId, runId: 'run' } })),
      }),
    });
  const lists = {
    agentProfileId: [{ id: 101, name: 'Harbor Agents' }],
    boardingSettingsId: [{ id: 11, name: 'Standard' }],
  };
  type Warning = { readonly field: string; readonly message: string };
  const EMAIL = { field: 'merchant.email', message: 'is not an e-mail address' };
  const referring = (agentProfileId: number, account?: string) => ({
    prefix: '',
    agentProfileId,
    boardingSettingsId: 11,
    agent: undefined,
    boardingSettings: undefined,
    account,
  });
  const [seven, eight, listed, acmes] = [referring(7), referring(8), referring(101), referring(7, 'acme')];
  /** A file with valid rows, from line 1. */
  const file = (
    ...rows: (readonly [named?: ReturnType<typeof referring> | undefined, ...warnings: Warning[]])[]
  ) => ({
    valid: rows.map(([named, ...warnings], place) => ({
      line: place + 1,
      workflowId: `merchant-boarding-m-${place}.`,
      named,
      warnings,
    })),
    moreWarnings: 0,
  });
  const places = ({ warnings }: Awaited<ReturnType<typeof fileWarnings>>) =>
    warnings.map(({ line, field }) => `${line} ${field}`);
  /** The rows themselves, where no test compares them. */
  async function* unread() {}
  const rowsWithout = (length: number) => file(...Array.from({ length }, () => [] as const));

  it('is which onboardings exist, each once, a hundred in a query', async () => {
    const there = ['merchant-boarding-m-0.', 'merchant-boarding-m-99.', 'merchant-boarding-m-249.'];
    const { client, sent } = temporal([...there, ...there]);
    const result = await fileWarnings(client, 'gangway', rowsWithout(250), unread());
    expect(result).toEqual({ warnings: [], count: 0, isComplete: true, attached: 3 });
    const questions = sent.map(([, { query }]) => query.split(', ').length);
    expect(questions).toEqual([100, 100, 50]);
  });

  it('is not which ones exist in a file of more than 10,000 rows', async () => {
    const { client, sent } = temporal();
    const attached = async (length: number) =>
      (await fileWarnings(client, 'gangway', rowsWithout(length), unread())).attached;
    expect(await attached(10_001)).toBeUndefined();
    expect(sent).toEqual([]);
    expect(await attached(10_000)).toBe(0);
    expect(sent).toHaveLength(100);
  });

  it('is what the partner does not list, next to doubts of the file, by line', async () => {
    const { client } = temporal();
    const questions: unknown[] = [];
    const read = async (_: unknown, taskQueue: string, account: string | undefined) => {
      questions.push([taskQueue, account]);
      return lists;
    };
    const all = file([eight], [eight, EMAIL], [seven], [eight], [eight], [listed]);
    const result = await fileWarnings(client, 'gangway', all, unread(), read);
    expect(result).toMatchObject({ count: 3, isComplete: true });
    expect(places(result)).toEqual(['1 agentProfileId', '2 merchant.email', '3 agentProfileId']);
    expect(result.warnings[0]?.message).toMatch(/, as in 3 rows more$/);
    expect(result.warnings[2]?.message).not.toContain('more');
    // Once for each account.
    expect(questions).toEqual([['gangway', undefined]]);
  });

  it('is nothing about a row whose onboarding exists, because that takes no new input', async () => {
    const { client } = temporal(['merchant-boarding-m-0.', 'merchant-boarding-m-1.']);
    const all = file([seven, EMAIL], [undefined, EMAIL], [seven], [undefined, EMAIL]);
    const result = await fileWarnings(client, 'gangway', all, unread(), async () => lists);
    expect(result).toMatchObject({ count: 2, attached: 2 });
    expect(places(result)).toEqual(['3 agentProfileId', '4 merchant.email']);
    expect(result.warnings[0]?.message).not.toContain('more');
    const attaching = file([seven, EMAIL], [undefined, EMAIL]);
    const none = { warnings: [], count: 0, isComplete: true, attached: 2 };
    expect(await fileWarnings(client, 'gangway', attaching, unread(), async () => lists)).toEqual(none);
  });

  // Alone catches a business that a second file, with other external IDs, sends to the partners again.
  it('is which rows have a business that has an onboarding of another external ID', async () => {
    const ada = { ...one, merchant: { ...one.merchant, email: 'ada@example.com' } };
    const { client, sent } = answering({
      listWorkflowExecutions: ({ query }) => ({
        executions: query.includes('Dba')
          ? [{ execution: { workflowId: 'merchant-boarding-other', runId: 'run' } }]
          : [],
      }),
      describeWorkflowExecution: () => ({ workflowExecutionInfo: execution({}) }),
      getWorkflowExecutionHistory: () => ({
        history: {
          events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: payloads(ada) } } }],
        },
      }),
    });
    const rows = [ada, one].map((value, place) => ({ ...value, externalId: `m-${place}` }));
    async function* ready() {
      for (const [place, value] of rows.entries()) {
        const row = rowCheck(facts)({ line: place + 1, value });
        if ('input' in row) yield row;
      }
    }
    const result = await fileWarnings(client, 'gangway', rowsWithout(2), ready(), async () => lists);
    const message = 'is the same as merchant-boarding-other, under another externalId';
    expect(result.warnings).toEqual([{ line: 1, field: '', message }]);
    expect(sent.filter(([, { query }]) => query?.includes('Dba'))).toHaveLength(1);
  });

  // Alone catches a corrected row that attaches without a word.
  it('is in which fields a row differs from the onboarding that exists', async () => {
    const changed = { ...one, merchant: { ...one.merchant, lastName: 'Other' } };
    const { client } = answering({
      listWorkflowExecutions: () => ({
        executions: [{ execution: { workflowId: 'merchant-boarding-m-1' } }],
      }),
      describeWorkflowExecution: () => ({ workflowExecutionInfo: execution({}) }),
      getWorkflowExecutionHistory: () => ({
        history: {
          events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: payloads(one) } } }],
        },
      }),
    });
    const check = rowCheck(facts);
    const rows = [one, changed].map((value, place) => check({ line: place + 1, value }));
    async function* ready() {
      for (const row of rows) if ('input' in row) yield row;
    }
    const all = { valid: rows as never, moreWarnings: 0 };
    const result = await fileWarnings(client, 'gangway', all, ready(), async () => lists);
    expect(places(result)).toEqual(['2 merchant.lastName']);
  });

  it('is not complete when the lists of one account cannot be read', async () => {
    const { client } = temporal();
    const read = async (_: unknown, __: string, account: string | undefined) =>
      account === undefined ? lists : undefined;
    const result = await fileWarnings(client, 'gangway', file([seven], [acmes]), unread(), read);
    expect([result.isComplete, result.warnings.map(({ line }) => line)]).toEqual([false, [1]]);
  });

  it('is cut to a hundred doubts, and a long one to 300 characters', async () => {
    const { client } = temporal();
    const name = 'x'.repeat(20);
    const agentProfileId = Array.from({ length: 50 }, (_, number) => ({ id: 900 + number, name }));
    const all = file(...Array.from({ length: 101 }, () => [referring(7)] as const));
    const result = await fileWarnings(client, 'gangway', all, unread(), async () => ({
      ...lists,
      agentProfileId,
    }));
    expect([result.warnings.length, result.count]).toEqual([100, 101]);
    expect(result.warnings[0]?.message).toHaveLength(300);
    expect(result.warnings[0]?.message).toMatch(/… \(shortened, \d+ characters\)$/);
  });
});

it('a file is described in sentences', () => {
  expect([0, 1, 2].map(rowsOf)).toEqual(['0 rows', '1 row', '2 rows']);
  expect(kindsOf({ merchantBoarding: 1, businessOnboarding: 2 })).toBe('1 merchant, 2 businesses');
  expect(kindsOf({ customerOnboarding: 2, merchantBoarding: 1 })).toBe('2 customers, 1 merchant');
  const attached = [undefined, 0, 1, 2].map((count) => attachedSentence(count, 2));
  const attach = 'would start nothing, because the onboarding exists.';
  expect(attached).toEqual([undefined, undefined, `1 of 2 rows ${attach}`, `2 of 2 rows ${attach}`]);
  const counts = { merchantBoarding: 2, businessOnboarding: 1, customerOnboarding: 1 };
  expect(consequenceOf('a.csv', { rows: 4, counts }, undefined)).toBe(
    'This starts 4 rows of a.csv (2 merchants, 1 business, 1 customer), which creates applications at the partners.',
  );
  expect(consequenceOf('a.csv', { rows: 4, counts }, 1)).toMatch(/^This starts 3 rows, which /);
  expect(consequenceOf('a.csv', { rows: 4, counts }, 4)).toBe('Nothing new would start.');
});

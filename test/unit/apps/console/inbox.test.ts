import { beforeEach, expect, it, vi } from 'vitest';
import { describeNew } from '../../../../src/apps/console/pages/inbox.js';
import {
  chosenItems,
  forgetInboxLists,
  groupByBusiness,
  isNewSince,
  nextIn,
  splitQuestion,
} from '../../../../src/apps/console/pages/inbox-filter.js';
import type { RequestContext, User } from '../../../../src/apps/console/route.js';
import type { InboxItem } from '../../../../src/services/inbox/inbox.js';
import { Times } from '../../../../src/services/texts/time.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls } from '../../../rigs/console/console-of-calls.js';
import { answering, execution, payloads } from '../../../rigs/temporal/answering-service.js';

beforeEach(() => stoppedAt(0));

type Choices = Parameters<typeof chosenItems>[1];

/** The items by the first letters of their IDs. In New York it is five hours earlier. */
const ITEMS = [
  { workflowId: 'a', dueAt: '2026-01-29T12:00:00Z', overdue: true, dba: 'Zoo', raisedAt: '3' },
  { workflowId: 'b', dueAt: '2026-02-01T04:59:00Z', overdue: false, claimedBy: 'olga', raisedAt: '1' },
  { workflowId: 'c', dueAt: '2026-02-02T04:59:00Z', overdue: false, claimedBy: 'pete', raisedAt: '2' },
  { workflowId: 'd', dueAt: '2026-02-02T05:00:00Z', overdue: false },
  { workflowId: 'e', overdue: false, dba: 'Bakery' },
] as unknown as InboxItem[];

const RAISED = [
  { workflowId: 'f', raisedAt: '2026-02-02T00:00:00Z', overdue: false, mentioned: ['olga'] },
  { workflowId: 'g', raisedAt: '2026-01-31T00:00:00Z', overdue: false, claimedBy: 'pete' },
] as unknown as InboxItem[];

const SATURDAY = '2026-01-31T23:00:00Z';
const SUNDAY = '2026-02-01T23:00:00Z';
const MONDAY = '2026-02-02T05:00:00Z';

it.each<[now: string, Partial<Choices>, shown: string]>([
  [SATURDAY, {}, 'abcde'],
  [SATURDAY, { due: 'overdue' }, 'a'],
  [SATURDAY, { due: 'today' }, 'ab'],
  [SATURDAY, { due: 'week' }, 'abc'],
  // Sunday is the last day of its week.
  [SUNDAY, { due: 'week' }, 'abc'],
  [MONDAY, { due: 'week' }, 'abcd'],
  [SATURDAY, { taken: 'mine' }, 'b'],
  [SATURDAY, { taken: 'taken' }, 'bc'],
  [SATURDAY, { taken: 'untaken' }, 'ade'],
  [SATURDAY, { taken: 'untaken', due: 'week' }, 'a'],
  [MONDAY, { taken: 'mine' }, 'bf'],
  [MONDAY, { over: '1d' }, 'abcg'],
  [MONDAY, { raised: '1d' }, 'f'],
  [MONDAY, { over: '1h', raised: '7d' }, 'fg'],
  [MONDAY, { over: '7d', raised: '1d' }, ''],
  [SATURDAY, { sort: 'waiting', taken: 'taken' }, 'bc'],
  [SATURDAY, { sort: 'dba' }, 'becda'],
])('at %s the inbox with %j shows %s', (now, choices, text) => {
  vi.setSystemTime(new Date(now));
  const all = choices as Choices;
  const of = { times: new Times({ TZ: 'America/New_York' }), user: { actor: 'olga' } as User };
  // These are raised before the clock of the others.
  const items = now === MONDAY && !choices.due ? [...ITEMS.slice(0, 5), ...RAISED] : ITEMS;
  expect(
    chosenItems([...items], all, of)
      .map(({ workflowId }) => workflowId)
      .join(''),
  ).toBe(text);
});

it('what a business is asked follows the first of it, in one account, whichever part of it is asked', () => {
  const ids = ['merchant-boarding-m-1', 'merchant-boarding-m-2', 'business-onboarding-m-1@west', 'other'];
  const items = [...ids, 'business-onboarding-m-1'].map((workflowId) => ({ workflowId }) as InboxItem);
  expect(groupByBusiness(items).map(({ workflowId }) => workflowId)).toEqual([
    'merchant-boarding-m-1',
    'business-onboarding-m-1',
    'merchant-boarding-m-2',
    'business-onboarding-m-1@west',
    'other',
  ]);
});

const NEXT = '2026-02-01T00:00:00.000Z';
const claimed = (actor: string) => ({ claim: { actor, until: NEXT } });
it.each<[before: object, next: string]>([
  [{}, 'm-2'],
  [claimed('olga'), 'm-2'],
  [claimed('pete'), 'm-3'],
  // A second person confirms it first.
  [{ proposal: { actor: 'pete', at: NEXT, reason: 'called', answer: 'retry' } }, 'm-3'],
])(
  'after an answer comes the first requirement that nobody else has: after %j that of %s',
  async (by, next) => {
    const workflows = ['m-1', 'm-2', 'm-3'].map((key, place) => {
      const due = `2026-02-0${place + 1}T00:00:00.000Z`;
      const [memo] = payloads({ 'note-1': key === 'm-2' ? by : {} });
      return execution({
        workflowId: `merchant-boarding-${key}`,
        memo: { handling: memo as never },
        indexed: { Requirements: [`underwriting-note note-1 ${due} ${due}`, 'underwriting-note'] },
      });
    });
    const { client } = answering({
      countWorkflowExecutions: () => ({ count: workflows.length }),
      listWorkflowExecutions: () => ({ executions: workflows }),
    });
    const user = { actor: 'olga', accounts: undefined } as User;
    const context = { client, user, times: new Times({ TZ: 'UTC' }) } as RequestContext;
    forgetInboxLists(client, 'merchant-boarding-m-1', 'note-1');
    expect(await nextIn(context, 'kind=underwriting-note')).toBe(
      `/onboardings/merchant-boarding-${next}/requirements/note-1?list=kind%3Dunderwriting-note`,
    );
  },
);

it.each([
  // A page of 35 and one more, at least half of what is listed.
  ['/', 72, false],
  ['/', 73, true],
  ['/?page=2', 142, false],
  ['/?page=2', 143, true],
  ['/?page=2&sort=dba', 1_000, false],
  ['/?page=2&sort=dba', 1_001, true],
  ['/?page=99', 1_000, false],
  ['/?page=99', 1_001, true],
])('%s of %i that wait is cut by a due date: %s', async (path, counted, isCut) => {
  const { open, asked: questions } = await consoleOfCalls({ counted });
  expect((await open({}, path)).status).toBe(200);
  const queries = questions.filter(([what]) => what === 'list').map(([, query]) => String(query));
  expect(queries.some((query) => query.includes('ActionDueAt <='))).toBe(isCut);
});

// Alone catches two notes of a merchant whose controls have one name, and a question that keeps its preface.
it.each([
  ['Note from Underwriting: What is sold?', 'What is sold?', 'Note · Underwriting'],
  ['Note: What is sold?', 'What is sold?', 'Note'],
  ['Rejected: create the merchant', 'Rejected: create the merchant', 'Answer note'],
  [undefined, 'Answer note', 'Answer note'],
])('the question of %j is %j, of the kind %j', (title, sentence, kind) => {
  expect(splitQuestion({ title, task: 'answer note' } as InboxItem)).toEqual({ sentence, kind });
});

// Alone catches a row that says that something is wrong, and not what.
it.each([
  [
    'rejected-input',
    'SSN: is wrong\nEmail: is wrong',
    'SSN: is wrong · Email: is wrong',
    'Rejected: create it',
  ],
  ['ticket', 'The phone is not in service.', 'The phone is not in service.', 'Rejected: create it'],
  ['rejected-input', '', 'Rejected: create it', 'Correct input'],
  ['uncertain-write', 'Look in the portal.', 'Rejected: create it', 'Correct input'],
] as const)('the question of a %s with the detail %j is %j, of the kind %j', (of, detail, sentence, kind) => {
  const item = { kind: of, title: 'Rejected: create it', detail, task: 'correct input' } as InboxItem;
  expect(splitQuestion(item)).toEqual({ sentence, kind });
});

// Alone catches a merchant's answer that does not count as new.
it.each([
  [{ raisedAt: '2026-01-03' }, true],
  [{ raisedAt: '2026-01-01' }, false],
  [{ proposedBy: 'the merchant (L-0123456789abcdef)', proposedAt: '2026-01-03' }, true],
  [{ proposedBy: 'the merchant (L-0123456789abcdef)', proposedAt: '2026-01-01' }, false],
  [{ proposedBy: 'pete', proposedAt: '2026-01-03' }, false],
])('%j is new since the page was opened: %s', (item, isNew) => {
  expect(isNewSince(item as InboxItem, '2026-01-02')).toBe(isNew);
});

// Alone catches a number of questions next to the number of onboardings in the navigation.
it.each([
  ['aab', '2 onboardings have something new since you opened this page: A, answer note; B, answer note.'],
  ['a', '1 onboarding has something new since you opened this page: A, answer note.'],
  [
    'abcdde',
    '5 onboardings have something new since you opened this page: A, answer note; B, answer note; C, answer note; and 2 others.',
  ],
])('the new questions of %s are described by their onboardings', (workflows, text) => {
  const items = [...workflows].map((each) => ({
    workflowId: each,
    dba: each.toUpperCase(),
    task: 'answer note',
  }));
  expect(describeNew(items as unknown as InboxItem[])).toBe(text);
});

// Alone catches a number for a script that counts what its reader may not see, or that carries a whole page.
it('the number that waits is a number alone, in the accounts of its reader', async () => {
  const { open, asked: questions } = await consoleOfCalls({ counted: 12 });
  const { status, text } = await open({ role: 'viewer', accounts: ['north'] }, '/inbox/waiting');
  expect([status, text]).toEqual([200, '12']);
  expect(questions.filter(([what]) => what === 'list' || what === 'query')).toEqual([
    ['list', expect.stringContaining("PartnerAccount IN ('north')")],
  ]);
});

// Alone catches a number in the navigation that goes back on the page after the inbox.
it('the number that waits is no older than the list of the inbox', async () => {
  const { open } = await consoleOfCalls({ counted: 1 });
  const waiting = async () => (await open({ role: 'viewer' }, '/inbox/waiting')).text;
  expect(await waiting()).toBe('1');
  // The list has none.
  expect((await open({ role: 'viewer' }, '/')).text).toContain('<span id="waiting"></span>');
  expect(await waiting()).toBe('0');
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/messages/requirements.js';
import {
  Abandoned,
  RequirementQueue,
  type RequirementQueueOptions,
  type RequirementRecords,
  unlessAbandoned,
} from '../../../src/workflows/journey/requirement-queue.js';
import { answeredOf, openOf } from '../../../src/workflows/journey/rules.js';
import { stoppedAt } from '../../rigs/clock.js';

const NOON = '2026-01-31T12:00:00.000Z';
const AT_ONE = '2026-01-31T13:00:00.000Z';

beforeEach(() => stoppedAt(NOON));

/** A queue whose people have an hour, with what it wrote into the timeline and what it published. */
function queueOf(more: Partial<RequirementQueueOptions> = {}) {
  const said: string[] = [];
  const counted: unknown[] = [];
  const published: string[] = [];
  const queue = new RequirementQueue(
    {
      add: (event, { detail = '', actor, reason } = {}, labels) => {
        said.push([`${event}: ${detail}`, ...(actor ? [`${actor}: ${reason}`] : [])].join(' | '));
        if (labels) counted.push(labels);
      },
    },
    { requirement: (type, { id }) => void published.push(`${type} ${id}`) },
    { dueInHours: 1, ...more },
  );
  const raise = (about?: string, kind: 'ticket' | 'underwriting-note' = 'underwriting-note') =>
    queue.raise({ ...(about && { about }), kind, title: 'Why?', detail: 'Why now?', answers: ['text'] });
  const BY_OLGA = { actor: 'olga', reason: 'SSN 123-45-6789' };
  const answer = (requirementId: string, given: Answer = { kind: 'text', text: 'Yes.' }) =>
    queue.accept({ requirementId, answer: given, ...BY_OLGA });
  const takeBack = (requirementId: string) =>
    queue.takeBack({ requirementId, answer: { kind: 'take-back' }, ...BY_OLGA });
  const send = async (id: string, during: () => void = () => {}) =>
    queue.whileSending(
      queue.answered.filter(({ requirement }) => requirement.id === id),
      ['sent/a.pdf', 'request the review'],
      async () => during(),
    );
  const ids = () => ({
    open: queue.open.map(({ id }) => id),
    answered: queue.answered.map(({ requirement }) => requirement.id),
    unsent: queue.unsent,
  });
  return { queue, said, counted, published, raise, answer, takeBack, send, ids };
}

/** The IDs of those that are not overdue yet. */
const inTime = ({ deadlines }: RequirementQueue) =>
  deadlines.flatMap(({ what, requirement: { id } }) => (what === 'overdue' ? [id] : []));

const NOTHING = { open: [], answered: [], unsent: [] };

// Proves F4.
describe('a requirement that is raised', () => {
  it('is due after the hours that people have, and is in timeline, counter and events', () => {
    const { queue, raise, said, counted, published } = queueOf();
    expect(raise('note-1')).toBe('note-1');
    const dates = { raisedAt: NOON, dueAt: AT_ONE };
    const texts = { title: 'Why?', detail: 'Why now?', answers: ['text'] };
    const asked = { id: 'note-1', about: 'note-1', kind: 'underwriting-note', ...texts, ...dates };
    expect(queue.open).toEqual([asked]);
    expect(queue.dueInMs).toBe(3_600_000);
    expect([said, counted]).toEqual([['requirement-raised: note-1: Why?'], [{ kind: 'underwriting-note' }]]);
    expect(published).toEqual(['requirement.raised.v1 note-1']);
  });

  it('has a number of its own when it is asked again, and without a name the number of all', () => {
    const { raise } = queueOf({ idPrefix: 'business-' });
    expect([raise('note-1'), raise(undefined, 'ticket')]).toEqual(['note-1', 'business-ticket-2']);
    expect([raise('note-1'), raise()]).toEqual(['note-1-2', 'business-underwriting-note-4']);
  });
});

describe('an answer', () => {
  it('waits until it is settled, in the order of the answers', () => {
    const { queue, raise, answer, said, ids } = queueOf();
    for (const about of ['a', 'b', 'c']) raise(about);
    answer('c');
    answer('a');
    expect(ids()).toEqual({ open: ['b'], answered: ['c', 'a'], unsent: ['c', 'a'] });
    expect(['a', 'b', 'x'].map((id) => queue.isAnswered(id))).toEqual([true, false, false]);
    expect(said.at(-1)).toBe('requirement-resolved: a: text: Yes. | olga: SSN ***-**-6789');
    const removed = { requirement: { id: 'a' }, resolution: { actor: 'olga' } };
    expect(queue.removeAnswered('a')).toMatchObject(removed);
    expect(ids()).toMatchObject({ open: ['b'], answered: ['c'] });
  });

  it('is found among those of its kind, and one that abandons among the kinds that end the workflow', () => {
    const { queue, raise, answer } = queueOf();
    raise('note-1');
    raise('ticket-1', 'ticket');
    answer('ticket-1', { kind: 'abandon' });
    const kinds = ['ticket', 'underwriting-note'] as const;
    const idsOf = (found: typeof queue.answered) => found.map(({ requirement: { id } }) => id);
    expect(kinds.map((kind) => idsOf(answeredOf(queue, kind)))).toEqual([['ticket-1'], []]);
    expect(kinds.map((kind) => openOf(queue, kind).map(({ id }) => id))).toEqual([[], ['note-1']]);
    answer('note-1');
    expect(queue.abandonedOf(['underwriting-note'])).toBeUndefined();
    expect(queue.abandonedOf(kinds)).toMatchObject({ requirement: { id: 'ticket-1' } });
  });

  it('that comes twice, or after the end, is refused', () => {
    const { queue, raise, answer, said } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    expect(() => answer('a')).toThrow('a is not open');
    queue.removeAnswered('a');
    queue.withdraw('b', 'the partner has moved on');
    for (const id of ['a', 'b', 'never']) expect(() => answer(id)).toThrow(`${id} is not open`);
    expect(said.filter((line) => line.startsWith('requirement-resolved'))).toHaveLength(1);
  });

  it('is taken back once, and the requirement is the newest open one', () => {
    const { raise, answer, takeBack, said, ids } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    takeBack('a');
    expect(ids()).toEqual({ open: ['b', 'a'], answered: [], unsent: [] });
    expect(said.at(-1)).toBe('answer-taken-back: a | olga: SSN ***-**-6789');
    expect(() => takeBack('a')).toThrow('a has no answer to take back');
    answer('a');
    expect(ids()).toMatchObject({ open: ['b'], answered: ['a'] });
  });

  it('that is on its way is not taken back until its write has left it', async () => {
    const { raise, answer, takeBack, send, ids } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    answer('b');
    await send('a', () => {
      expect(ids()).toEqual({ open: [], answered: ['a', 'b'], unsent: ['b'] });
      expect(() => takeBack('a')).toThrow('a has no answer to take back');
    });
    expect(ids().unsent).toEqual(['a', 'b']);
    takeBack('a');
    expect(ids().open).toEqual(['a']);
  });

  it('that is settled while it is on its way is gone afterwards', async () => {
    const { queue, raise, answer, send, ids, takeBack } = queueOf();
    raise('a');
    answer('a');
    await send('a', () => void queue.removeAnswered('a'));
    expect(ids()).toEqual(NOTHING);
    expect(() => takeBack('a')).toThrow('a has no answer to take back');
  });

  it('stays on its way when the end of the workflow interrupts its write', async () => {
    const { raise, answer, send, ids } = queueOf();
    raise('a');
    answer('a');
    const decided = () => {
      throw new Error('the partner has decided');
    };
    await expect(send('a', decided)).rejects.toThrow('the partner has decided');
    expect(ids()).toEqual({ open: [], answered: ['a'], unsent: [] });
  });
});

describe('an end', () => {
  it.each([
    ['withdraw', 'closes an open requirement', 'requirement-closed: a', [], ['b']],
    ['drop', 'drops an answer', 'answer-dropped: b', ['a'], []],
  ] as const)('(%s) %s once, and nothing else', (how, _, line, open, answered) => {
    const { queue, raise, answer, said, ids } = queueOf();
    raise('a');
    raise('b');
    answer('b');
    for (const id of ['a', 'b', 'a', 'b', 'never']) queue[how](id, 'the partner has moved on');
    expect(ids()).toEqual({ open, answered, unsent: answered });
    expect(said.slice(3)).toEqual([`${line}: the partner has moved on`]);
    expect(queue.removeAnswered('a')).toBeUndefined();
  });

  it.each([
    ['request the review', false, 'while it was in flight; whether it arrived is unknown'],
    ['request the review', true, 'while it was in flight; whether it arrived is unknown'],
    ['sent/a.pdf', true, 'while it was in flight; whether it arrived is unknown'],
    ['reply to ticket-1', false, 'before it was delivered'],
    ['sent/a.pdf, as a beginning', false, 'before it was delivered'],
    ['reply to ticket-1', true, 'after a document was uploaded, but before the review was requested'],
  ])('says what arrived after the unknown end of %s, with a document there: %s', async (...row) => {
    const [unknown, isPartlySent, when] = row;
    const { queue, raise, answer, send, said, ids } = queueOf({
      isPartlySent: ({ requirement }) => isPartlySent && requirement.id === 'sent',
    });
    for (const about of ['sent', 'kept', 'open']) raise(about);
    raise('ticket-1', 'ticket');
    for (const id of ['sent', 'kept', 'ticket-1']) answer(id);
    await send('sent', () => {
      throw new Error('the partner has decided');
    }).catch(() => {});
    queue.dropUndelivered(['underwriting-note'], [unknown]);
    const kept = 'answer-dropped: kept: the partner decided before it was delivered';
    expect(said.slice(7)).toEqual([`answer-dropped: sent: the partner decided ${when}`, kept]);
    expect(ids()).toEqual({ open: ['open'], answered: ['ticket-1'], unsent: ['ticket-1'] });
  });

  it.each([
    [true, []],
    [false, ['answer-dropped: last: the onboarding ended before it was delivered']],
  ])('closes what is open, and drops each answer but the one it obeys: %s', (isAbandoned, more) => {
    const { queue, raise, answer, said } = queueOf();
    for (const about of ['open', 'kept', 'last']) raise(about);
    answer('kept');
    answer('last', { kind: 'abandon' });
    queue.end([], isAbandoned);
    expect(said.slice(5)).toEqual([
      'requirement-closed: open: the onboarding has ended',
      'answer-dropped: kept: the onboarding ended before it was delivered',
      ...more,
    ]);
  });

  it('by the partner drops the answer to abandon that came while a write in flight ended', () => {
    const { queue, raise, answer, said, ids } = queueOf();
    raise('last');
    answer('last', { kind: 'abandon' });
    queue.dropUndelivered(['underwriting-note'], []);
    expect(said.at(-1)).toBe('answer-dropped: last: the partner decided before it was delivered');
    expect(ids().answered).toEqual([]);
  });
});

it('a requirement that is late in both ways is reported once in each, and the next run knows both', () => {
  const before = queueOf({ unclaimedInHours: 0.5 });
  for (const about of ['a', 'b', 'c']) before.raise(about);
  const late = ({ deadlines }: RequirementQueue) =>
    deadlines.map(({ what, requirement }) => `${requirement.id} ${what}`);
  const [a, b] = before.queue.open;
  for (const [requirement, what] of [
    [a, 'unclaimed'],
    [a, 'overdue'],
    [b, 'overdue'],
  ] as const)
    if (requirement) before.queue.reportLate(requirement, what);
  expect(late(before.queue)).toEqual(['c overdue', 'b unclaimed', 'c unclaimed']);
  const claim = { actor: 'pete', until: AT_ONE };
  const proposed = {
    requirementId: 'b',
    answer: { kind: 'text', text: 'Yes.' },
    actor: 'pete',
    reason: 'so',
    at: NOON,
  } as const;
  before.queue.setClaims('b', { claim, proposed });
  let records = before.queue.records;
  for (const run of ['second', 'third']) {
    const { queue, raise } = queueOf({ unclaimedInHours: 0.5, records: JSON.parse(JSON.stringify(records)) });
    expect(late(queue), run).toEqual(['c overdue', 'b unclaimed', 'c unclaimed']);
    expect(queue.claimsOf('b')).toMatchObject({ claim, proposed });
    ({ records } = queue);
    expect(records).toEqual(before.queue.records);
    // What is asked again goes on with its number.
    expect([raise('a'), raise()]).toEqual(['a-2', 'underwriting-note-5']);
  }
});

it('an overdue requirement is reported once, even when its answer is taken back', () => {
  const { queue, raise, answer, takeBack, said, published } = queueOf();
  raise('a');
  raise('b');
  const [a] = queue.open;
  if (a) queue.reportLate(a, 'overdue');
  expect(inTime(queue)).toEqual(['b']);
  const reported = ['requirement-overdue: a: Why?', 'requirement.overdue.v1 a'];
  expect([said.at(-1), published.at(-1)]).toEqual(reported);
  answer('a');
  takeBack('a');
  answer('b');
  expect(inTime(queue)).toEqual([]);
  takeBack('b');
  expect(inTime(queue)).toEqual(['b']);
});

describe('a requirement that has to be claimed within two hours', () => {
  const claimable = (records?: RequirementRecords) => queueOf({ unclaimedInHours: 2, records });
  const ends = ({ queue }: ReturnType<typeof queueOf>) =>
    queue.deadlines.flatMap(({ what, requirement: { id }, at }) =>
      what === 'unclaimed' ? [`${id} ${new Date(at).toISOString()}`] : [],
    );
  const [AT_TWO, AT_THREE] = ['2026-01-31T14:00:00.000Z', '2026-01-31T15:00:00.000Z'];

  it('may be unclaimed for so long, and while somebody has claimed it', () => {
    const made = claimable();
    const { queue, raise, answer, takeBack } = made;
    for (const about of ['a', 'b', 'c']) raise(about);
    expect(ends(made)).toEqual([`a ${AT_TWO}`, `b ${AT_TWO}`, `c ${AT_TWO}`]);
    queue.setClaims('a', { claim: { actor: 'olga', until: AT_THREE } });
    queue.setClaims('b', { claim: { actor: 'olga', until: AT_ONE } });
    answer('c');
    expect(ends(made)).toEqual([`a ${AT_THREE}`, `b ${AT_TWO}`]);
    queue.setClaims('a', { claim: undefined });
    takeBack('c');
    expect(ends(made)).toEqual([`a ${AT_TWO}`, `b ${AT_TWO}`, `c ${AT_TWO}`]);
  });

  it('is reported once, in this run and the next', () => {
    const { queue, raise, said, counted, published } = claimable();
    for (const about of ['a', 'b']) raise(about);
    const [a] = queue.open;
    if (a) queue.reportLate(a, 'unclaimed');
    expect([said.at(-1), published.at(-1)]).toEqual([
      'requirement-unclaimed: a: Why?',
      'requirement.unclaimed.v1 a',
    ]);
    expect(counted.at(-1)).toEqual({ kind: 'underwriting-note' });
    expect(inTime(queue)).toEqual(['a', 'b']);
    const next = claimable(JSON.parse(JSON.stringify(queue.records)));
    expect([ends({ ...next, queue }), ends(next)]).toEqual([[`b ${AT_TWO}`], [`b ${AT_TWO}`]]);
  });

  it('is not reported by default', () => {
    const { queue, raise } = queueOf();
    raise('a');
    queue.setClaims('a', { claim: { actor: 'olga', until: AT_ONE } });
    expect(queue.deadlines.map(({ what }) => what)).toEqual(['overdue']);
  });
});

it('a claim goes with the answer, and cannot be made after it', () => {
  const claim = { actor: 'olga', until: AT_ONE };
  const { queue, raise, answer, takeBack } = queueOf();
  raise('a');
  queue.setClaims('a', { claim });
  answer('a');
  queue.setClaims('a', { claim });
  takeBack('a');
  expect([queue.claimsOf('a').claim, queue.openWithClaims[0]]).toEqual([undefined, queue.open[0]]);
  queue.setClaims('never', { claim });
  expect(queue.claimsOf('never')).toEqual({});
});

it('the next run goes on with every state, and with the numbers', async () => {
  const before = queueOf();
  for (const about of ['open', 'answered', 'late']) before.raise(about);
  before.answer('answered');
  before.queue.setClaims('open', { claim: { actor: 'olga', until: AT_ONE } });
  const late = before.queue.open.find(({ id }) => id === 'late');
  if (late) before.queue.reportLate(late, 'overdue');
  const after = queueOf({ records: JSON.parse(JSON.stringify(before.queue.records)) });
  expect(after.ids()).toEqual({ open: ['open', 'late'], answered: ['answered'], unsent: ['answered'] });
  expect(after.queue.openWithClaims).toEqual(before.queue.openWithClaims);
  expect(inTime(after.queue)).toEqual(['open']);
  expect([after.raise('open'), after.raise()]).toEqual(['open-2', 'underwriting-note-5']);
});

it('an answer that abandons throws with its masked reason', () => {
  const given = { requirementId: 'a', actor: 'olga', reason: 'SSN 123-45-6789' };
  const abandoned = () => unlessAbandoned({ ...given, answer: { kind: 'abandon' } });
  expect(abandoned).toThrow(new Abandoned('SSN ***-**-6789'));
  expect(unlessAbandoned({ ...given, answer: { kind: 'retry' } })).toEqual({ kind: 'retry' });
});

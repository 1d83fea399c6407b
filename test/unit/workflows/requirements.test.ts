import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer, AnswerKind, FourEyes } from '../../../src/messages/requirements.js';
import { answeredOfKind, openOfKind } from '../../../src/workflows/runtime/reducer.js';
import {
  Abandoned,
  acceptAnswer,
  answeredRequirements,
  closeRequirements,
  collaborationOn,
  deadlinesIn,
  dropAnswer,
  dropAnswers,
  findAbandonment,
  markSending,
  openRequirements,
  openWithClaims,
  raiseRequirement,
  removeAnswered,
  reportDeadline,
  requireNotAbandoned,
  setClaims,
  takeBackAnswer,
  unsentIds,
  withdrawRequirement,
} from '../../../src/workflows/runtime/requirements.js';
import { addUnfinishedWrite, type PendingAnswer } from '../../../src/workflows/runtime/state.js';
import { stoppedAt } from '../../rigs/clock.js';
import { type CellOptions, cellOf, jsonOf } from './stores.js';

const NOON = '2026-01-31T12:00:00.000Z';
const AT_ONE = '2026-01-31T13:00:00.000Z';

beforeEach(() => stoppedAt(NOON));

interface Options extends CellOptions {
  readonly unclaimedInHours?: number;
  readonly isPartlySent?: (answered: PendingAnswer) => boolean;
}

/** Requirements whose people have an hour, with what was written into the timeline and what was published. */
function queueOf({ unclaimedInHours, isPartlySent = () => false, ...more }: Options = {}) {
  const { store, counted, published, said } = cellOf({ dueInHours: 1, ...more });
  const update = store.update.bind(store);
  const raise = (about?: string, kind: 'ticket' | 'underwriting-note' = 'underwriting-note') => {
    const texts = { title: 'Why?', detail: 'Why now?', answers: ['text'] } as const;
    update(raiseRequirement({ ...(about && { about }), kind, ...texts }));
    return openRequirements(store.state).at(-1)?.id;
  };
  const BY_OLGA = { actor: 'olga', reason: 'SSN 123-45-6789' };
  const answer = (requirementId: string, input: Answer = { kind: 'text', text: 'Yes.' }) =>
    update(acceptAnswer({ requirementId, answer: input, ...BY_OLGA }));
  const takeBack = (requirementId: string) =>
    update(takeBackAnswer({ requirementId, answer: { kind: 'take-back' }, ...BY_OLGA }));
  const send = (id: string) =>
    update(
      markSending(
        answeredRequirements(store.state).filter(({ requirement }) => requirement.id === id),
        ['sent/a.pdf', 'request the review'],
      ),
    );
  const sent = (id: string) =>
    update(markSending(answeredRequirements(store.state).filter(({ requirement }) => requirement.id === id)));
  const dropUndelivered = (unknown: readonly string[]) => {
    const concerns = ({ requirement }: PendingAnswer) => requirement.kind === 'underwriting-note';
    for (const write of unknown) update(addUnfinishedWrite(write, { write, outcome: 'uncertain' }));
    update(dropAnswers(concerns, 'the partner decided', (_, answered) => isPartlySent(answered)));
  };
  const queue = {
    get open() {
      return openRequirements(store.state);
    },
    get answered() {
      return answeredRequirements(store.state);
    },
  };
  const deadlines = () => deadlinesIn(store.state, unclaimedInHours);
  const ids = () => ({
    open: queue.open.map(({ id }) => id),
    answered: queue.answered.map(({ requirement }) => requirement.id),
    unsent: unsentIds(store.state),
  });
  /** What the next run gets. */
  const next = () => jsonOf(store.state.requirements);
  const labels = () => counted.map((count) => count.labels);
  return {
    store,
    queue,
    said,
    labels,
    published,
    raise,
    answer,
    takeBack,
    send,
    sent,
    update,
    dropUndelivered,
    deadlines,
    ids,
    next,
  };
}

/** The IDs of those that are not overdue yet. */
const inTime = ({ deadlines }: Pick<ReturnType<typeof queueOf>, 'deadlines'>) =>
  deadlines().flatMap(({ what, requirement: { id } }) => (what === 'overdue' ? [id] : []));

const NOTHING = { open: [], answered: [], unsent: [] };

// Proves F4.
describe('a requirement that is raised', () => {
  it('is due after the hours that people have, and is in timeline, counter and events', () => {
    const { queue, raise, said, labels, published } = queueOf();
    expect(raise('note-1')).toBe('note-1');
    const dates = { raisedAt: NOON, dueAt: AT_ONE };
    const texts = { title: 'Why?', detail: 'Why now?', answers: ['text'] };
    const question = { id: 'note-1', about: 'note-1', kind: 'underwriting-note', ...texts, ...dates };
    expect(queue.open).toEqual([question]);
    expect([said(), labels()]).toEqual([
      ['requirement-raised: note-1: Why?'],
      [{ kind: 'underwriting-note' }],
    ]);
    expect(published).toEqual(['requirement.raised.v1 note-1']);
  });

  // Alone catches that the rule covers the wrong answers, or ones that nobody could ever give.
  it.each<[FourEyes, AnswerKind[] | undefined]>([
    [[], undefined],
    [['ticket'], undefined],
    [['one-time-code'], ['retry', 'abandon']],
    [['abandon'], ['abandon']],
    [['retry', 'ticket'], ['retry']],
  ])('under the rule %j needs two people for %j', (fourEyes, output) => {
    const { store } = cellOf({ fourEyes });
    const texts = { title: 'Why?', detail: 'Why now?' };
    store.update(
      raiseRequirement({ kind: 'one-time-code', ...texts, answers: ['code', 'retry', 'abandon'] }),
    );
    expect(openRequirements(store.state)[0]?.fourEyes).toEqual(output);
  });

  it('has a number of its own when it is asked again, and without a name the number of all', () => {
    const { raise } = queueOf({ idPrefix: 'business-' });
    expect([raise('note-1'), raise(undefined, 'ticket')]).toEqual(['note-1', 'business-ticket-2']);
    expect([raise('note-1'), raise()]).toEqual(['note-1-2', 'business-underwriting-note-4']);
  });
});

describe('an answer', () => {
  it('waits until it is settled, in the order of the answers', () => {
    const { queue, raise, answer, said, ids, update } = queueOf();
    for (const about of ['a', 'b', 'c']) raise(about);
    answer('c');
    answer('a');
    expect(ids()).toEqual({ open: ['b'], answered: ['c', 'a'], unsent: ['c', 'a'] });
    expect(said().at(-1)).toBe('requirement-resolved: a: text: Yes. | olga: SSN ***-**-6789');
    expect(queue.answered[1]).toMatchObject({ requirement: { id: 'a' }, resolution: { actor: 'olga' } });
    for (const id of ['a', 'b']) update(removeAnswered(id));
    expect(ids()).toMatchObject({ open: ['b'], answered: ['c'] });
  });

  it('is found among those of its kind, and one that abandons among the kinds that end the workflow', () => {
    const { store, queue, raise, answer } = queueOf();
    raise('note-1');
    raise('ticket-1', 'ticket');
    answer('ticket-1', { kind: 'abandon' });
    const kinds = ['ticket', 'underwriting-note'] as const;
    const idsOf = (matches: typeof queue.answered) => matches.map(({ requirement: { id } }) => id);
    expect(kinds.map((kind) => idsOf(answeredOfKind(queue, kind)))).toEqual([['ticket-1'], []]);
    expect(kinds.map((kind) => openOfKind(queue, kind).map(({ id }) => id))).toEqual([[], ['note-1']]);
    answer('note-1');
    expect(findAbandonment(store.state, ['underwriting-note'])).toBeUndefined();
    expect(findAbandonment(store.state, kinds)).toMatchObject({ requirement: { id: 'ticket-1' } });
  });

  it('that comes twice, or after the end, is refused', () => {
    const { update, raise, answer, said } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    expect(() => answer('a')).toThrow('a is not open');
    update(removeAnswered('a'));
    update(withdrawRequirement('b', 'the partner has moved on'));
    for (const id of ['a', 'b', 'never']) expect(() => answer(id)).toThrow(`${id} is not open`);
    expect(said().filter((line) => line.startsWith('requirement-resolved'))).toHaveLength(1);
  });

  it('is taken back once, and the requirement is the newest open one', () => {
    const { raise, answer, takeBack, said, ids } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    takeBack('a');
    expect(ids()).toEqual({ open: ['b', 'a'], answered: [], unsent: [] });
    expect(said().at(-1)).toBe('answer-taken-back: a | olga: SSN ***-**-6789');
    expect(() => takeBack('a')).toThrow('a has no answer to take back');
    answer('a');
    expect(ids()).toMatchObject({ open: ['b'], answered: ['a'] });
  });

  it('that is on its way is not taken back until its write has left it', () => {
    const { raise, answer, takeBack, send, sent, ids } = queueOf();
    raise('a');
    raise('b');
    answer('a');
    answer('b');
    send('a');
    expect(ids()).toEqual({ open: [], answered: ['a', 'b'], unsent: ['b'] });
    expect(() => takeBack('a')).toThrow('a has no answer to take back');
    sent('a');
    expect(ids().unsent).toEqual(['a', 'b']);
    takeBack('a');
    expect(ids().open).toEqual(['a']);
  });

  it('that is settled while it is on its way is gone afterwards', () => {
    const { update, raise, answer, send, sent, ids, takeBack } = queueOf();
    raise('a');
    answer('a');
    send('a');
    update(removeAnswered('a'));
    sent('a');
    expect(ids()).toEqual(NOTHING);
    expect(() => takeBack('a')).toThrow('a has no answer to take back');
  });
});

describe('an end', () => {
  it.each([
    [withdrawRequirement, 'closes an open requirement', 'requirement-closed: a', [], ['b']],
    [dropAnswer, 'drops an answer', 'answer-dropped: b', ['a'], []],
  ] as const)('(%o) %s once, and nothing else', (how, _, line, open, answered) => {
    const { update, raise, answer, said, ids } = queueOf();
    raise('a');
    raise('b');
    answer('b');
    for (const id of ['a', 'b', 'a', 'b', 'never']) update(how(id, 'the partner has moved on'));
    expect(ids()).toEqual({ open, answered, unsent: answered });
    expect(said().slice(3)).toEqual([`${line}: the partner has moved on`]);
  });

  it.each([
    ['request the review', false, 'while it was in flight; whether it arrived is unknown'],
    ['request the review', true, 'while it was in flight; whether it arrived is unknown'],
    ['sent/a.pdf', true, 'while it was in flight; whether it arrived is unknown'],
    ['reply to ticket-1', false, 'before it was delivered'],
    ['sent/a.pdf, as a beginning', false, 'before it was delivered'],
    ['reply to ticket-1', true, 'after a document was uploaded, but before the review was requested'],
  ])('says what arrived after the unknown end of %s, with a document there: %s', (...row) => {
    const [unknown, isPartlySent, when] = row;
    const { dropUndelivered, raise, answer, send, said, ids } = queueOf({
      isPartlySent: ({ requirement }) => isPartlySent && requirement.id === 'sent',
    });
    for (const about of ['sent', 'kept', 'open']) raise(about);
    raise('ticket-1', 'ticket');
    for (const id of ['sent', 'kept', 'ticket-1']) answer(id);
    send('sent');
    dropUndelivered([unknown]);
    const stored = 'answer-dropped: kept: the partner decided before it was delivered';
    expect(said().slice(7)).toEqual([`answer-dropped: sent: the partner decided ${when}`, stored]);
    expect(ids()).toEqual({ open: ['open'], answered: ['ticket-1'], unsent: ['ticket-1'] });
  });

  it.each([
    [true, []],
    [false, ['answer-dropped: last: the onboarding ended before it was delivered']],
  ])('closes what is open, and drops each answer but the one it obeys: %s', (isAbandoned, more) => {
    const { update, raise, answer, said } = queueOf();
    for (const about of ['open', 'kept', 'last']) raise(about);
    answer('kept');
    answer('last', { kind: 'abandon' });
    update(closeRequirements(isAbandoned, () => false));
    expect(said().slice(5)).toEqual([
      'requirement-closed: open: the onboarding has ended',
      'answer-dropped: kept: the onboarding ended before it was delivered',
      ...more,
    ]);
  });

  it('by the partner drops the answer to abandon that came while a write in flight ended', () => {
    const { dropUndelivered, raise, answer, said, ids } = queueOf();
    raise('last');
    answer('last', { kind: 'abandon' });
    dropUndelivered([]);
    expect(said().at(-1)).toBe('answer-dropped: last: the partner decided before it was delivered');
    expect(ids().answered).toEqual([]);
  });
});

it('a requirement that is late in both ways is reported once in each, and the next run knows both', () => {
  const before = queueOf({ unclaimedInHours: 0.5 });
  for (const about of ['a', 'b', 'c']) before.raise(about);
  const late = ({ deadlines }: Pick<typeof before, 'deadlines'>) =>
    deadlines().map(({ what, requirement }) => `${requirement.id} ${what}`);
  const [a, b] = before.queue.open;
  for (const [requirement, what] of [
    [a, 'unclaimed'],
    [a, 'overdue'],
    [b, 'overdue'],
  ] as const)
    if (requirement) before.update(reportDeadline(requirement, what));
  expect(late(before)).toEqual(['c overdue', 'b unclaimed', 'c unclaimed']);
  const claim = { actor: 'pete', until: AT_ONE };
  const proposed = {
    requirementId: 'b',
    answer: { kind: 'text', text: 'Yes.' },
    actor: 'pete',
    reason: 'so',
    at: NOON,
  } as const;
  before.update(setClaims('b', { claim, proposed }));
  let requirements = before.next();
  for (const run of ['second', 'third']) {
    const after = queueOf({ unclaimedInHours: 0.5, requirements });
    expect(late(after), run).toEqual(['c overdue', 'b unclaimed', 'c unclaimed']);
    expect(collaborationOn(after.store.state, 'b')).toMatchObject({ claim, proposed });
    requirements = after.next();
    expect(requirements).toEqual(before.next());
    // What is asked again goes on with its number.
    expect([after.raise('a'), after.raise()]).toEqual(['a-2', 'underwriting-note-5']);
  }
});

it('an overdue requirement is reported once, even when its answer is taken back', () => {
  const make = queueOf();
  const { queue, raise, answer, takeBack, said, published, update } = make;
  raise('a');
  raise('b');
  const [a] = queue.open;
  if (a) update(reportDeadline(a, 'overdue'));
  expect(inTime(make)).toEqual(['b']);
  const reported = ['requirement-overdue: a: Why?', 'requirement.overdue.v1 a'];
  expect([said().at(-1), published.at(-1)]).toEqual(reported);
  answer('a');
  takeBack('a');
  answer('b');
  expect(inTime(make)).toEqual([]);
  takeBack('b');
  expect(inTime(make)).toEqual(['b']);
});

describe('a requirement that has to be claimed within two hours', () => {
  const claimable = (requirements?: CellOptions['requirements']) =>
    queueOf({ unclaimedInHours: 2, requirements });
  const ends = ({ deadlines }: Pick<ReturnType<typeof queueOf>, 'deadlines'>) =>
    deadlines().flatMap(({ what, requirement: { id }, at }) =>
      what === 'unclaimed' ? [`${id} ${new Date(at).toISOString()}`] : [],
    );
  const [AT_TWO, AT_THREE] = ['2026-01-31T14:00:00.000Z', '2026-01-31T15:00:00.000Z'];

  it('may be unclaimed for so long, and while somebody has claimed it', () => {
    const make = claimable();
    const { update, raise, answer, takeBack } = make;
    for (const about of ['a', 'b', 'c']) raise(about);
    expect(ends(make)).toEqual([`a ${AT_TWO}`, `b ${AT_TWO}`, `c ${AT_TWO}`]);
    update(setClaims('a', { claim: { actor: 'olga', until: AT_THREE } }));
    update(setClaims('b', { claim: { actor: 'olga', until: AT_ONE } }));
    answer('c');
    expect(ends(make)).toEqual([`a ${AT_THREE}`, `b ${AT_TWO}`]);
    update(setClaims('a', { claim: undefined }));
    takeBack('c');
    expect(ends(make)).toEqual([`a ${AT_TWO}`, `b ${AT_TWO}`, `c ${AT_TWO}`]);
  });

  it('is reported once, in this run and the next', () => {
    const make = claimable();
    const { queue, raise, said, labels, published, update } = make;
    for (const about of ['a', 'b']) raise(about);
    const [a] = queue.open;
    if (a) update(reportDeadline(a, 'unclaimed'));
    expect([said().at(-1), published.at(-1)]).toEqual([
      'requirement-unclaimed: a: Why?',
      'requirement.unclaimed.v1 a',
    ]);
    expect(labels().at(-1)).toEqual({ kind: 'underwriting-note' });
    expect(inTime(make)).toEqual(['a', 'b']);
    expect([ends(make), ends(claimable(make.next()))]).toEqual([[`b ${AT_TWO}`], [`b ${AT_TWO}`]]);
  });

  it('is not reported by default', () => {
    const { deadlines, raise, update } = queueOf();
    raise('a');
    update(setClaims('a', { claim: { actor: 'olga', until: AT_ONE } }));
    expect(deadlines().map(({ what }) => what)).toEqual(['overdue']);
  });
});

it('a claim goes with the answer, and cannot be made after it', () => {
  const claim = { actor: 'olga', until: AT_ONE };
  const { store, queue, raise, answer, takeBack, update } = queueOf();
  raise('a');
  update(setClaims('a', { claim }));
  answer('a');
  update(setClaims('a', { claim }));
  takeBack('a');
  expect([collaborationOn(store.state, 'a').claim, openWithClaims(store.state)[0]]).toEqual([
    undefined,
    queue.open[0],
  ]);
  update(setClaims('never', { claim }));
  expect(collaborationOn(store.state, 'never')).toEqual({});
});

it('the next run goes on with every state, and with the numbers', () => {
  const before = queueOf();
  for (const about of ['open', 'answered', 'late']) before.raise(about);
  before.answer('answered');
  before.update(setClaims('open', { claim: { actor: 'olga', until: AT_ONE } }));
  const late = before.queue.open.find(({ id }) => id === 'late');
  if (late) before.update(reportDeadline(late, 'overdue'));
  const after = queueOf({ requirements: before.next() });
  expect(after.ids()).toEqual({ open: ['open', 'late'], answered: ['answered'], unsent: ['answered'] });
  expect(openWithClaims(after.store.state)).toEqual(openWithClaims(before.store.state));
  expect(inTime(after)).toEqual(['open']);
  expect([after.raise('open'), after.raise()]).toEqual(['open-2', 'underwriting-note-5']);
});

it('an answer that abandons throws with its masked reason', () => {
  const input = { requirementId: 'a', actor: 'olga', reason: 'SSN 123-45-6789' };
  const abandoned = () => requireNotAbandoned({ ...input, answer: { kind: 'abandon' } });
  expect(abandoned).toThrow(new Abandoned('SSN ***-**-6789'));
  expect(requireNotAbandoned({ ...input, answer: { kind: 'retry' } })).toEqual({ kind: 'retry' });
});

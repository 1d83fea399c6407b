import { describe, expect, it } from 'vitest';
import type { ProfileSnapshot } from '../../../../src/messages/banking-activities.js';
import {
  accountCommands,
  type BusinessContext,
  type BusinessState,
  INITIAL_BUSINESS_STATE,
  isAccepted,
  planBusiness,
  reduceBusiness,
  reduceDelivery,
  stageOf,
} from '../../../../src/workflows/business/decisions.js';
import { answer, lines, requirement } from '../boarding/values.js';
import {
  asksOn,
  context,
  correction,
  HOUR,
  leadsTo,
  NOW,
  read,
  state,
  ticket,
  ticketAsked,
} from './values.js';

const NEW = { bankingStatus: 'New', phase: 'new' } as const;
const APPROVED = { bankingStatus: 'Approved', phase: 'approved' } as const;
const DENIED = { bankingStatus: 'Denied', phase: 'declined' } as const;
const PROBLEMS = [{ field: 'holder.ssn', message: 'is missing' }];

const QUESTION =
  'ask locked-profile: Banking profile 3001 is locked. Ask the partner why, and have it unlocked: this requirement then ' +
  'closes by itself.';

describe('a read of the profile', () => {
  const inReview = (...more: string[]) => ['partnerStatus is InReview', ...more, 'stage is underwriting'];
  const [FIRST, LOCKED] = ['status-changed: InReview', { isLocked: true }];
  const OPENING = ['partnerStatus is Approved', 'status-changed: Approved', 'stage is opening'];
  it.each<[string, Partial<ProfileSnapshot>, Partial<BusinessState>, string[]]>([
    ['a new status', APPROVED, {}, OPENING],
    ['nothing new', {}, {}, inReview()],
    ['the first status', {}, { seen: null }, inReview(FIRST)],
    ['a lock', LOCKED, {}, inReview('profile-locked', QUESTION)],
    ['a lock at the first read', LOCKED, { seen: null }, inReview(FIRST, 'profile-locked', QUESTION)],
    ['no lock again', LOCKED, { seen: read(LOCKED) }, inReview(QUESTION)],
    ['the end of a lock', {}, { seen: read(LOCKED) }, inReview('profile-unlocked')],
  ])('shows in state and timeline %s', (_, now, before, rows) => {
    expect(leadsTo(now, before, { wantsAccount: true })).toEqual(rows);
  });

  it.each([
    ['a new account', 'fa-1', undefined, ['financialAccountId is fa-1', 'financial-account-opened: fa-1']],
    ['another account', 'fa-2', 'fa-1', ['financialAccountId is fa-2', 'financial-account-opened: fa-2']],
    ['a known account', 'fa-1', 'fa-1', []],
    ['no account', null, 'fa-1', []],
  ])('records %s once', (_, text, financialAccountId, recorded) => {
    expect(lines(accountCommands(text, { financialAccountId }))).toEqual(recorded);
    const all = leadsTo({ financialAccountId: text }, {}, { financialAccountId });
    expect(all.filter((line) => line.startsWith('financial'))).toEqual(recorded);
  });

  it.each<[string, Partial<ProfileSnapshot>, Partial<BusinessState>, Partial<BusinessContext>, string[]]>([
    ['in review', {}, {}, {}, ['underwriting']],
    ['new, with problems', NEW, { problems: PROBLEMS }, {}, ['applying']],
    ['new, of an unknown past', NEW, { problems: null }, {}, ['applying']],
    ['new, once corrected', NEW, { problems: [] }, {}, ['underwriting']],
    ['in review, with problems', {}, { problems: PROBLEMS }, {}, ['applying']],
    ['in review, of an unknown past', {}, { problems: null }, {}, ['underwriting']],
    ['approved without its account', APPROVED, {}, { wantsAccount: true }, ['opening']],
    ['approved with an account', { ...APPROVED, financialAccountId: 'fa-1' }, {}, { wantsAccount: true }, []],
    ['approved', APPROVED, {}, {}, []],
    ['denied', DENIED, {}, { wantsAccount: true }, []],
  ])('enters the stage of a profile that is %s', (_, now, before, more, stages) => {
    const entered = leadsTo(now, before, more).filter((line) => line.startsWith('stage'));
    expect(entered).toEqual(stages.map((stage) => `stage is ${stage}`));
  });

  it.each([
    ['not known', null, {}, []],
    ['not known', null, NEW, null],
    ['found', PROBLEMS, {}, PROBLEMS],
    ['found', PROBLEMS, NEW, PROBLEMS],
  ])('is remembered, with problems of the holder that are %s: %j, %j', (_, problems, now, stored) => {
    const tickets = [ticket(7)];
    const { state: next } = reduceBusiness(state({ problems }), read({ ...now, tickets }), context());
    expect(next).toEqual({ ...INITIAL_BUSINESS_STATE, seen: read({ ...now, tickets }), problems: stored });
  });

  it('shows the stage by what was read', () => {
    expect(stageOf(INITIAL_BUSINESS_STATE, context())).toBe('underwriting');
    expect(stageOf(state({ problems: PROBLEMS, seen: null }), context())).toBe('applying');
  });
});

describe('a locked profile', () => {
  const question = requirement('l-1', 'locked-profile');
  const CLOSED = 'close l-1: the partner unlocked the profile';

  it.each<[string, boolean, Partial<BusinessContext>, string[]]>([
    ['is a question', true, {}, [QUESTION]],
    ['is asked once', true, { open: [question] }, []],
    ['closes its question when it is unlocked', false, { open: [question] }, [CLOSED]],
    ['keeps an answer', false, { answered: [answer(question)] }, []],
  ])('%s', (_, isLocked, more, commands) => {
    expect(asksOn({ isLocked }, {}, more)).toEqual(commands);
  });

  it('can only be abandoned', () => {
    const { commands } = reduceBusiness(state(), read({ isLocked: true }), context());
    const question = { title: 'The partner locked the profile', answers: ['abandon'] };
    expect(commands).toContainEqual({ ask: expect.objectContaining(question) });
  });
});

describe('a followed business that reads as new', () => {
  const followed = { isFollowed: true };
  const question = requirement('s-1', 'not-submitted');
  const SENDING = { running: ['holder'], answered: [answer(question)] };
  const CLOSED = 'close s-1: the partner has moved on';

  const detail =
    'Banking profile 3001 (“Corner Bakery”) reads as New: nobody has submitted it, or the bank rejected its holder. ' +
    'Gangway follows it, and submits nothing by itself. Submit it at the bank: this requirement then closes by itself. ' +
    'Or correct it with the complete holder, which Gangway then sends.';

  it('is a question that takes the complete holder', () => {
    const { commands } = reduceBusiness(state(), read(NEW), context(followed));
    const question = { kind: 'not-submitted', title: 'Not submitted, or rejected by the bank', detail };
    const blank = { holder: { '': '' } };
    expect(commands).toContainEqual({ ask: { ...question, answers: ['correction', 'abandon'], blank } });
  });

  it.each<[string, Partial<ProfileSnapshot>, Partial<BusinessContext>, string[]]>([
    ['is not followed', NEW, {}, []],
    ['is asked about', NEW, { ...followed, open: [question] }, []],
    ['has an answer', NEW, { ...followed, answered: [answer(question)] }, []],
    ['is being corrected', NEW, { ...followed, running: ['holder'] }, []],
    ['has moved on', {}, followed, []],
    ['has moved on while it was asked about', {}, { ...followed, open: [question] }, [CLOSED]],
    ['has moved on before the answer went out', {}, { ...followed, answered: [answer(question)] }, [CLOSED]],
    ['has moved on while it is sent', {}, { ...followed, ...SENDING }, []],
    [
      'waits with something else',
      NEW,
      { ...followed, running: ['ticket-7'] },
      [`ask not-submitted: ${detail}`],
    ],
  ])('is a question, or none, when it %s', (_, now, more, commands) => {
    expect(asksOn(now, {}, more)).toEqual(commands);
  });

  it('is accepted when it reads otherwise', () => {
    const unclear = read({ bankingStatus: 'Unknown', phase: 'under-review' });
    const reads = [null, read(NEW), unclear, read(), read(APPROVED)];
    expect(reads.map((seen) => isAccepted(state({ seen })))).toEqual([false, false, false, true, true]);
  });

  it('is asked about again after a response without a status', () => {
    const unclear = read({ bankingStatus: 'Unknown', phase: 'under-review' });
    const { state: next } = reduceBusiness(state({ seen: read(NEW), problems: null }), unclear, context());
    expect(next.problems).toBe(null);
  });
});

const WANTED = { wantsAccount: true, financialAccountId: 'fa-1' };
const CLOSED = { bankingStatus: 'Closed', phase: 'closed' } as const;
const CANCELLED = { bankingStatus: 'Cancelled', phase: 'withdrawn' } as const;
it.each<
  [
    string,
    Partial<ProfileSnapshot> | null,
    Partial<BusinessContext>,
    outcome?: string,
    account?: string | null,
  ]
>([
  ['that was not read', null, {}],
  ['that the bank has not decided', {}, {}],
  ['whose holder is not accepted', NEW, {}],
  ['whose account is not open', APPROVED, { wantsAccount: true }],
  ['that has its account', APPROVED, WANTED, 'onboarded', 'fa-1'],
  ['that needs no account', APPROVED, {}, 'onboarded', null],
  ['that needs no account after another decision', DENIED, { wantsAccount: true }, 'declined', null],
  ['that the bank closed', CLOSED, WANTED, 'closed', 'fa-1'],
  ['that was withdrawn', CANCELLED, WANTED, 'withdrawn', 'fa-1'],
])('the end of a business %s: %j', (_, now, more, outcome, financialAccountId) => {
  const ids = { profileId: 3001, financialAccountId, bankingStatus: now?.bankingStatus };
  const ended = outcome && { outcome: { outcome, ...ids }, commands: [] };
  expect(planBusiness(state({ seen: now && read(now) }), context(more)).end).toEqual(ended);
});

describe('what begins next', () => {
  const reply = answer(ticketAsked(7));
  const other = answer(ticketAsked(8));
  const corrected = correction(ticketAsked(9));
  const later = correction(ticketAsked(10));
  const submission = correction(requirement('s-1', 'not-submitted'));
  const sent = (answered: typeof reply) => ({
    task: answered.requirement.id,
    begin: 'reply',
    answered,
    text: 'So.',
  });
  const holder = (answered: typeof reply) => ({ task: 'holder', begin: 'correction', answered });
  const problems = { task: 'holder', begin: 'problems' };
  const [account, late] = ['account', 'late tickets'].map((task) => ({ task, begin: task }));
  const ofSteps = [correction(requirement('r-1', 'rejected-input')), answer(requirement('r-2', 'waiting'))];

  it.each<[string, Partial<BusinessState>, Partial<BusinessContext>, unknown[]]>([
    ['nothing', {}, {}, []],
    ['nothing of what is open', {}, { open: [ticketAsked(7)] }, []],
    ['each reply by itself', {}, { answered: [reply, other] }, [sent(reply), sent(other)]],
    ['the first correction', {}, { answered: [corrected, later, submission] }, [holder(corrected)]],
    ['a reply and a correction', {}, { answered: [corrected, reply] }, [sent(reply), holder(corrected)]],
    ['the holder of a followed business', {}, { answered: [submission] }, [holder(submission)]],
    ['nothing for a question of a step', {}, { answered: ofSteps }, []],
    ['the problems of the holder first', { problems: PROBLEMS }, { answered: [corrected] }, [problems]],
    // Of an unknown past.
    ['the holder of a profile that reads as new', { problems: null, seen: read(NEW) }, {}, [problems]],
    ['nothing of such a profile otherwise', { problems: null }, {}, []],
    ['nothing of such a profile before it is read', { problems: null, seen: null }, {}, []],
    ['the account of an approved business', { seen: read(APPROVED) }, { wantsAccount: true }, [account]],
    ['no account before the approval', {}, { wantsAccount: true }, []],
    ['no second account', { seen: read(APPROVED) }, { wantsAccount: true, financialAccountId: 'fa-1' }, []],
    ['a read of a ticket that is late', { answered: { 'ticket-7': { detail: '', until: NOW } } }, {}, [late]],
    ['no read of a ticket in time', { answered: { 'ticket-7': { detail: '', until: NOW + 1 } } }, {}, []],
    ['no read of a ticket that is never late', { answered: { 'ticket-7': { detail: '' } } }, {}, []],
  ])('is %s', (_, before, more, due) => {
    expect(planBusiness(state(before), context(more)).pending).toEqual(due);
  });

  it.each<[string, readonly number[], number | undefined]>([
    ['no ticket is answered', [], undefined],
    ['the first of the answered tickets is late', [NOW + HOUR, NOW + 1, NOW + 2], NOW + 1],
    ['the next one is late, while others are read', [NOW, NOW + 5, NOW - 5], NOW + 5],
    ['none is late that is not read', [NOW, NOW - 5], undefined],
  ])('wakes when %s', (_, untils, wakeAt) => {
    const answered = Object.fromEntries(untils.map((until, index) => [`t-${index}`, { detail: '', until }]));
    expect(planBusiness(state({ answered }), context()).wakeAt).toBe(wakeAt);
  });

  it('compares reads with the last one, tickets by a hash of what they ask', () => {
    const seen = read({ tickets: [ticket(7, 'Why?', { asks: 'hash' })] });
    const { tickets: _, ...profile } = seen;
    expect(planBusiness(state({ seen }), context()).baseline).toEqual({ ...profile, tickets: { 7: 'hash' } });
    expect(planBusiness(state({ seen: null }), context()).baseline).toBeNull();
  });

  it('keeps the questions of tickets that the account cannot read, and acts on the status', () => {
    const before = state({ seen: read({ tickets: [ticket(7)] }) });
    const now = read({ bankingStatus: 'Submitted', isWithoutTickets: true });
    const { state: next, commands } = reduceBusiness(before, now, context({ open: [ticketAsked(7)] }));
    expect(next.seen).toEqual(read({ bankingStatus: 'Submitted', tickets: [ticket(7)] }));
    expect(lines(commands).filter((line) => /^(ask|close|status)/.test(line))).toEqual([
      'status-changed: Submitted',
    ]);
  });

  const opening = (question: ReturnType<typeof requirement>) => ({
    running: ['account'],
    open: [ticketAsked(7), question],
  });
  it.each<[string, Partial<BusinessContext>, boolean]>([
    ['nothing runs', {}, true],
    ['a reply is on its way', { running: ['ticket-7', 'holder', 'late tickets'] }, true],
    ['the account is being opened', { running: ['account'] }, false],
    ['it is, and a ticket is open', opening(requirement('l', 'locked-profile')), false],
    ['a person is asked about the account', opening(requirement('u-1', 'uncertain-write')), true],
  ])('reads on while %s: %s', (_, more, is) => {
    expect(planBusiness(state(), context(more)).baseline !== undefined).toBe(is);
  });
});

describe('a delivered answer', () => {
  const question = ticketAsked(7, 'Why 7?', 'ticket-7-2');
  const delivered = (before: Partial<BusinessState>, replyId: number | null = null) => {
    const answered = [answer(question), answer(ticketAsked(8))];
    return reduceDelivery(state(before), question, replyId, context({ answered }));
  };

  it.each([
    ['a reply', 70, [1, 70]],
    ['another answer', null, [1]],
  ])('by %s is recorded, and counts for as long as a person has to answer', (_, id, replies) => {
    const seen = read({ tickets: [ticket(7)] });
    const { state: next, commands } = delivered({ seen, replies: [1] }, id);
    expect(lines(commands)).toEqual(['remove ticket-7-2', 'ticket-answered: ticket-7-2']);
    const answered = { 'ticket-7': { detail: 'Why 7?', until: NOW + HOUR } };
    expect(next).toEqual(state({ seen, answered, replies }));
  });

  it('to a ticket that asks something else by then is followed by another question', () => {
    const seen = read({ tickets: [ticket(7, 'And now?'), ticket(8)] });
    const { state: next, commands } = delivered({ seen });
    const again = 'ask ticket-7: And now?';
    expect(lines(commands)).toEqual(['remove ticket-7-2', 'ticket-answered: ticket-7-2', again]);
    expect(next).toMatchObject({ answered: {}, replies: [] });
  });

  it('is forgotten when the ticket is gone', () => {
    expect(delivered({}).state.answered).toEqual({});
    expect(delivered({ seen: null }).state.answered).toEqual({});
  });
});

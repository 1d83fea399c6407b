import { describe, expect, it } from 'vitest';
import type { ProfileSnapshot } from '../../../../src/messages/banking-activities.js';
import {
  isAccepted,
  NOTHING,
  next,
  onAccount,
  onDelivered,
  onRead,
  type Remembered,
  type Situation,
  stageOf,
} from '../../../../src/workflows/business/decisions.js';
import { answer, lines, requirement } from '../boarding/values.js';
import {
  asksOn,
  correction,
  HOUR,
  leadsTo,
  NOW,
  read,
  remembered,
  situation,
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
  it.each<[string, Partial<ProfileSnapshot>, Partial<Remembered>, string[]]>([
    ['a new status', APPROVED, {}, OPENING],
    ['nothing new', {}, {}, inReview()],
    ['the first status', {}, { seen: null }, inReview(FIRST)],
    ['a lock', LOCKED, {}, inReview('profile-locked', QUESTION)],
    ['a lock at the first read', LOCKED, { seen: null }, inReview(FIRST, 'profile-locked', QUESTION)],
    ['no lock again', LOCKED, { seen: read(LOCKED) }, inReview(QUESTION)],
    ['the end of a lock', {}, { seen: read(LOCKED) }, inReview('profile-unlocked')],
  ])('shows in state and timeline %s', (_, now, before, shown) => {
    expect(leadsTo(now, before, { wantsAccount: true })).toEqual(shown);
  });

  it.each([
    ['a new account', 'fa-1', undefined, ['financialAccountId is fa-1', 'financial-account-opened: fa-1']],
    ['another account', 'fa-2', 'fa-1', ['financialAccountId is fa-2', 'financial-account-opened: fa-2']],
    ['a known account', 'fa-1', 'fa-1', []],
    ['no account', null, 'fa-1', []],
  ])('records %s once', (_, shown, financialAccountId, recorded) => {
    expect(lines(onAccount(shown, { financialAccountId }))).toEqual(recorded);
    const all = leadsTo({ financialAccountId: shown }, {}, { financialAccountId });
    expect(all.filter((line) => line.startsWith('financial'))).toEqual(recorded);
  });

  it.each<[string, Partial<ProfileSnapshot>, Partial<Remembered>, Partial<Situation>, string[]]>([
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
  ])('is remembered, with problems of the holder that are %s: %j, %j', (_, problems, now, kept) => {
    const tickets = [ticket(7)];
    const { remember } = onRead(remembered({ problems }), read({ ...now, tickets }), situation());
    expect(remember).toEqual({ ...NOTHING, seen: read({ ...now, tickets }), problems: kept });
  });

  it('shows the stage by what was read', () => {
    expect(stageOf(NOTHING, situation())).toBe('underwriting');
    expect(stageOf(remembered({ problems: PROBLEMS, seen: null }), situation())).toBe('applying');
  });
});

describe('a locked profile', () => {
  const asked = requirement('l-1', 'locked-profile');
  const CLOSED = 'close l-1: the partner unlocked the profile';

  it.each<[string, boolean, Partial<Situation>, string[]]>([
    ['is a question', true, {}, [QUESTION]],
    ['is asked once', true, { open: [asked] }, []],
    ['closes its question when it is unlocked', false, { open: [asked] }, [CLOSED]],
    ['keeps an answer', false, { answered: [answer(asked)] }, []],
  ])('%s', (_, isLocked, more, decisions) => {
    expect(asksOn({ isLocked }, {}, more)).toEqual(decisions);
  });

  it('can only be abandoned', () => {
    const { decisions } = onRead(remembered(), read({ isLocked: true }), situation());
    const question = { title: 'The partner locked the profile', answers: ['abandon'] };
    expect(decisions).toContainEqual({ ask: expect.objectContaining(question) });
  });
});

describe('a followed business that reads as new', () => {
  const followed = { isFollowed: true };
  const asked = requirement('s-1', 'not-submitted');
  const SENDING = { running: ['holder'], answered: [answer(asked)] };
  const CLOSED = 'close s-1: the partner has moved on';

  const detail =
    'Banking profile 3001 (“Corner Bakery”) reads as New: nobody has submitted it, or the bank rejected its holder. ' +
    'Gangway follows it, and submits nothing by itself. Submit it at the bank: this requirement then closes by itself. ' +
    'Or correct it with the complete holder, which Gangway then sends.';

  it('is a question that takes the complete holder', () => {
    const { decisions } = onRead(remembered(), read(NEW), situation(followed));
    const question = { kind: 'not-submitted', title: 'Not submitted, or rejected by the bank', detail };
    const blank = { holder: { '': '' } };
    expect(decisions).toContainEqual({ ask: { ...question, answers: ['correction', 'abandon'], blank } });
  });

  it.each<[string, Partial<ProfileSnapshot>, Partial<Situation>, string[]]>([
    ['is not followed', NEW, {}, []],
    ['is asked about', NEW, { ...followed, open: [asked] }, []],
    ['has an answer', NEW, { ...followed, answered: [answer(asked)] }, []],
    ['is being corrected', NEW, { ...followed, running: ['holder'] }, []],
    ['has moved on', {}, followed, []],
    ['has moved on while it was asked about', {}, { ...followed, open: [asked] }, [CLOSED]],
    ['has moved on before the answer went out', {}, { ...followed, answered: [answer(asked)] }, [CLOSED]],
    ['has moved on while it is sent', {}, { ...followed, ...SENDING }, []],
    [
      'waits with something else',
      NEW,
      { ...followed, running: ['ticket-7'] },
      [`ask not-submitted: ${detail}`],
    ],
  ])('is a question, or none, when it %s', (_, now, more, decisions) => {
    expect(asksOn(now, {}, more)).toEqual(decisions);
  });

  it('is accepted when it reads otherwise', () => {
    const unclear = read({ bankingStatus: 'Unknown', phase: 'under-review' });
    const reads = [null, read(NEW), unclear, read(), read(APPROVED)];
    expect(reads.map((seen) => isAccepted(remembered({ seen })))).toEqual([false, false, false, true, true]);
  });

  it('is asked about again after a response without a status', () => {
    const unclear = read({ bankingStatus: 'Unknown', phase: 'under-review' });
    const { remember } = onRead(remembered({ seen: read(NEW), problems: null }), unclear, situation());
    expect(remember.problems).toBe(null);
  });
});

const WANTED = { wantsAccount: true, financialAccountId: 'fa-1' };
const CLOSED = { bankingStatus: 'Closed', phase: 'closed' } as const;
const CANCELLED = { bankingStatus: 'Cancelled', phase: 'withdrawn' } as const;
it.each<
  [string, Partial<ProfileSnapshot> | null, Partial<Situation>, outcome?: string, account?: string | null]
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
  const ended = outcome && { outcome: { outcome, ...ids }, decisions: [] };
  expect(next(remembered({ seen: now && read(now) }), situation(more)).ended).toEqual(ended);
});

describe('what begins next', () => {
  const reply = answer(ticketAsked(7));
  const other = answer(ticketAsked(8));
  const corrected = correction(ticketAsked(9));
  const later = correction(ticketAsked(10));
  const submission = correction(requirement('s-1', 'not-submitted'));
  const sent = (answered: typeof reply) => ({
    ...{ task: answered.requirement.id, begin: 'reply', answered, text: 'So.' },
  });
  const holder = (answered: typeof reply) => ({ task: 'holder', begin: 'correction', answered });
  const problems = { task: 'holder', begin: 'problems' };
  const [account, late] = ['account', 'late tickets'].map((task) => ({ task, begin: task }));
  const ofSteps = [correction(requirement('r-1', 'rejected-input')), answer(requirement('r-2', 'waiting'))];

  it.each<[string, Partial<Remembered>, Partial<Situation>, unknown[]]>([
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
    expect(next(remembered(before), situation(more)).due).toEqual(due);
  });

  it.each<[string, readonly number[], number | undefined]>([
    ['no ticket is answered', [], undefined],
    ['the first of the answered tickets is late', [NOW + HOUR, NOW + 1, NOW + 2], NOW + 1],
    ['the next one is late, while others are read', [NOW, NOW + 5, NOW - 5], NOW + 5],
    ['none is late that is not read', [NOW, NOW - 5], undefined],
  ])('wakes when %s', (_, untils, wakeAt) => {
    const answered = Object.fromEntries(untils.map((until, index) => [`t-${index}`, { detail: '', until }]));
    expect(next(remembered({ answered }), situation()).wakeAt).toBe(wakeAt);
  });

  it('compares reads with the last one, tickets by a hash of what they ask', () => {
    const seen = read({ tickets: [ticket(7, 'Why?', { asks: 'hash' })] });
    const { tickets: _, ...profile } = seen;
    expect(next(remembered({ seen }), situation()).compared).toEqual({ ...profile, tickets: { 7: 'hash' } });
    expect(next(remembered({ seen: null }), situation()).compared).toBeNull();
  });

  it('keeps the questions of tickets that the account cannot read, and acts on the status', () => {
    const before = remembered({ seen: read({ tickets: [ticket(7)] }) });
    const now = read({ bankingStatus: 'Submitted', isWithoutTickets: true });
    const { remember, decisions } = onRead(before, now, situation({ open: [ticketAsked(7)] }));
    expect(remember.seen).toEqual(read({ bankingStatus: 'Submitted', tickets: [ticket(7)] }));
    expect(lines(decisions).filter((line) => /^(ask|close|status)/.test(line))).toEqual([
      'status-changed: Submitted',
    ]);
  });

  const opening = (asked: ReturnType<typeof requirement>) => ({
    ...{ running: ['account'], open: [ticketAsked(7), asked] },
  });
  it.each<[string, Partial<Situation>, boolean]>([
    ['nothing runs', {}, true],
    ['a reply is on its way', { running: ['ticket-7', 'holder', 'late tickets'] }, true],
    ['the account is being opened', { running: ['account'] }, false],
    ['it is, and a ticket is open', opening(requirement('l', 'locked-profile')), false],
    ['a person is asked about the account', opening(requirement('u-1', 'uncertain-write')), true],
  ])('reads on while %s: %s', (_, more, is) => {
    expect(next(remembered(), situation(more)).compared !== undefined).toBe(is);
  });
});

describe('a delivered answer', () => {
  const asked = ticketAsked(7, 'Why 7?', 'ticket-7-2');
  const delivered = (before: Partial<Remembered>, replyId: number | null = null) => {
    const answered = [answer(asked), answer(ticketAsked(8))];
    return onDelivered(remembered(before), asked, replyId, situation({ answered }));
  };

  it.each([
    ['a reply', 70, [1, 70]],
    ['another answer', null, [1]],
  ])('by %s is recorded, and counts for as long as a person has to answer', (_, id, replies) => {
    const seen = read({ tickets: [ticket(7)] });
    const { remember, decisions } = delivered({ seen, replies: [1] }, id);
    expect(lines(decisions)).toEqual(['remove ticket-7-2', 'ticket-answered: ticket-7-2']);
    const answered = { 'ticket-7': { detail: 'Why 7?', until: NOW + HOUR } };
    expect(remember).toEqual(remembered({ seen, answered, replies }));
  });

  it('to a ticket that asks something else by then is followed by another question', () => {
    const seen = read({ tickets: [ticket(7, 'And now?'), ticket(8)] });
    const { remember, decisions } = delivered({ seen });
    const again = 'ask ticket-7: And now?';
    expect(lines(decisions)).toEqual(['remove ticket-7-2', 'ticket-answered: ticket-7-2', again]);
    expect(remember).toMatchObject({ answered: {}, replies: [] });
  });

  it('is forgotten when the ticket is gone', () => {
    expect(delivered({}).remember.answered).toEqual({});
    expect(delivered({ seen: null }).remember.answered).toEqual({});
  });
});

import { describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../../src/messages/boarding-activities.js';
import {
  type BoardingContext,
  type BoardingState,
  changesCommands,
  pendingTask,
  planBoarding,
  reduceBoarding,
  UNSUBMITTED_STATE,
} from '../../../../src/workflows/boarding/decisions.js';
import type { PendingAnswer } from '../../../../src/workflows/runtime/state.js';
import {
  answer,
  context,
  lines,
  MONDAY,
  note,
  noteAsked,
  read,
  requirement,
  seen,
  state,
  TUESDAY,
} from './values.js';

/** What a read leads to, as lines. */
function leadsTo(
  now: Partial<StatusSnapshot>,
  before: Partial<BoardingState> = {},
  more: Partial<BoardingContext> = {},
) {
  return lines(reduceBoarding(state(before), read(now), context(more)).commands);
}

/** The same without the facts that each read changes. */
const asksOn = (...read: Parameters<typeof leadsTo>) =>
  leadsTo(...read).filter((line) => /^(ask|close) /.test(line));

const IN_REVIEW = { status: 'Pending Review', phase: 'in-review' } as const;
const ON_HOLD = { status: 'On Hold', phase: 'other' } as const;
const WANTS_CHANGES = { status: 'RequestChanges', phase: 'changes-requested', comment: 'Lower it.' } as const;
const APPROVED = { status: 'Approved', phase: 'approved' } as const;
const NOT_SUBMITTED = { status: 'Not Submitted', phase: 'not-submitted' } as const;
const DECLINED = { status: 'Declined', phase: 'declined' } as const;
const BOARDED = { outcome: 'boarded', mid: '123', merchantProfileId: 1001 };
const VOLATILE = { volatile: { changes: {}, hasVolatileDate: true } };
const NEVER = 8.64e15;
const DELIVERED = { delivered: { 'n-1': { status: 'Pending', statusDate: MONDAY, until: NEVER } } };

describe('a read of the status', () => {
  const HM = { comment: 'Hm.' };
  const [AT_PENDING, UNDERWRITING] = ['partnerStatus is Pending', 'stage is underwriting'];
  const [UNSENT, SSN] = ['partnerStatus is Not Submitted', 'status-changed: Pending: SSN ***-**-6789?'];
  const HELD = ['partnerStatus is On Hold', 'status-changed: On Hold', UNDERWRITING];
  const INFO = ['partnerStatus is Pending Info', 'status-changed: Pending Info', UNDERWRITING];
  const DONE = ['partnerStatus is Approved', 'status-changed: Approved', 'stage is boarding'];
  const PENDING = [AT_PENDING, 'status-changed: Pending', UNDERWRITING];

  it.each<[string, Partial<StatusSnapshot>, Partial<BoardingState>, string[]]>([
    ['a new status', ON_HOLD, {}, HELD],
    ['another status that means the same', { status: 'Pending Info' }, {}, INFO],
    ['the stage of boarding', APPROVED, {}, DONE],
    ['nothing new', {}, {}, [AT_PENDING, UNDERWRITING]],
    ['nothing new after the creation', NOT_SUBMITTED, UNSUBMITTED_STATE, [UNSENT]],
    ['that a new merchant is pending before its submission', {}, UNSUBMITTED_STATE, PENDING.slice(0, 2)],
    ['its stage once it is submitted', {}, { ...UNSUBMITTED_STATE, submitted: true }, PENDING],
    ['a comment, masked', { comment: 'SSN 123-45-6789?' }, {}, [AT_PENDING, SSN, UNDERWRITING]],
    ['no comment again', HM, { seen: seen(HM) }, [AT_PENDING, UNDERWRITING]],
    ['that the comment is gone', {}, { seen: seen(HM) }, PENDING],
  ])('shows in state and timeline %s', (_, now, before, rows) => {
    expect(leadsTo(now, before)).toEqual(rows);
  });

  it.each([
    ['a temporary mid', { mid: '123' }, {}, '123'],
    ['anything in its place', { unclearMid: 'soon' }, {}, 'soon'],
    ['another one', { mid: '124' }, { mid: '123' }, '124'],
    ['the same one', { mid: '123' }, { mid: '123' }, null],
    ['the same text', { unclearMid: 'soon' }, { unclearMid: 'soon', mid: null }, null],
    ['a mid after a text', { mid: '123' }, { unclearMid: 'soon' }, '123'],
    ['none any more', {}, { mid: '123' }, null],
    ['an unclear mid of an approval', { ...APPROVED, unclearMid: 'soon' }, {}, null],
  ])('records %s once', (_, now, before, recorded) => {
    const temporary = leadsTo(now, { seen: seen(before) }).filter((line) => line.startsWith('temporary'));
    expect(temporary).toEqual(recorded ? [`temporary-mid: ${recorded}, not final before approval`] : []);
  });

  it('records once that a field changes with each read', () => {
    const volatile = { changes: { comment: 2, mid: 2 }, hasVolatileDate: false };
    const now = read({ comment: 'c', mid: '3' });
    const { state: next, commands } = reduceBoarding(
      state({ volatile }),
      now,
      context({ consecutiveChanges: 3 }),
    );
    expect(lines(commands)).toContain('volatile: changes with each read, no longer compared: comment, mid');
    const later = reduceBoarding(next, read({ comment: 'd', mid: '4' }), context({ consecutiveChanges: 4 }));
    expect(lines(later.commands).filter((line) => line.startsWith('volatile'))).toEqual([]);
    expect(planBoarding(later.state, context()).baseline).toEqual({
      phase: 'pending',
      status: 'Pending',
      statusDate: MONDAY,
      unclearMid: null,
      noteIds: [],
    });
  });

  it('is remembered', () => {
    const { state: next } = reduceBoarding(state(), read({ ...ON_HOLD, notes: [note('n-1')] }), context());
    expect(next).toEqual({
      seen: {
        status: 'On Hold',
        phase: 'other',
        statusDate: MONDAY,
        comment: null,
        mid: null,
        unclearMid: null,
        noteIds: ['n-1'],
      },
      submitted: true,
      delivered: {},
      uploaded: [],
      volatile: { changes: {}, hasVolatileDate: false },
    });
  });
});

describe('a decision of the partner', () => {
  const ended = (outcome: string, comment: string | null = null) => ({
    outcome,
    comment,
    merchantProfileId: 1001,
  });
  it.each<[Partial<StatusSnapshot>, object | undefined]>([
    [{ ...APPROVED, mid: '123' }, BOARDED],
    [{ ...DECLINED, comment: 'Not him: 123-45-6789.' }, ended('declined', 'Not him: ***-**-6789.')],
    [{ status: 'Withdrawn', phase: 'withdrawn' }, ended('withdrawn')],
    [{ status: 'Closed', phase: 'closed' }, ended('closed')],
    [APPROVED, undefined],
    [{ ...APPROVED, unclearMid: 'soon' }, undefined],
    [IN_REVIEW, undefined],
    [{ mid: '123' }, undefined],
  ])('of %j ends the boarding with %j', (now, outcome) => {
    const { state: next } = reduceBoarding(state(), read(now), context());
    expect(planBoarding(next, context()).end?.outcome).toEqual(outcome);
  });

  it('shows the final mid', () => {
    const rows = ['partnerStatus is Approved', 'status-changed: Approved', 'mid is 123'];
    expect(leadsTo({ ...APPROVED, mid: '123' })).toEqual(rows);
  });

  it('asks and closes nothing, and keeps what it knows of whatever is on its way', () => {
    const before = state(DELIVERED);
    const open = [noteAsked('n-2'), requirement('r-1', 'changes-requested')];
    const now = read({ ...DECLINED, notes: [note('n-3')] });
    const { state: next, commands } = reduceBoarding(before, now, context({ open }));
    expect(lines(commands)).toEqual(['partnerStatus is Declined', 'status-changed: Declined']);
    expect(next).toEqual({ ...before, seen: seen({ ...DECLINED, notes: [note('n-3')] }) });
  });

  it('without a mid closes the questions about notes, and asks nothing about those that are listed', () => {
    const open = [noteAsked('n-1'), noteAsked('n-2')];
    const now = { ...APPROVED, notes: [note('n-2'), note('n-3')] };
    expect(asksOn(now, {}, { open })).toEqual(['close n-1: the underwriters no longer ask']);
  });
});

describe('an underwriting note', () => {
  it.each([
    ['submitted', {}],
    ['waits for answers', { status: 'Info', phase: 'awaiting-answers' }],
    ['in review', IN_REVIEW],
    ['wants changes', { ...WANTS_CHANGES, comment: null }],
    ['unknown', ON_HOLD],
  ] as const)('becomes a question while the status is: %s', (_, now) => {
    const questions = asksOn({ ...now, notes: [note('n-1'), note('n-2')] });
    expect(questions).toEqual(expect.arrayContaining(['ask n-1: Why n-1?', 'ask n-2: Why n-2?']));
  });

  it.each([NOT_SUBMITTED, APPROVED])('is not asked about while nobody reviews: %j', (now) => {
    expect(asksOn({ ...now, notes: [note('n-1')] })).toEqual([]);
  });

  it.each<[string, Partial<BoardingState>, Partial<BoardingContext>]>([
    ['is asked', {}, { open: [noteAsked('n-1')] }],
    ['is asked a second time', {}, { open: [noteAsked('n-1-2', 'n-1')] }],
    ['has an answer that waits', {}, { answered: [answer(noteAsked('n-1'))] }],
    ['has an answer on its way', {}, { answered: [answer(noteAsked('n-1'))], isWriting: true }],
    ['was delivered', DELIVERED, {}],
  ])('is not asked again while it %s', (_, before, more) => {
    expect(asksOn({ notes: [note('n-1')] }, before, more)).toEqual([]);
  });

  it('is asked next to one that is known, also when it is named like what every object has', () => {
    const facts = { open: [noteAsked('n-1')], answered: [answer(noteAsked('n-2'))] };
    const notes = ['n-1', 'n-2', 'toString'].map((id) => note(id));
    expect(asksOn({ notes }, {}, facts)).toEqual(['ask toString: Why toString?']);
  });

  it.each<[string, Partial<StatusSnapshot>, boolean, string[]]>([
    ['submitted', {}, false, ['n-1', 'n-2']],
    ['submitted, with a write in flight', {}, true, ['n-1']],
    ['in review', IN_REVIEW, false, ['n-1']],
    ['in review, with a write in flight', IN_REVIEW, true, ['n-1']],
    ['unknown', ON_HOLD, false, ['n-1', 'n-2']],
    ['approved', APPROVED, false, ['n-1']],
    ['not submitted', NOT_SUBMITTED, false, ['n-1']],
  ])('that is gone is closed, answered or not, when the status is: %s', (_, now, isWriting, ids) => {
    const more = { isWriting, open: [noteAsked('n-1')], answered: [answer(noteAsked('n-2'))] };
    expect(asksOn(now, {}, more)).toEqual(ids.map((id) => `close ${id}: the underwriters no longer ask`));
  });

  // Catches a document that is uploaded twice, because an old list lacks its note, and somebody is asked again.
  it('that is gone keeps an answer with an uploaded document, unless it was taken back', () => {
    const before = { uploaded: ['n-2/invoice.pdf'] };
    const [first, second] = [noteAsked('n-1'), noteAsked('n-2')];
    const gone = (more: Partial<BoardingContext>) => asksOn({ notes: [note('n-3')] }, before, more);
    expect(gone({ answered: [answer(first), answer(second)] })).toEqual([
      'close n-1: the underwriters no longer ask',
      'ask n-3: Why n-3?',
    ]);
    expect(gone({ open: [second] })).toEqual([
      'close n-2: the underwriters no longer ask',
      'ask n-3: Why n-3?',
    ]);
  });

  it.each([
    ['is listed again', ['n-1'], true],
    ['is still gone', ['n-2'], false],
  ])('that %s decides whether an answer with an uploaded document is sent', (_, noteIds, isSent) => {
    const before = state({ seen: { ...seen(), noteIds }, uploaded: ['n-1/invoice.pdf'] });
    const answers = [answer(noteAsked('n-1'))];
    const task = pendingTask(before, context({ answered: answers }));
    expect(task).toEqual(isSent ? { send: 'answers', answers } : undefined);
  });

  const lists = (more: Partial<StatusSnapshot> = {}) => ({ ...more, notes: [note('n-1')] });
  it.each<['counts' | 'is asked' | 'is forgotten', string, Partial<StatusSnapshot>, Partial<BoardingState>?]>(
    [
      ['counts', 'listed in the status that took its answer', lists()],
      ['is asked', 'listed in a status that the partner has set since', lists({ statusDate: TUESDAY })],
      ['is asked', 'listed in another status', lists(ON_HOLD)],
      ['counts', 'listed in review', lists(IN_REVIEW)],
      ['counts', 'listed after the approval', lists(APPROVED)],
      ['counts', 'gone in the same status', {}],
      // Of a partner whose dates mean nothing.
      ['counts', 'listed in the same status', lists({ statusDate: TUESDAY }), VOLATILE],
      ['is asked', 'listed in another status', lists(ON_HOLD), VOLATILE],
      ['is forgotten', 'gone in the same status', { statusDate: TUESDAY }, VOLATILE],
      [
        'is forgotten',
        'gone while another is listed',
        { statusDate: TUESDAY, notes: [note('n-2')] },
        VOLATILE,
      ],
      ['counts', 'gone in review', IN_REVIEW, VOLATILE],
    ],
  )('that was delivered %s when it is %s: %j', (becomes, _, now, volatile) => {
    const before = state({ ...DELIVERED, ...volatile });
    const { commands, state: next } = reduceBoarding(before, read(now), context());
    expect(lines(commands).includes('ask n-1: Why n-1?')).toBe(becomes === 'is asked');
    expect(next.delivered).toEqual(becomes === 'counts' ? DELIVERED.delivered : {});
  });
});

describe('requested changes', () => {
  const question = (detail = 'Lower it.') => requirement('r-1', 'changes-requested', { detail });

  it('become a question that takes a correction', () => {
    const { commands } = reduceBoarding(state(), read(WANTS_CHANGES), context());
    expect(commands).toContainEqual({
      ask: {
        kind: 'changes-requested',
        title: 'Changes requested',
        detail: 'Lower it.',
        answers: ['correction', 'retry', 'abandon'],
        blank: { application: { '': '' } },
      },
    });
  });

  const CLOSED = 'close r-1: the partner has moved on';
  const MORE = { comment: 'More.' };
  const AGAIN = [CLOSED, 'ask changes-requested: More.'];

  type Snapshot = Partial<StatusSnapshot>;
  it.each<
    [string, now: Snapshot, seen: Snapshot, Partial<BoardingContext>, string[], Partial<BoardingState>?]
  >([
    ['seen before, without a question', {}, WANTS_CHANGES, {}, []],
    ['without a comment', { comment: null }, {}, {}, ['ask changes-requested: The partner gave no comment.']],
    ['with another comment', MORE, WANTS_CHANGES, {}, ['ask changes-requested: More.']],
    ['set again', { statusDate: TUESDAY }, WANTS_CHANGES, {}, ['ask changes-requested: Lower it.']],
    [
      'lost by the partner',
      {},
      WANTS_CHANGES,
      {},
      ['ask changes-requested: Lower it.'],
      { isSubmissionLost: true },
    ],
    ['set again, where dates mean nothing', { statusDate: TUESDAY }, WANTS_CHANGES, {}, [], VOLATILE],
    ['with another comment there', MORE, WANTS_CHANGES, {}, ['ask changes-requested: More.'], VOLATILE],
    ['after another status', {}, ON_HOLD, {}, ['ask changes-requested: Lower it.']],
    ['asked', { statusDate: TUESDAY }, WANTS_CHANGES, { open: [question()] }, []],
    ['answered', { statusDate: TUESDAY }, WANTS_CHANGES, { answered: [answer(question())] }, []],
    ['asked otherwise', MORE, WANTS_CHANGES, { open: [question()] }, AGAIN],
    ['answered otherwise', MORE, WANTS_CHANGES, { answered: [answer(question())] }, AGAIN],
    ['on their way, otherwise', MORE, WANTS_CHANGES, { answered: [answer(question())], isWriting: true }, []],
    // Catches other changes that nobody is asked for, because the poll read them while the answer was in flight.
    [
      'answered otherwise before',
      MORE,
      { ...WANTS_CHANGES, ...MORE },
      { answered: [answer(question())] },
      AGAIN,
    ],
  ])('that are %s', (_, now, before, more, commands, volatile = {}) => {
    expect(asksOn({ ...WANTS_CHANGES, ...now }, { seen: seen(before), ...volatile }, more)).toEqual(commands);
  });

  it.each<[string, Partial<StatusSnapshot>, boolean, boolean]>([
    ['submitted', {}, false, true],
    ['submitted, with a write in flight', {}, true, false],
    ['in review', IN_REVIEW, false, true],
    ['in review, with a write in flight', IN_REVIEW, true, false],
    ['unknown', ON_HOLD, false, false],
    ['waiting for answers', { status: 'Info', phase: 'awaiting-answers' }, false, false],
    ['not submitted', NOT_SUBMITTED, false, false],
    ['approved', APPROVED, false, false],
  ])('close when the status is %s; an answer is dropped if it goes on', (_, now, isWriting, drops) => {
    const before = { seen: seen(WANTS_CHANGES) };
    expect(asksOn(now, before, { open: [question()], isWriting })).toEqual([CLOSED]);
    expect(asksOn(now, before, { answered: [answer(question())], isWriting })).toEqual(drops ? [CLOSED] : []);
  });

  it('are asked again after a submission when the poll has read them before it', () => {
    const start = { seen: seen(WANTS_CHANGES), volatile: { changes: {}, hasVolatileDate: false } };
    const again = (now: Partial<StatusSnapshot>) =>
      lines(changesCommands(start, read({ ...WANTS_CHANGES, ...now }), context({ isWriting: true })));
    expect(again({ statusDate: TUESDAY })).toEqual(['ask changes-requested: Lower it.']);
    expect(again({})).toEqual([]);
  });
});

// Catches a submission that the partner has accepted and lost, of which nobody learns.
it('a submission that is lost is asked about once, until the status shows one', () => {
  const lost = { ...UNSUBMITTED_STATE, submitted: true, isSubmissionLost: true, seen: seen(NOT_SUBMITTED) };
  const question = requirement('not-submitted-1', 'not-submitted');
  expect(asksOn(NOT_SUBMITTED, lost)).toMatchObject([expect.stringContaining('has accepted the submission')]);
  expect(asksOn(NOT_SUBMITTED, lost, { open: [question] })).toEqual([]);
  expect(asksOn(NOT_SUBMITTED, { ...lost, isSubmissionLost: false })).toEqual([]);
  expect(asksOn({}, lost, { open: [question] })).toEqual(['close not-submitted-1: the partner has moved on']);
});

describe('a followed merchant that nobody has submitted', () => {
  const followed = { isFollowed: true };
  const question = requirement('s-1', 'not-submitted');
  const fresh = { submitted: false, seen: { phase: null } };

  it('is a question, and enters the stage before', () => {
    expect(leadsTo(NOT_SUBMITTED, fresh, followed)).toEqual([
      'partnerStatus is Not Submitted',
      'status-changed: Not Submitted',
      'stage is applying',
      'ask not-submitted: Merchant 1001 (“Corner Bakery”) reads as Not Submitted. Gangway follows it, and submits nothing ' +
        'by itself. Submit it in the partner’s portal: this requirement then closes by itself. Or retry: Gangway submits it ' +
        'as the partner has it. A correction is sent with the submission.',
    ]);
  });

  it.each<[string, Partial<BoardingState>, Partial<BoardingContext>]>([
    ['is not followed', fresh, {}],
    ['was submitted by Gangway', { ...fresh, submitted: true }, followed],
    ['is asked about', fresh, { ...followed, open: [question] }],
    ['has an answer', fresh, { ...followed, answered: [answer(question)] }],
  ])('is no question when it %s', (_, before, more) => {
    expect(asksOn(NOT_SUBMITTED, before, more)).toEqual([]);
  });

  it('is closed when somebody has submitted it, answered or not, but for an answer that is in flight', () => {
    const more = { ...followed, open: [question], answered: [answer(requirement('s-2', 'not-submitted'))] };
    const [one, two] = ['s-1', 's-2'].map((id) => `close ${id}: the partner has moved on`);
    expect(asksOn({}, fresh, more)).toEqual([one, two]);
    expect(asksOn({}, fresh, { ...more, isWriting: true })).toEqual([one]);
  });
});

describe('an unclear mid', () => {
  const QUESTION =
    'The partner approved merchant 1001 and shows the mid “soon”, which is a placeholder, or not 1 to 20 digits. Look up the mid in the ' +
    'partner’s portal, and confirm the correct one. This requirement closes when the partner shows a mid of digits.';
  const question = (id: string, detail = QUESTION) => requirement(id, 'unclear-mid', { detail });
  const unclear = { ...APPROVED, unclearMid: 'soon' };

  it('is a question once the merchant is approved', () => {
    const reads = [unclear, { unclearMid: 'soon' }, APPROVED];
    expect(reads.map((now) => asksOn(now))).toEqual([[`ask unclear-mid: ${QUESTION}`], [], []]);
  });

  const CLOSED = 'close m-1: the partner shows another mid';
  it.each([
    ['the same one', unclear, QUESTION, []],
    ['another one', unclear, 'Another.', [CLOSED, `ask unclear-mid: ${QUESTION}`]],
    ['none', APPROVED, QUESTION, [CLOSED]],
    ['one that is not final any more', { unclearMid: 'soon' }, QUESTION, [CLOSED]],
  ])('that was asked about or answered leads on when the partner shows %s', (_, now, detail, commands) => {
    expect(asksOn(now, {}, { open: [question('m-1', detail)] })).toEqual(commands);
    expect(asksOn(now, {}, { answered: [answer(question('m-1', detail))], isWriting: true })).toEqual(
      commands,
    );
  });

  const ofWrite = requirement('w-1', 'uncertain-write');
  it.each([
    [
      'is the mid that a person confirms',
      { answered: [answer(question('m-1'), { kind: 'confirm', id: '123' })] },
      BOARDED,
    ],
    ['is no mid while its question is open', { open: [question('m-1')] }, undefined],
    [
      'is no mid when it is given up',
      { answered: [answer(question('m-1'), { kind: 'abandon' })] },
      undefined,
    ],
    ['is no id of another kind', { answered: [answer(ofWrite, { kind: 'confirm', id: '1' })] }, undefined],
  ])('%s', (_, more, outcome) => {
    expect(planBoarding(state(), context(more)).end?.outcome).toEqual(outcome);
  });

  it('closes its questions, shows the mid and records it when a person confirms it', () => {
    const answered = ['m-1', 'm-2'].map((id) => answer(question(id), { kind: 'confirm', id: '123' }));
    const { end: ended } = planBoarding(state(), context({ answered }));
    const rows = ['mid is 123', 'remove m-1', 'remove m-2', 'mid-confirmed: 123'];
    expect(lines(ended?.commands ?? [])).toEqual(rows);
  });
});

it.each<[string, Partial<StatusSnapshot>, answers: string, more?: object]>([
  ['underwriting-note', { notes: [note('n-1')] }, 'text documents abandon'],
  ['unclear-mid', { ...APPROVED, unclearMid: 'soon' }, 'confirm abandon', { idFormat: 'text' }],
  ['not-submitted', NOT_SUBMITTED, 'correction retry abandon'],
])('a question of kind %s takes the answers that fit it', (kind, now, answers, more) => {
  const followed = context({ isFollowed: true });
  const { commands } = reduceBoarding(state({ submitted: false }), read(now), followed);
  const question = { kind, answers: answers.split(' '), ...more };
  expect(commands).toContainEqual({ ask: expect.objectContaining(question) });
});

describe('what is sent next', () => {
  const question = requirement('r-1', 'changes-requested');
  const changes = answer(question);
  const submission = answer(requirement('s-1', 'not-submitted'));
  const one = answer(noteAsked('n-1'));
  const two = answer(noteAsked('n-2'));
  const all = [changes, submission, one];

  const [FOLLOWED, SUBMITTED] = [{ isFollowed: true }, { ...UNSUBMITTED_STATE, submitted: true }];
  const [WANTED, HELD] = [{ seen: seen(WANTS_CHANGES) }, { seen: seen(ON_HOLD) }];
  const [REVIEWED, DONE] = [{ seen: seen(IN_REVIEW) }, { seen: seen(APPROVED) }];
  const notes = [note('n-1')];
  const delivered = (later: number) => ({
    delivered: { 'n-1': { status: 'Pending', statusDate: null, until: Date.parse(TUESDAY) + later } },
  });
  const LATE = { ...delivered(0), seen: seen({ notes }) };
  const due = (later: number) => ({ ...SUBMITTED, dueAt: Date.parse(TUESDAY) + later });
  const changesDue = (later: number, statusDate = MONDAY) => ({
    submitted: true,
    seen: seen({ ...WANTS_CHANGES, statusDate }),
    dueAt: Date.parse(TUESDAY) + later,
    changesSentIn: { status: 'RequestChanges', statusDate: MONDAY },
  });
  const LOST = { ...SUBMITTED, isSubmissionLost: true };
  const application = { send: 'application' };
  const submissionOf = (input: PendingAnswer) => ({ send: 'submission', answers: [input] });
  const answersOf = (...answers: PendingAnswer[]) => ({ send: 'answers', answers });

  it.each<[string, Partial<BoardingState>, Partial<BoardingContext>, unknown]>([
    ['nothing before the first read', { seen: { phase: null } }, { answered: all }, undefined],
    ['the application of a new merchant', UNSUBMITTED_STATE, { answered: all }, application],
    ['nothing, once submitted', SUBMITTED, { answered: all }, undefined],
    [
      'nothing of a followed merchant',
      UNSUBMITTED_STATE,
      { ...FOLLOWED, answered: [changes, one] },
      undefined,
    ],
    // That a person asks for.
    ['its submission', UNSUBMITTED_STATE, { ...FOLLOWED, answered: all }, submissionOf(submission)],
    ['nothing of one that is submitted', SUBMITTED, { ...FOLLOWED, answered: all }, undefined],
    ['the submission with the changes', WANTED, { answered: all }, submissionOf(changes)],
    ['nothing while changes are asked', WANTED, { answered: [submission, one] }, undefined],
    ['the answers to all notes', {}, { answered: [...all, two] }, answersOf(one, two)],
    ['nothing while a note is open', {}, { answered: all, open: [noteAsked('n-2')] }, undefined],
    ['the answers while something else is open', {}, { answered: [one], open: [question] }, answersOf(one)],
    ['nothing without an answer', {}, {}, undefined],
    ['the answers in an unknown status', HELD, { answered: [one] }, answersOf(one)],
    ['nothing in review', REVIEWED, { answered: [one] }, undefined],
    ['nothing after the approval', DONE, { answered: [one] }, undefined],
    // Catches an onboarding that waits without an end, because the partner has lost what it accepted.
    ['a read of notes that should be gone', LATE, {}, { send: 'nothing' }],
    ['nothing before that', { ...LATE, ...delivered(1) }, {}, undefined],
    ['nothing for a note that is gone', delivered(0), {}, undefined],
    ['a read of a submission that should show', due(0), {}, { send: 'nothing' }],
    ['a read of changes that should show', changesDue(0), {}, { send: 'nothing' }],
    ['nothing for changes that the partner asks for since', changesDue(0, TUESDAY), {}, undefined],
    ['nothing before that', due(1), {}, undefined],
    ['a lost submission once a person wants that', LOST, { answered: all }, submissionOf(submission)],
    ['nothing of a lost submission without that', LOST, {}, undefined],
    ['nothing while the notes are reviewed', { ...LATE, seen: seen({ ...IN_REVIEW, notes }) }, {}, undefined],
  ])('is %s', (_, before, more, sent) => {
    expect(pendingTask(state(before), context(more))).toEqual(sent);
  });

  it.each<[string, Partial<BoardingState>, boolean]>([
    ['in the same status', {}, false],
    ['in a status that the partner has set since', { seen: seen({ statusDate: TUESDAY }) }, true],
    ['in another status', { seen: seen(ON_HOLD) }, true],
    // Of a partner whose dates mean nothing.
    ['in the same status', { seen: seen({ statusDate: TUESDAY }), ...VOLATILE }, false],
  ])('are answers that the partner did not take before, %s: %s', (_, before, isSent) => {
    const refusedAnswers = { status: 'Pending', statusDate: MONDAY, answers: ['n-3', 'n-1,n-2'] };
    const next = (answered: BoardingContext['answered']) =>
      pendingTask(state({ refusedAnswers, ...before }), context({ answered }));
    expect(next([one, two])).toEqual(isSent ? { send: 'answers', answers: [one, two] } : undefined);
    expect(next([one])).toEqual({ send: 'answers', answers: [one] });
  });

  // Catches answers that are never sent, because the partner did not list their notes once.
  it('is, in time, answers whose notes the partner did not list', () => {
    const held = { status: 'Pending', statusDate: MONDAY, answers: ['n-1'] };
    const planned = (until: number) =>
      planBoarding(state({ refusedAnswers: { ...held, until } }), context({ answered: [one] }));
    const now = Date.parse(TUESDAY);
    expect(planned(now + 1)).toMatchObject({ pending: [], wakeAt: now + 1 });
    expect(planned(now).pending).toEqual([{ task: 'write', send: 'answers', answers: [one] }]);
  });

  it('is read in time, once an answered note should be gone', () => {
    const wakeAt = (before: Partial<BoardingState>) => planBoarding(state(before), context()).wakeAt;
    expect([wakeAt({ ...LATE, ...delivered(1) }), wakeAt(LATE)]).toEqual([
      Date.parse(TUESDAY) + 1,
      undefined,
    ]);
  });

  it('is one task, because the partner accepts one change of a merchant at a time', () => {
    const { pending: tasks } = planBoarding(state(UNSUBMITTED_STATE), context());
    expect(tasks).toEqual([{ task: 'write', send: 'application' }]);
    expect(planBoarding(state(), context()).pending).toEqual([]);
  });
});

it.each<[string, Partial<BoardingState>, Partial<BoardingContext>, boolean]>([
  ['while nothing is sent', {}, {}, true],
  ['before the first read', { seen: { phase: null } }, {}, true],
  ['not while a write would look like a change', {}, { isWriting: true }, false],
  ['not during the first write', { seen: { phase: null } }, { isWriting: true }, false],
  ['while a person is asked', {}, { isWriting: true, open: [noteAsked('n-1')] }, true],
  ['after a decision', { seen: seen(APPROVED) }, { isWriting: true }, true],
])('the status is read %s', (_, before, more, isRead) => {
  const { baseline: compared } = planBoarding(state(before), context(more));
  expect(compared).toEqual(isRead ? expect.objectContaining(before.seen ?? { phase: 'pending' }) : undefined);
});

it('a decision ends a boarding with nothing to apply', () => {
  expect(planBoarding(state({ seen: seen(DECLINED) }), context()).end?.commands).toEqual([]);
});

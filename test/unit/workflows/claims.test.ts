import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addRemark,
  assignRequirement,
  confirmAnswer,
  proposeAnswer,
  proposedAnswer,
  withdrawProposal,
} from '../../../src/messages/claims.js';
import type { Requirement, Resolution } from '../../../src/messages/requirements.js';
import { Claims } from '../../../src/workflows/runtime/claims.js';
import {
  acceptAnswer,
  answeredRequirements,
  openRequirements,
  openWithClaims,
  raiseRequirement,
  takeBackAnswer,
  unsentIds,
  withdrawRequirement,
} from '../../../src/workflows/runtime/requirements.js';
import { problemWith } from '../../../src/workflows/runtime/resolutions.js';
import type { Question, RequirementsState } from '../../../src/workflows/runtime/state.js';
import { stoppedAt } from '../../rigs/clock.js';
import { cellOf, jsonOf } from './stores.js';

const NOON = '2026-01-31T12:00:00.000Z';
const ONE = '2026-01-31T13:00:00.000Z';

beforeEach(() => stoppedAt(NOON));

const at = (time: string) => vi.setSystemTime(new Date(time));

const note = (id: string, more: Partial<Requirement> = {}): Requirement => ({
  id,
  about: id,
  kind: 'underwriting-note',
  title: 'A note',
  detail: 'Send a check.',
  raisedAt: NOON,
  dueAt: '2026-02-02T12:00:00.000Z',
  answers: ['text', 'code', 'correction'],
  ...more,
});

type Sent = Readonly<Record<string, unknown>> | null;

/** The claims of two notes. Updates run as in the SDK: the validator, which cannot wait, and then the handler. */
function handledNotes(requirements?: RequirementsState) {
  const { store, published } = cellOf({ requirements });
  const lines: string[] = [];
  const registered = new Map<string, { description: string; run: (request: never) => unknown }>();
  for (const id of requirements ? [] : ['note-1', 'note-2']) {
    const { id: _, raisedAt: __, dueAt: ___, ...question } = note(id);
    store.update(raiseRequirement(question as Question));
  }
  const answers = {
    problemWith: (input: Resolution) =>
      problemWith(input, { open: openRequirements(store.state), unsent: unsentIds(store.state) }, ['fees']),
    /** What happens while the check of an answer takes its time. */
    check: async (_: Resolution) => {},
  };
  type Options = { readonly validator?: (request: never) => void; readonly description: string };
  const register = ({ name }: { name: string }, run: (request: never) => unknown, options: Options) => {
    const validated = (request: never) => {
      options.validator?.(request);
      return run(request);
    };
    registered.set(name, { description: options.description, run: validated });
  };
  const state = { refresh: () => lines.push('refresh'), report: () => lines.push('report') };
  const claims: Claims = new Claims(state as never, store, answers);
  claims.handle(register as never);
  const send = async ({ name }: { readonly name: string }, request: Sent | string) =>
    registered.get(name)?.run(request as never);
  return {
    store,
    answers,
    lines,
    send,
    registered,
    told: () => published.filter((each) => each.includes('assigned')),
    listed: () => openWithClaims(store.state),
    claim: (request: Sent) => send(assignRequirement, request),
    propose: (more: object = {}) => send(proposeAnswer, { ...PROPOSED, ...more }),
    confirm: (more: object = {}) => send(confirmAnswer, { ...CONFIRMED, ...more }),
    withdraw: (more: object = {}) => send(withdrawProposal, { ...BY_OLGA, ...more }),
    assign: (more: object = {}) => send(assignRequirement, { ...ASSIGNED, ...more }),
    remark: (more: object = {}) => send(addRemark, { ...BY_OLGA, text: 'Called them.', ...more }),
    proposed: (id = 'note-1') => send(proposedAnswer, id),
    first: () => openWithClaims(store.state).find(({ id }) => id === 'note-1') ?? note('gone'),
    accepted: () => answeredRequirements(store.state).map(({ resolution }) => resolution),
    happened: () =>
      store.state.timeline
        .filter(({ event }) => event !== 'requirement-raised')
        .map(({ event, detail, at: _, ...who }) =>
          [`${event}: ${detail}`, ...Object.values(who)].join(' | '),
        ),
  };
}

const BY_OLGA = { requirementId: 'note-1', actor: 'olga' };
const UNTIL_ONE = { ...BY_OLGA, until: ONE };
const ADA = 'Ada Park (ada-17)';
const ASSIGNED = { requirementId: 'note-1', actor: 'olga', assignee: ADA, until: ONE };
const TEXT = { kind: 'text', text: 'One sale in ten.' } as const;
const PROPOSED = { requirementId: 'note-1', answer: TEXT, actor: ' pete ', reason: 'SSN 123-45-6789' };
const CONFIRMED = { ...BY_OLGA, proposedAt: NOON };

const ANOTHER = 'proposedAt: another answer is proposed now; read it before you confirm it';
const CLAIMED = 'requirement-claimed: note-1: until 2026-01-31 13:00 UTC | olga';
const eventOf = (entry: string) => entry.split(':')[0];
const NO_SUCH = 'requirementId: no requirement with this ID is open; open: note-1, note-2';

describe('a claim', () => {
  it('is shown with its end in UTC, in the list and the Web UI only', async () => {
    const { claim, first, store, listed, lines, happened } = handledNotes();
    const until = '2026-01-31T14:00+01:00';
    const record = { actor: 'olga', until: ONE };
    const claimed = await claim({ ...BY_OLGA, actor: ' olga ', until });
    expect(claimed).toEqual({ requirementId: 'note-1', claim: record });
    expect(first()).toEqual({ ...note('note-1'), claim: record });
    expect(listed()[1]).toBe(openRequirements(store.state)[1]);
    expect([happened(), lines]).toEqual([[CLAIMED], ['refresh']]);
  });

  it('keeps others out until the moment of its end', async () => {
    const { claim, first, happened } = handledNotes();
    await claim(UNTIL_ONE);
    at('2026-01-31T12:59:59.999Z');
    const byPete = { ...BY_OLGA, actor: 'pete', until: '2026-01-31T15:00:00.000Z' };
    await expect(claim(byPete)).rejects.toMatchObject({
      message: `requirementId: olga has claimed note-1 until ${ONE}`,
      publicMessage: `requirementId: another person has claimed note-1 until ${ONE}`,
    });
    expect(first().claim).toEqual({ actor: 'olga', until: ONE });
    at(ONE);
    // Nobody has it any more, so this takes nothing over.
    await claim({ ...byPete, override: true });
    expect(first().claim).toEqual({ actor: 'pete', until: '2026-01-31T15:00:00.000Z' });
    expect(happened()).toEqual([CLAIMED, 'requirement-claimed: note-1: until 2026-01-31 15:00 UTC | pete']);
  });

  it('is extended by its holder, and taken over only by a claim with override', async () => {
    const { claim, first, happened } = handledNotes();
    await claim(UNTIL_ONE);
    const longer = { ...BY_OLGA, until: '2026-01-31T14:00:00.000Z' };
    await claim(longer);
    for (const override of [undefined, null, false])
      await expect(claim({ ...longer, actor: 'pete', override })).rejects.toThrow('olga has claimed note-1');
    await claim({ ...longer, actor: 'pete', override: true });
    expect(first().claim).toEqual({ actor: 'pete', until: '2026-01-31T14:00:00.000Z' });
    const until = 'until 2026-01-31 14:00 UTC';
    expect(happened().slice(1)).toEqual([
      `requirement-claimed: note-1: ${until} | olga`,
      `requirement-taken-over: note-1: ${until}; olga had it ${until} | pete`,
    ]);
  });

  it.each([undefined, null])('is released by its holder alone, with until %s', async (until) => {
    const { claim, first, lines, happened } = handledNotes();
    await claim(UNTIL_ONE);
    for (const more of [{}, { override: true }])
      await expect(claim({ ...BY_OLGA, actor: 'pete', until, ...more })).rejects.toThrow('olga has claimed');
    expect(await claim({ ...BY_OLGA, actor: ' olga', until })).toEqual({ requirementId: 'note-1' });
    expect(first()).not.toHaveProperty('claim');
    // The second time changes nothing.
    await claim({ ...BY_OLGA, until });
    const released = 'requirement-released: note-1: before 2026-01-31 13:00 UTC | olga';
    expect([lines, happened()]).toEqual([
      ['refresh', 'refresh'],
      [CLAIMED, released],
    ]);
  });

  it('that has ended is not released, even by its holder in that moment', async () => {
    const { claim, first, lines, happened } = handledNotes();
    await claim(UNTIL_ONE);
    at(ONE);
    expect(await claim(BY_OLGA)).toEqual({ requirementId: 'note-1' });
    expect(first().claim).toEqual({ actor: 'olga', until: ONE });
    expect([lines, happened()]).toEqual([['refresh'], [CLAIMED]]);
  });

  const FORM = 'until: must be a time with its zone, such as 2026-01-31T14:00:00Z';
  it.each<[Sent, string | undefined]>([
    [{ ...UNTIL_ONE, until: '2026-01-31T12:00:00.001Z' }, undefined],
    [{ ...UNTIL_ONE, until: NOON }, 'until: must not be in the past'],
    [{ ...UNTIL_ONE, until: '2026-01-31T13:00:00+01:00' }, 'until: must not be in the past'],
    [{ ...UNTIL_ONE, until: '2026-02-07T12:00:00.000Z' }, undefined],
    [{ ...UNTIL_ONE, until: '2026-02-07T12:00:00.001Z' }, 'until: must be at most 7 days ahead'],
    [{ ...UNTIL_ONE, until: '2026-01-31T13:00Z' }, undefined],
    [{ ...UNTIL_ONE, until: '2026-01-31T10:00:00-05:30' }, undefined],
    [{ ...UNTIL_ONE, until: '2026-01-31T13:00:00' }, FORM],
    [{ ...UNTIL_ONE, until: '2026-02-01' }, FORM],
    [{ ...UNTIL_ONE, until: `+00${ONE}` }, FORM],
    [{ ...UNTIL_ONE, until: `${ONE} (x)` }, FORM],
    [{ ...UNTIL_ONE, until: '2026-13-01T12:00:00Z' }, FORM],
    [{ ...UNTIL_ONE, until: [ONE] }, FORM],
    [{ ...UNTIL_ONE, override: null }, undefined],
    [{ ...UNTIL_ONE, override: 'yes' }, 'override: must be true or false'],
    [{ ...BY_OLGA, override: 'yes' }, 'override: must be true or false'],
    [{ ...UNTIL_ONE, actor: ' ' }, 'actor: must name a person'],
    [{ ...BY_OLGA, actor: 7 }, 'actor: must name a person'],
    [{ ...UNTIL_ONE, requirementId: 'note-3' }, NO_SUCH],
    [null, NO_SUCH],
  ])('%j: %s', async (request, problem) => {
    const { claim, happened } = handledNotes();
    const [sent] = await Promise.allSettled([claim(request)]);
    expect(sent?.status === 'rejected' ? sent.reason.message : undefined).toBe(problem);
    expect(happened()).toHaveLength(problem === undefined ? 1 : 0);
  });
});

describe('a proposal', () => {
  it('is shown in short and masked, and whole on demand', async () => {
    const { propose, proposed, first, lines, happened } = handledNotes();
    const answer = { kind: 'text', text: 'Ask ada@example.com.' } as const;
    expect(await propose({ answer })).toEqual({ requirementId: 'note-1', proposedAt: NOON });
    const proposal = { actor: 'pete', reason: 'SSN ***-**-6789', at: NOON, answer: 'text: Ask [Redacted].' };
    expect(first()).toEqual({ ...note('note-1'), proposal });
    expect(await proposed()).toEqual({ ...PROPOSED, actor: 'pete', answer, at: NOON });
    expect(await proposed('note-2')).toBeNull();
    const entry = 'answer-proposed: note-1: text: Ask [Redacted]. | pete | SSN ***-**-6789';
    expect([happened(), lines]).toEqual([[entry], ['refresh']]);
  });

  it('becomes the answer of its author when a second person confirms it', async () => {
    const { propose, confirm, accepted, lines, happened } = handledNotes();
    await propose({ reason: 'SSN 123-45-6789.' });
    at(ONE);
    const reason = 'SSN 123-45-6789; confirmed by olga: right';
    const resolution = { requirementId: 'note-1', answer: TEXT, actor: 'pete', reason };
    const confirmed = await confirm({ actor: ' olga ', reason: 'right' });
    expect(confirmed).toEqual({ requirementId: 'note-1', acceptedAt: ONE, open: 1, resolution });
    expect([accepted(), lines]).toEqual([[resolution], ['refresh', 'report']]);
    // Alone catches a confirmation that is only in the reason of the answer, where no list by person has it.
    expect(happened().slice(1)).toEqual([
      'answer-confirmed: note-1: text: One sale in ten. | olga | right',
      'requirement-resolved: note-1: text: One sale in ten. | pete | SSN ***-**-6789.',
    ]);
    await expect(confirm()).rejects.toThrow('no requirement with this ID is open; open: note-2');
  });

  it.each([undefined, null, ' '])('is confirmed without a reason: %j', async (reason) => {
    const { propose, confirm, accepted } = handledNotes();
    await propose({ reason: 'called' });
    await confirm({ reason });
    expect(accepted()).toMatchObject([{ reason: 'called; confirmed by olga' }]);
  });

  // Alone catches a reason that ends twice: `As you asked.; confirmed by olga`.
  it('has a reason of one sentence', async () => {
    const { propose, confirm, accepted } = handledNotes();
    await propose({ reason: 'As you asked.' });
    await confirm({ reason: undefined });
    expect(accepted()).toMatchObject([{ reason: 'As you asked; confirmed by olga' }]);
  });

  it('that replaces another one in the same millisecond is another one', async () => {
    const { propose, confirm, accepted, first } = handledNotes();
    await propose();
    const later = '2026-01-31T12:00:00.001Z';
    const second = { answer: { kind: 'text', text: 'One in five.' }, actor: 'paula' };
    expect(await propose(second)).toEqual({ requirementId: 'note-1', proposedAt: later });
    expect(first().proposal).toMatchObject({ actor: 'paula', at: later });
    // Even its author hears first that it is not what they read.
    for (const actor of ['olga', 'paula']) await expect(confirm({ actor })).rejects.toThrow(ANOTHER);
    await confirm({ actor: 'pete', proposedAt: later });
    expect(accepted()).toMatchObject([{ answer: { text: 'One in five.' }, actor: 'paula' }]);
  });

  it('outlives a claim of its requirement, and both go with the requirement', async () => {
    const { claim, propose, store, listed, confirm, happened } = handledNotes();
    await claim(UNTIL_ONE);
    await propose();
    at(ONE);
    await claim({ ...BY_OLGA, actor: 'paula', until: '2026-01-31T14:00:00.000Z' });
    expect(listed()[0]).toMatchObject({ claim: { actor: 'paula' }, proposal: { actor: 'pete' } });
    await claim({ ...UNTIL_ONE, requirementId: 'note-2', until: '2026-01-31T14:00:00.000Z' });
    store.update(withdrawRequirement('note-1', 'gone'));
    expect(listed()).toMatchObject([{ id: 'note-2', claim: { actor: 'olga' } }]);
    await expect(confirm()).rejects.toThrow('no requirement with this ID is open; open: note-2');
    expect(happened().map(eventOf)).not.toContain('proposal-dropped');
  });

  it('is dropped, which the timeline shows, when somebody answers', async () => {
    const { propose, store, listed, happened } = handledNotes();
    await propose();
    for (const requirementId of ['note-1', 'note-2'])
      store.update(acceptAnswer({ requirementId, answer: TEXT, actor: 'olga', reason: 'called' }));
    const dropped = 'proposal-dropped: note-1: it was proposed by pete';
    const resolved = expect.stringMatching(/^requirement-resolved/);
    expect(happened().slice(1)).toEqual([resolved, dropped, resolved]);
    store.update(takeBackAnswer({ requirementId: 'note-1', answer: TEXT, actor: 'olga', reason: 'wrong' }));
    expect(listed()).toEqual([note('note-1')]);
  });

  it('is not made when the requirement closes while the answer is checked', async () => {
    const { store, listed, answers, propose, happened } = handledNotes();
    answers.check = async () => store.update(withdrawRequirement('note-1', 'gone'));
    await expect(propose()).rejects.toThrow('no requirement with this ID is open; open: note-2');
    expect(listed()).toEqual([note('note-2')]);
    expect(happened().map(eventOf)).toEqual(['requirement-closed']);
  });

  it.each(['propose', 'withdraw'] as const)('is not applied after a %s during its check', async (how) => {
    const notes = handledNotes();
    await notes.propose();
    notes.answers.check = async () => {
      notes.answers.check = async () => {};
      await notes[how]({ actor: 'paula' });
    };
    await expect(notes.confirm()).rejects.toThrow('proposedAt: this answer is no longer proposed');
    expect(notes.accepted()).toEqual([]);
  });

  it('is neither made nor applied when the check rejects it, or when its answer does not fit', async () => {
    const { answers, propose, confirm, accepted, first, send } = handledNotes();
    await propose();
    answers.check = async () => {
      throw new Error('too late');
    };
    await expect(confirm()).rejects.toThrow('too late');
    await expect(propose({ actor: 'paula' })).rejects.toThrow('too late');
    answers.problemWith = () => 'answer.kind: note-1 takes retry';
    await expect(confirm()).rejects.toThrow('answer.kind: note-1 takes retry');
    await expect(send(proposeAnswer, null)).rejects.toThrow('answer.kind: note-1 takes retry');
    expect([accepted(), first().proposal?.actor]).toEqual([[], 'pete']);
  });

  it.each<['propose' | 'confirm' | 'withdraw', Sent, string]>([
    ['propose', { answer: { kind: 'code', code: '123456' } }, 'answer.kind: nobody can propose code'],
    ['propose', { answer: { kind: 'take-back' } }, 'answer.kind: nobody can propose take-back'],
    ['propose', { answer: { kind: 'text', text: '' } }, 'answer.text: must be a text, and not empty'],
    ['propose', { answer: null }, 'answer: must be an object with a kind, such as {"kind": "text"}'],
    ['propose', { requirementId: 'note-3' }, NO_SUCH],
    ['propose', { actor: '' }, 'actor: must name the person who answers'],
    ['confirm', { requirementId: 'note-2' }, 'requirementId: no answer is proposed for this requirement'],
    ['confirm', { requirementId: 'note-3' }, NO_SUCH],
    ['confirm', { actor: '' }, 'actor: must name a person'],
    ['confirm', { actor: 'pete' }, 'actor: must not be the person who proposed the answer'],
    ['confirm', { actor: 'Eve Moss (PETE) ' }, 'actor: must not be the person who proposed the answer'],
    ['confirm', { actor: 'crm (API), for Pete' }, 'actor: must not be the person who proposed the answer'],
    ['confirm', { actor: 'crm (API)' }, 'actor: a program must name the person who confirms'],
    ['confirm', { reason: 1 }, 'reason: must be a text'],
    ['confirm', { proposedAt: null }, ANOTHER],
    ['withdraw', { proposedAt: ONE }, 'proposedAt: another answer is proposed now'],
    ['withdraw', { actor: ' ' }, 'actor: must name a person'],
    ['withdraw', { reason: {} }, 'reason: must be a text'],
  ])('is kept, and nothing happens, when somebody wants to %s with %j', async (what, more, problem) => {
    const notes = handledNotes();
    await notes.propose();
    await expect(notes[what]({ ...more })).rejects.toThrow(problem);
    expect(notes.first().proposal).toMatchObject({ actor: 'pete', at: NOON });
    expect([notes.accepted(), notes.happened().length]).toEqual([[], 1]);
  });

  it.each([
    [{}, ''],
    [{ proposedAt: null, reason: null }, ''],
    [{ proposedAt: NOON, reason: ' ' }, ''],
    [{ actor: ' olga ', reason: 'no SSN 123456789' }, ' | no SSN ***-**-6789'],
  ])('is withdrawn by anybody: %j', async (more, reason) => {
    const { propose, withdraw, first, lines, happened } = handledNotes();
    await propose();
    expect(await withdraw(more)).toEqual({ requirementId: 'note-1' });
    expect([first(), lines]).toEqual([note('note-1'), ['refresh', 'refresh']]);
    const entry = `proposal-withdrawn: note-1: it was proposed by pete | olga${reason}`;
    expect(happened().slice(1)).toEqual([entry]);
    await expect(withdraw()).rejects.toThrow('requirementId: no answer is proposed for this requirement');
  });
});

it('the next run goes on with claims and proposals', async () => {
  const before = handledNotes();
  await before.claim(UNTIL_ONE);
  await before.propose();
  const after = handledNotes(jsonOf(before.store.state.requirements));
  expect(after.store.state.requirements).toEqual(before.store.state.requirements);
  await expect(after.claim({ ...UNTIL_ONE, actor: 'pete' })).rejects.toThrow('olga has claimed note-1');
  await after.confirm();
  expect(after.accepted()).toMatchObject([{ answer: TEXT, actor: 'pete' }]);
});

describe('an assignment', () => {
  it('is a claim of the colleague, and tells other systems', async () => {
    const { assign, first, told, happened } = handledNotes();
    const claim = { actor: ADA, by: 'olga', until: ONE };
    expect(await assign()).toEqual({ requirementId: 'note-1', claim });
    expect(first().claim).toEqual(claim);
    expect(told()).toEqual(['requirement.assigned.v1 note-1']);
    expect(happened()).toEqual([`requirement-assigned: note-1: to ${ADA} until 2026-01-31 13:00 UTC | olga`]);
  });

  it('has the same rules as a claim: who has it, and for how long', async () => {
    const { assign, claim, first, told } = handledNotes();
    await claim({ ...UNTIL_ONE, actor: 'pete' });
    await expect(assign()).rejects.toThrow('requirementId: pete has claimed note-1');
    await assign({ override: true });
    expect(first().claim?.actor).toBe(ADA);
    await expect(claim({ ...UNTIL_ONE, actor: 'pete' })).rejects.toThrow(`${ADA} has claimed note-1`);
    // Ada changed her name, and extends it: nobody has to be told.
    await claim({ ...UNTIL_ONE, actor: 'Ada Smith (ada-17)', until: '2026-01-31T14:00:00.000Z' });
    expect(first().claim).toEqual({ actor: 'Ada Smith (ada-17)', until: '2026-01-31T14:00:00.000Z' });
    expect(told()).toHaveLength(1);
  });

  it('again to the same colleague only extends it; the assigner can still release or reassign it', async () => {
    const { assign, claim, first, told } = handledNotes();
    await assign();
    await assign({ until: '2026-01-31T15:00:00.000Z' });
    expect([told().length, first().claim?.until]).toEqual([1, '2026-01-31T15:00:00.000Z']);
    await assign({ assignee: 'Bo (bo-2)' });
    expect([told().length, first().claim?.actor]).toEqual([2, 'Bo (bo-2)']);
    await expect(claim({ ...BY_OLGA, actor: 'pete' })).rejects.toThrow('Bo (bo-2) has claimed note-1');
    await claim(BY_OLGA);
    expect(first()).not.toHaveProperty('claim');
  });

  it('to the colleague who has claimed it gives a third person no right to shorten, release or pass on the claim', async () => {
    const { assign, claim, first } = handledNotes();
    await claim({ ...UNTIL_ONE, actor: ADA });
    await expect(assign({ until: '2026-01-31T12:00:01.000Z' })).rejects.toThrow(`${ADA} has claimed note-1`);
    await expect(claim(BY_OLGA)).rejects.toThrow(`${ADA} has claimed note-1`);
    expect(first().claim).toEqual({ actor: ADA, until: ONE });
  });

  it('to oneself is a claim, also by a program for its person', async () => {
    const { assign, told, first, happened } = handledNotes();
    await assign({ actor: `crm (API), for ${ADA}` });
    expect(first().claim).toEqual({ actor: ADA, until: ONE });
    await assign({ actor: `crm (API), for ${ADA}`, assignee: null });
    expect([told(), happened().map(eventOf)]).toEqual([[], ['requirement-claimed', 'requirement-claimed']]);
  });

  it('makes nobody a second person: neither who assigned it nor who has it may confirm their own proposal', async () => {
    const { assign, propose, confirm, first } = handledNotes();
    await propose({ actor: ADA });
    await assign();
    expect(first()).toMatchObject({ claim: { actor: ADA }, proposal: { actor: ADA } });
    await expect(confirm({ actor: 'Somebody Else (ADA-17)' })).rejects.toThrow(
      'must not be the person who proposed',
    );
    await confirm({ actor: 'olga' });
  });

  it('stays in a later run', async () => {
    const before = handledNotes();
    await before.assign({ mentions: ['Bo (bo-2)'], text: 'Please call them.' });
    const after = handledNotes(jsonOf(before.store.state.requirements));
    expect(after.first()).toMatchObject({ claim: { actor: ADA, by: 'olga' }, mentioned: ['Bo (bo-2)'] });
  });

  it('has a remark, masked', async () => {
    const { assign, happened } = handledNotes();
    await assign({ text: 'SSN 123-45-6789' });
    expect(happened()[1]).toBe('remark-added: note-1: SSN ***-**-6789 | olga');
  });

  it('after the answer is rejected', async () => {
    const { assign, store } = handledNotes();
    store.update(acceptAnswer({ ...PROPOSED, actor: 'pete' }));
    await expect(assign()).rejects.toThrow('no requirement with this ID is open');
  });

  const WHO = 'assignee: must name a colleague with an ID, as in Ada Park (ada-17)';
  it.each([
    [{ assignee: 'Ada Park' }, WHO],
    [{ assignee: ' ' }, WHO],
    [{ assignee: ['x'] }, WHO],
    [{ assignee: 'crm (API), for Ada (ada-17)' }, WHO],
    [{ assignee: 'Ada\n**Park** (ada-17)' }, WHO],
    [{ until: null }, 'until: must be given with an assignee'],
    [{ text: 'x'.repeat(501) }, 'text: must have at most 500 characters'],
    [{ text: 'x', mentions: ['Ada Park'] }, 'mentions: each must name a colleague'],
  ])('with %j is rejected', async (more, problem) => {
    const { assign, happened } = handledNotes();
    await expect(assign(more)).rejects.toThrow(problem);
    expect(happened()).toEqual([]);
  });
});

describe('a mention', () => {
  const BO = 'Bo (bo-2)';

  it('stays until the colleague acts on the requirement', async () => {
    const { remark, claim, first } = handledNotes();
    await remark({ mentions: [ADA, BO, ADA] });
    expect(first().mentioned).toEqual([ADA, BO]);
    await claim({ ...UNTIL_ONE, actor: BO });
    expect(first().mentioned).toEqual([ADA]);
    await remark({ actor: 'Ada Smith (ada-17)' });
    expect(first()).not.toHaveProperty('mentioned');
  });

  it('is kept for the last five', async () => {
    const { remark, first } = handledNotes();
    const people = Array.from({ length: 6 }, (_, at) => `P (p-${at})`);
    await expect(remark({ mentions: people })).rejects.toThrow('mentions: must be a list of at most 5');
    for (const each of people) await remark({ mentions: [each] });
    expect(first().mentioned).toEqual(people.slice(1));
  });
});

describe('a remark', () => {
  it('is in the timeline, masked, and shown at once; it changes nothing of its requirement', async () => {
    const { remark, first, lines, happened, accepted } = handledNotes();
    const text = ' They send it on Monday. SSN 123-45-6789 ';
    expect(await remark({ actor: ' olga ', text })).toEqual({ requirementId: 'note-1' });
    expect(happened()).toEqual(['remark-added: note-1: They send it on Monday. SSN ***-**-6789 | olga']);
    expect([lines, first(), accepted()]).toEqual([['refresh'], note('note-1'), []]);
  });

  it.each([
    [{ requirementId: 'note-9' }, NO_SUCH],
    [{ text: ' ' }, 'text: must not be empty'],
    [{ text: undefined }, 'text: must not be empty'],
    [{ text: 7 }, 'text: must not be empty'],
    [{ text: 'x'.repeat(501) }, 'text: must have at most 500 characters; it has 501'],
    [{ actor: '' }, 'actor: must name a person'],
    // Alone catches a name that no table has room for.
    [{ actor: 'x'.repeat(304) }, 'actor: must have at most 303 characters'],
  ])('with %j is rejected', async (more, problem) => {
    const { remark, happened } = handledNotes();
    await expect(remark(more)).rejects.toThrow(problem);
    expect(happened()).toEqual([]);
  });

  it('is rejected after 50, on whichever requirement', async () => {
    const { remark, happened } = handledNotes();
    const text = 'x'.repeat(500);
    for (let number = 0; number < 50; number += 1)
      await remark({ requirementId: number % 2 === 0 ? 'note-1' : 'note-2', text });
    await expect(remark()).rejects.toThrow('there are 50 remarks already');
    expect(happened()).toHaveLength(50);
  });
});

it('the Web UI describes each of these messages', () => {
  const { registered } = handledNotes();
  expect([...registered].map(([name, { description }]) => [name, description])).toEqual([
    [
      'assignRequirement',
      'Assigns a requirement until a time, by default to the actor, or releases it if no time is given',
    ],
    ['proposeAnswer', 'Proposes an answer that a second person confirms. Data: as for resolveRequirement'],
    ['confirmAnswer', 'Confirms an answer that another person proposed'],
    ['withdrawProposal', 'Removes a proposed answer'],
    ['addRemark', 'Adds a remark for colleagues to the timeline. No partner gets it'],
    ['proposedAnswer', 'The whole proposed answer to a requirement'],
  ]);
});

import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { blankState } from '../../../src/messages/onboarding-state.js';
import * as boarding from '../../../src/workflows/boarding/decisions.js';
import { afterDelivery } from '../../../src/workflows/boarding/deliveries.js';
import * as business from '../../../src/workflows/business/decisions.js';
import { askingAgain, onRejected } from '../../../src/workflows/business/tickets.js';
import * as customer from '../../../src/workflows/customer/decisions.js';
import { Cell } from '../../../src/workflows/journey/cell.js';
import {
  accepted,
  answeredIn,
  closedAtEnd,
  onTheirWay,
  openIn,
  openWithClaims,
  removed,
  reportedLate,
  takenBack,
  unsentIn,
  withClaims,
  withdrawn,
  withProposal,
} from '../../../src/workflows/journey/requirements.js';
import {
  all,
  endedWith,
  initialState,
  known,
  recorded,
  type State,
  settled,
  type Transition,
  unfinished,
  withMemory,
} from '../../../src/workflows/journey/state.js';
import { decided, reacted } from '../../../src/workflows/journey/until-decided.js';
import { stoppedAt } from '../../rigs/clock.js';
import * as boardingValues from './boarding/values.js';
import * as businessValues from './business/values.js';
import { jsonOf } from './cells.js';

const NOON = '2026-01-31T12:00:00.000Z';
const MINUTE_MS = 60_000;

beforeEach(() => stoppedAt(NOON));

/** Something that happens to a workflow: what changes, from its state at that time. */
type Happened<Memory> = (state: State<Memory>, now: number) => Transition;

const at = <Value>(values: readonly Value[], index: number) => values[index % Math.max(1, values.length)];

/** What people do to any workflow. */
function byPeople(): fc.Arbitrary<Happened<unknown>> {
  const index = fc.nat(9);
  const person = fc.constantFrom('olga', 'pete');
  const claim = { actor: 'olga', until: '2026-01-31T13:00:00.000Z' };
  const on = (state: State, which: number, change: (id: string) => Transition): Transition => {
    const requirement = at(openIn(state), which);
    return requirement ? change(requirement.id) : all();
  };
  return fc.oneof(
    fc.tuple(index, person).map(
      ([which, actor]): Happened<unknown> =>
        (state) =>
          on(state, which, (requirementId) =>
            accepted({ requirementId, answer: { kind: 'text', text: 'Yes.' }, actor, reason: 'so' }),
          ),
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) => {
          const requirementId = at(unsentIn(state), which);
          const answer = { kind: 'take-back' } as const;
          return requirementId ? takenBack({ requirementId, answer, actor: 'olga', reason: 'no' }) : all();
        },
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) =>
          on(state, which, (id) => withClaims(id, { claim })),
    ),
    fc.tuple(index, person).map(
      ([which, actor]): Happened<unknown> =>
        (state) =>
          on(state, which, (requirementId) =>
            withProposal({ requirementId, answer: { kind: 'text', text: 'No.' }, actor, reason: 'so' }),
          ),
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) => {
          const requirement = at(openIn(state), which);
          return requirement ? reportedLate(requirement, 'overdue') : all();
        },
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) =>
          on(state, which, (id) => withdrawn(id, 'gone')),
    ),
    fc.tuple(fc.constantFrom('create', 'submit'), fc.constantFrom('unknown', 'done')).map(
      ([write, became]): Happened<unknown> =>
        () =>
          unfinished(write, { write, became } as never),
    ),
    fc.constantFrom('create', 'submit').map(
      (id): Happened<unknown> =>
        () =>
          settled(id),
    ),
    fc.constant((): Transition => recorded('remark-added', { detail: 'a', actor: 'pete' })),
  );
}

const onBoarding = (): fc.Arbitrary<Happened<boarding.Remembered>> => {
  const situationOf = (state: State, now: number) =>
    boardingValues.situation({ open: openIn(state), answered: answeredIn(state), now });
  const statuses = [
    ['Pending', 'pending'],
    ['Additional Info', 'awaiting-answers'],
    ['Pending Review', 'in-review'],
    ['RequestChanges', 'changes-requested'],
    ['On Hold', 'other'],
    ['Approved', 'approved'],
  ] as const;
  const read = fc
    .record({
      which: fc.constantFrom(...statuses),
      statusDate: fc.constantFrom(boardingValues.MONDAY, boardingValues.TUESDAY, '2026-02-02', null),
      notes: fc.subarray(['note-a', 'note-b', 'note-c']),
      comment: fc.constantFrom(null, 'Lower it.'),
      isWithoutNotes: fc.constantFrom(undefined, true as const),
    })
    .map(({ which: [status, phase], notes, isWithoutNotes, ...more }): Happened<boarding.Remembered> => {
      const without = isWithoutNotes ? { isWithoutNotes } : {};
      const listed = isWithoutNotes ? [] : notes.map((id) => boardingValues.note(id));
      const now = boardingValues.read({ ...more, ...without, status, phase, notes: listed });
      return (state, time) => reacted(boarding.onRead(state.memory, now, situationOf(state, time)));
    });
  const delivered: Happened<boarding.Remembered> = (state, now) => {
    const { status = '', statusDate = null } = state.memory.seen;
    const answers = answeredIn(state);
    return all(
      onTheirWay(answers, ['request the review']),
      ...answers.map(({ requirement }) => removed(requirement.id)),
      withMemory(afterDelivery(state.memory, answers, { status, statusDate }, now + MINUTE_MS)),
    );
  };
  return fc.oneof({ weight: 3, arbitrary: read }, fc.constant(delivered));
};

const onBusiness = (): fc.Arbitrary<Happened<business.Remembered>> => {
  const situationOf = (state: State, now: number) =>
    businessValues.situation({ open: openIn(state), answered: answeredIn(state), now });
  const read = fc
    .record({
      tickets: fc.subarray([7, 8, 9]),
      text: fc.constantFrom('Why?', 'Since when?'),
      isLocked: fc.boolean(),
      phase: fc.constantFrom('new', 'under-review', 'approved'),
    })
    .map(({ tickets, text, isLocked, phase }): Happened<business.Remembered> => {
      const listed = tickets.map((id) => businessValues.ticket(id, text));
      const now = businessValues.read({ tickets: listed, isLocked, phase: phase as 'new' });
      return (state, time) => reacted(business.onRead(state.memory, now, situationOf(state, time)));
    });
  const answered =
    (change: (state: State<business.Remembered>, now: number) => Transition): Happened<business.Remembered> =>
    (state, now) =>
      answeredIn(state).some(({ requirement }) => requirement.kind === 'ticket') ? change(state, now) : all();
  const first = (state: State) =>
    answeredIn(state).find(({ requirement }) => requirement.kind === 'ticket')?.requirement as never;
  return fc.oneof(
    { weight: 3, arbitrary: read },
    fc.constant(
      answered((state, now) =>
        reacted(business.onDelivered(state.memory, first(state), 12, situationOf(state, now))),
      ),
    ),
    fc.constant(answered((state) => reacted(onRejected(state.memory, first(state), 'too short')))),
    fc.constant((state: State<business.Remembered>, now: number) =>
      withMemory(askingAgain(state.memory, now)),
    ),
  );
};

const onCustomer = (): fc.Arbitrary<Happened<customer.Remembered>> => {
  const part = fc.constantFrom('boarding', 'business');
  const state = (stage: string) =>
    ({ ...blankState('merchantBoarding'), stage, partnerStatus: stage }) as never;
  const report = fc
    .tuple(part, fc.constantFrom('r1', 'r2'), fc.nat(5), fc.constantFrom('applying', 'underwriting'))
    .map(([which, run, number, stage]): Happened<customer.Remembered> => {
      const told = { run, number, runStartedAt: NOON, state: state(stage) };
      return ({ memory }) => reacted(customer.onReport(memory, which as 'boarding', told));
    });
  const end = fc.tuple(part, fc.constantFrom('cancelled', 'failed')).map(
    ([which, how]): Happened<customer.Remembered> =>
      ({ memory }) =>
        reacted(customer.onEnd(memory, which as 'boarding', { how } as never)),
  );
  const reset = part.map(
    (which): Happened<customer.Remembered> =>
      ({ memory }) =>
        reacted(customer.onReset(memory, which as 'boarding')),
  );
  return fc.oneof(report, end, reset);
};

/** What a workflow does by itself. */
const byItself: fc.Arbitrary<Happened<unknown>> = fc.oneof(
  fc.constantFrom('applying', 'underwriting').map((stage) => () => known({ stage: stage as 'applying' })),
  fc.constant(() => known({ merchantProfileId: 1001 })),
  fc.constant(() => decided({ ask: { kind: 'credentials', title: 'A', detail: 'B', answers: ['retry'] } })),
  fc.constant(() => closedAtEnd({ unknown: ['create'], isPartlySent: () => false }, false)),
  fc.constant(() => endedWith({ outcome: { outcome: 'declined' }, texts: ['Sorry.'] })),
);

// Proves F7. Catches what a run would remember outside of its state, or in a form that does not survive: a Map, a Date, undefined.
describe('the same events with a continue-as-new between any two of them', () => {
  it.each<[string, unknown, () => fc.Arbitrary<Happened<never>>]>([
    ['merchantBoarding', boarding.NOTHING, onBoarding as never],
    ['businessOnboarding', business.NOTHING, onBusiness as never],
    ['customerOnboarding', customer.NOTHING, onCustomer as never],
  ])('(%s) give the same state, questions and commands', (workflowType, memory, ofKind) => {
    const happened = fc.oneof(
      { weight: 3, arbitrary: ofKind() },
      { weight: 2, arbitrary: byPeople() as fc.Arbitrary<Happened<never>> },
      { weight: 1, arbitrary: byItself as fc.Arbitrary<Happened<never>> },
    );
    const events = fc.array(fc.tuple(happened, fc.boolean()), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(events, (all) => {
        const [one, other] = [runs(workflowType, memory), runs(workflowType, memory)];
        for (const [event, continues] of all) {
          vi.advanceTimersByTime(MINUTE_MS);
          one.happens(event);
          if (continues) other.continueAsNew();
          other.happens(event);
          expect(openWithClaims(other.state())).toEqual(openWithClaims(one.state()));
        }
        other.continueAsNew();
        expect(other.state()).toEqual(jsonOf(one.state()));
        expect(other.commands).toEqual(one.commands);
      }),
      { numRuns: 400 },
    );
  });
});

/** The runs of one workflow. */
function runs(workflowType: string, memory: unknown) {
  const commands: unknown[] = [];
  const cellOf = (state: State) =>
    new Cell(
      state,
      { fourEyes: [], workflowType, idPrefix: '', firstRunId: 'run-1', dueInMs: MINUTE_MS * 5 },
      {
        random: () => '',
        count: (counted) => void commands.push(counted),
        publish: ({ pending, ...events }) => {
          commands.push(pending);
          return { ...events, pending: [] };
        },
      },
    );
  let cell = cellOf(initialState(workflowType, {}, memory));
  return {
    commands,
    state: () => cell.state,
    happens: (event: Happened<never>) => cell.update(event(cell.state as never, Date.now())),
    continueAsNew: () => {
      cell = cellOf(jsonOf(cell.state));
    },
  };
}

import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { blankState } from '../../../src/messages/onboarding-state.js';
import * as boarding from '../../../src/workflows/boarding/decisions.js';
import { afterDelivery } from '../../../src/workflows/boarding/deliveries.js';
import * as business from '../../../src/workflows/business/decisions.js';
import { reduceRejection, withDeadline } from '../../../src/workflows/business/tickets.js';
import * as customer from '../../../src/workflows/customer/decisions.js';
import {
  acceptAnswer,
  answeredRequirements,
  closeRequirements,
  markSending,
  openRequirements,
  openWithClaims,
  removeAnswered,
  reportDeadline,
  setClaims,
  setProposal,
  takeBackAnswer,
  unsentIds,
  withdrawRequirement,
} from '../../../src/workflows/runtime/requirements.js';
import {
  addUnfinishedWrite,
  compose,
  initialState,
  recordEvent,
  removeUnfinishedWrite,
  type State,
  Store,
  setEnd,
  setFacts,
  setPartnerState,
  type Transition,
} from '../../../src/workflows/runtime/state.js';
import { commandTransition, reductionTransition } from '../../../src/workflows/runtime/until-decided.js';
import { stoppedAt } from '../../rigs/clock.js';
import * as boardingValues from './boarding/values.js';
import * as businessValues from './business/values.js';
import { jsonOf } from './stores.js';

const NOON = '2026-01-31T12:00:00.000Z';
const MINUTE_MS = 60_000;

beforeEach(() => stoppedAt(NOON));

/** Something that happens to a workflow: what changes, from its state at that time. */
type Happened<PartnerState> = (state: State<PartnerState>, now: number) => Transition;

const at = <Value>(values: readonly Value[], index: number) => values[index % Math.max(1, values.length)];

/** What people do to any workflow. */
function byPeople(): fc.Arbitrary<Happened<unknown>> {
  const index = fc.nat(9);
  const person = fc.constantFrom('olga', 'pete');
  const claim = { actor: 'olga', until: '2026-01-31T13:00:00.000Z' };
  const on = (state: State, which: number, change: (id: string) => Transition): Transition => {
    const requirement = at(openRequirements(state), which);
    return requirement ? change(requirement.id) : compose();
  };
  return fc.oneof(
    fc.tuple(index, person).map(
      ([which, actor]): Happened<unknown> =>
        (state) =>
          on(state, which, (requirementId) =>
            acceptAnswer({ requirementId, answer: { kind: 'text', text: 'Yes.' }, actor, reason: 'so' }),
          ),
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) => {
          const requirementId = at(unsentIds(state), which);
          const answer = { kind: 'take-back' } as const;
          return requirementId
            ? takeBackAnswer({ requirementId, answer, actor: 'olga', reason: 'no' })
            : compose();
        },
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) =>
          on(state, which, (id) => setClaims(id, { claim })),
    ),
    fc.tuple(index, person).map(
      ([which, actor]): Happened<unknown> =>
        (state) =>
          on(state, which, (requirementId) =>
            setProposal({ requirementId, answer: { kind: 'text', text: 'No.' }, actor, reason: 'so' }),
          ),
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) => {
          const requirement = at(openRequirements(state), which);
          return requirement ? reportDeadline(requirement, 'overdue') : compose();
        },
    ),
    index.map(
      (which): Happened<unknown> =>
        (state) =>
          on(state, which, (id) => withdrawRequirement(id, 'gone')),
    ),
    fc.tuple(fc.constantFrom('create', 'submit'), fc.constantFrom('uncertain', 'done')).map(
      ([write, outcome]): Happened<unknown> =>
        () =>
          addUnfinishedWrite(write, { write, outcome } as never),
    ),
    fc.constantFrom('create', 'submit').map(
      (id): Happened<unknown> =>
        () =>
          removeUnfinishedWrite(id),
    ),
    fc.constant((): Transition => recordEvent('remark-added', { detail: 'a', actor: 'pete' })),
  );
}

const onBoarding = (): fc.Arbitrary<Happened<boarding.BoardingState>> => {
  const situationOf = (state: State, now: number) =>
    boardingValues.context({ open: openRequirements(state), answered: answeredRequirements(state), now });
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
    .map(({ which: [status, phase], notes, isWithoutNotes, ...more }): Happened<boarding.BoardingState> => {
      const without = isWithoutNotes ? { isWithoutNotes } : {};
      const listed = isWithoutNotes ? [] : notes.map((id) => boardingValues.note(id));
      const now = boardingValues.read({ ...more, ...without, status, phase, notes: listed });
      return (state, time) =>
        reductionTransition(boarding.reduceBoarding(state.partnerState, now, situationOf(state, time)));
    });
  const delivered: Happened<boarding.BoardingState> = (state, now) => {
    const { status = '', statusDate = null } = state.partnerState.seen;
    const answers = answeredRequirements(state);
    return compose(
      markSending(answers, ['request the review']),
      ...answers.map(({ requirement }) => removeAnswered(requirement.id)),
      setPartnerState(afterDelivery(state.partnerState, answers, { status, statusDate }, now + MINUTE_MS)),
    );
  };
  return fc.oneof({ weight: 3, arbitrary: read }, fc.constant(delivered));
};

const onBusiness = (): fc.Arbitrary<Happened<business.BusinessState>> => {
  const situationOf = (state: State, now: number) =>
    businessValues.context({ open: openRequirements(state), answered: answeredRequirements(state), now });
  const read = fc
    .record({
      tickets: fc.subarray([7, 8, 9]),
      text: fc.constantFrom('Why?', 'Since when?'),
      isLocked: fc.boolean(),
      phase: fc.constantFrom('new', 'under-review', 'approved'),
    })
    .map(({ tickets, text, isLocked, phase }): Happened<business.BusinessState> => {
      const listed = tickets.map((id) => businessValues.ticket(id, text));
      const now = businessValues.read({ tickets: listed, isLocked, phase: phase as 'new' });
      return (state, time) =>
        reductionTransition(business.reduceBusiness(state.partnerState, now, situationOf(state, time)));
    });
  const answered =
    (
      change: (state: State<business.BusinessState>, now: number) => Transition,
    ): Happened<business.BusinessState> =>
    (state, now) =>
      answeredRequirements(state).some(({ requirement }) => requirement.kind === 'ticket')
        ? change(state, now)
        : compose();
  const first = (state: State) =>
    answeredRequirements(state).find(({ requirement }) => requirement.kind === 'ticket')
      ?.requirement as never;
  return fc.oneof(
    { weight: 3, arbitrary: read },
    fc.constant(
      answered((state, now) =>
        reductionTransition(
          business.reduceDelivery(state.partnerState, first(state), 12, situationOf(state, now)),
        ),
      ),
    ),
    fc.constant(
      answered((state) =>
        reductionTransition(reduceRejection(state.partnerState, first(state), 'too short')),
      ),
    ),
    fc.constant((state: State<business.BusinessState>, now: number) =>
      setPartnerState(withDeadline(state.partnerState, now)),
    ),
  );
};

const onCustomer = (): fc.Arbitrary<Happened<customer.CustomerState>> => {
  const part = fc.constantFrom('boarding', 'business');
  const state = (stage: string) =>
    ({ ...blankState('merchantBoarding'), stage, partnerStatus: stage }) as never;
  const report = fc
    .tuple(part, fc.constantFrom('r1', 'r2'), fc.nat(5), fc.constantFrom('applying', 'underwriting'))
    .map(([which, run, number, stage]): Happened<customer.CustomerState> => {
      const told = { run, number, runStartedAt: NOON, state: state(stage) };
      return ({ partnerState }) =>
        reductionTransition(customer.reduceReport(partnerState, which as 'boarding', told));
    });
  const end = fc.tuple(part, fc.constantFrom('cancelled', 'failed')).map(
    ([which, how]): Happened<customer.CustomerState> =>
      ({ partnerState }) =>
        reductionTransition(customer.reduceEnd(partnerState, which as 'boarding', { how } as never)),
  );
  const reset = part.map(
    (which): Happened<customer.CustomerState> =>
      ({ partnerState }) =>
        reductionTransition(customer.reduceReset(partnerState, which as 'boarding')),
  );
  return fc.oneof(report, end, reset);
};

/** What a workflow does by itself. */
const byItself: fc.Arbitrary<Happened<unknown>> = fc.oneof(
  fc.constantFrom('applying', 'underwriting').map((stage) => () => setFacts({ stage: stage as 'applying' })),
  fc.constant(() => setFacts({ merchantProfileId: 1001 })),
  fc.constant(() =>
    commandTransition({ ask: { kind: 'credentials', title: 'A', detail: 'B', answers: ['retry'] } }),
  ),
  fc.constant(() => addUnfinishedWrite('create', { write: 'create the merchant', outcome: 'uncertain' })),
  fc.constant(() => closeRequirements(false, () => false)),
  fc.constant(() => setEnd({ outcome: { outcome: 'declined' }, texts: ['Sorry.'] })),
);

// Proves F7. Catches what a run would remember outside of its state, or in a form that does not survive: a Map, a Date, undefined.
describe('the same events with a continue-as-new between any two of them', () => {
  it.each<[string, unknown, () => fc.Arbitrary<Happened<never>>]>([
    ['merchantBoarding', boarding.INITIAL_BOARDING_STATE, onBoarding as never],
    ['businessOnboarding', business.INITIAL_BUSINESS_STATE, onBusiness as never],
    ['customerOnboarding', customer.INITIAL_CUSTOMER_STATE, onCustomer as never],
  ])('(%s) give the same state, questions and commands', (workflowType, partnerState, ofKind) => {
    const happened = fc.oneof(
      { weight: 3, arbitrary: ofKind() },
      { weight: 2, arbitrary: byPeople() as fc.Arbitrary<Happened<never>> },
      { weight: 1, arbitrary: byItself as fc.Arbitrary<Happened<never>> },
    );
    const events = fc.array(fc.tuple(happened, fc.boolean()), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(events, (all) => {
        const [one, other] = [runs(workflowType, partnerState), runs(workflowType, partnerState)];
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
function runs(workflowType: string, partnerState: unknown) {
  const commands: unknown[] = [];
  const cellOf = (state: State) =>
    new Store(
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
  let store = cellOf(initialState(workflowType, {}, partnerState));
  return {
    commands,
    state: () => store.state,
    happens: (event: Happened<never>) => store.update(event(store.state as never, Date.now())),
    continueAsNew: () => {
      store = cellOf(jsonOf(store.state));
    },
  };
}

// Catches a program that claims and releases until the state is too large to hand on, and a bound that forgets what happened.
it('a timeline keeps what happened, and the last 1,000 entries with what people arranged among themselves', () => {
  const entries = (events: readonly Transition[]) =>
    compose(...events)(initialState('merchantBoarding', {}, undefined), {
      now: 0,
      random: () => '',
      workflowType: 'merchantBoarding',
      firstRunId: 'run-1',
      dueInMs: 0,
      idPrefix: '',
      fourEyes: [],
    }).timeline.map(({ event }) => event);
  const claims = Array.from({ length: 1_100 }, () => recordEvent('requirement-claimed'));
  const timeline = entries([recordEvent('started'), ...claims, recordEvent('submitted')]);
  expect([timeline.length, timeline[0], timeline.at(-1)]).toEqual([1_000, 'started', 'submitted']);
  const facts = Array.from({ length: 1_100 }, () => recordEvent('status-changed'));
  expect(entries(facts)).toHaveLength(1_100);
});

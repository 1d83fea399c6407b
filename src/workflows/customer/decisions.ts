/** All rules about a customer, as functions of values: memory, inputs of children, published state, and end. */
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  FollowedBusinessInput,
  FollowedCustomerInput,
  FollowedMerchantInput,
  MerchantBoardingInput,
} from '../../messages/inputs.js';
import type { OnboardingState, OutcomeName } from '../../messages/onboarding-state.js';
import type { CustomerOnboardingOutcome, Part, PartEnd, PartOutcome } from '../../messages/onboardings.js';
import { idsIn } from '../../messages/outcomes.js';
import type { Resolved } from '../../messages/requirements.js';
import type { ReportedPart } from '../journey/customer-reports.js';
import type { PublishedChange, Reaction } from '../journey/rules.js';
import type { Facts } from '../journey/state.js';

type ByPart<Value> = Readonly<Partial<Record<Part, Value>>>;

/** The memory of the parts of a customer. A run passes it to the next one. */
export interface Remembered {
  /** How parts began: as a child of this customer, or separately. */
  readonly begun: ByPart<'started' | 'attached'>;
  readonly reported: ByPart<ReportedPart>;
  /** In the order in which they ended; with the run that ended, if a report named it. */
  readonly ended: ByPart<{ readonly end: PartEnd; readonly run?: string | undefined }>;
  /** Parts that rejected what was sent to them, so that the server is asked whether they still run. */
  readonly doubted: ByPart<true>;
}

export const NOTHING: Remembered = { begun: {}, reported: {}, ended: {}, doubted: {} };

export type CustomerInput = (CustomerOnboardingInput | FollowedCustomerInput) & Resolved;

export const NOT_STARTED: PartEnd = { how: 'completed', outcome: { outcome: 'not-started' } };

export interface Child {
  readonly dba: string;
  readonly input: (
    | MerchantBoardingInput
    | FollowedMerchantInput
    | BusinessOnboardingInput
    | FollowedBusinessInput
  ) &
    Resolved;
}

/** Returns undefined if the part does not begin: a business needs a merchant. */
export function childOf(
  part: Part,
  { externalId, fourEyes, boarding, business }: CustomerInput,
  merchantProfileId: number | undefined,
): Child | undefined {
  const { dba } = boarding.merchant;
  const common = { externalId, ...(fourEyes && { fourEyes }) };
  switch (part) {
    case 'boarding':
      return { dba, input: { ...common, ...boarding } };
    case 'business': {
      if (merchantProfileId === undefined) return undefined;
      return {
        dba: business.holder.doingBusinessAsName,
        input: { ...common, ...business, merchantProfileId },
      };
    }
  }
}

/** Reports whether the merchant and the business have ended, so that neither is followed any more. */
export function isOver({ ended }: Remembered): boolean {
  return ended.boarding !== undefined && ended.business !== undefined;
}

export function publishedParts({ reported }: Remembered) {
  const states = Object.entries(reported).map(([part, { state }]) => [part, state] as const);
  return {
    requirements: states.flatMap(([, { requirements }]) => requirements),
    unsent: states.flatMap(([, { unsent = [] }]) => unsent),
    ...(Object.fromEntries(states) as ByPart<OnboardingState>),
  };
}

/** Returns the part whose requirement is open or answered. Default: the business, so that the check reports the unknown id. */
export function partWith({ reported }: Remembered, requirementId: string): Part {
  const found = Object.entries(reported).find(
    ([, { state }]) =>
      state.requirements.some(({ id }) => id === requirementId) || state.unsent?.includes(requirementId),
  );
  return (found?.[0] as Part | undefined) ?? 'business';
}

export function onBegun(before: Remembered, part: Part, unreported: ReportedPart): Remembered {
  const { [part]: known = unreported } = before.reported;
  return {
    ...before,
    begun: { ...before.begun, [part]: 'started' },
    reported: { ...before.reported, [part]: known },
  };
}

export function onReport(
  before: Remembered,
  part: Part,
  now: ReportedPart,
): Reaction<Remembered, PublishedChange> {
  const ended = before.ended[part];
  const known = ended?.run === now.run ? closed(now, ended.end) : now;
  const reported = { ...before.reported, [part]: known };
  const states = Object.values(reported).map(({ state }) => state);
  const facts: Partial<Facts> = Object.assign({}, ...states.map(idsIn));
  return { remember: { ...before, reported }, decisions: [{ know: facts }] };
}

/** Returns the consequences of the end of a part, which closes its requirements. */
export function onEnd(before: Remembered, part: Part, end: PartEnd): Reaction<Remembered, PublishedChange> {
  const known = before.reported[part];
  const ended = { ...before.ended, [part]: { end, run: known?.run } };
  const reported = known ? { ...before.reported, [part]: closed(known, end) } : before.reported;
  const decisions: readonly PublishedChange[] =
    end.how === 'completed'
      ? [{ know: idsIn(end.outcome) }, { record: `${part}-ended`, detail: end.outcome.outcome }]
      : end.how === 'failed'
        ? [{ record: `${part}-failed`, detail: 'see the child workflow' }]
        : [{ record: `${part}-ended`, detail: end.how }];
  return { remember: { ...before, reported, ended }, decisions };
}

/** Reports whether a part that has ended reports from another run, because its workflow was reset. */
export function isResumed({ reported, ended }: Remembered, part: Part): boolean {
  return ended[part] !== undefined && ended[part].run !== reported[part]?.run;
}

export function onReset(before: Remembered, part: Part): Reaction<Remembered, PublishedChange> {
  const { [part]: _, ...ended } = before.ended;
  return {
    remember: { ...before, ended },
    decisions: [{ record: `${part}-reset`, detail: 'its workflow runs again' }],
  };
}

/** Returns the memory after the end of the customer. Its parts close their own requirements. */
export function withoutRequirements(before: Remembered): Remembered {
  const silent = Object.entries(before.reported).map(([part, known]) => [part, asksNothing(known)]);
  return { ...before, reported: Object.fromEntries(silent) };
}

function asksNothing(part: ReportedPart): ReportedPart {
  return { ...part, state: { ...part.state, requirements: [], unsent: [] } };
}

/** Returns a part whose workflow has ended: it asks nothing. A part that did not complete shows as `cancelled`. */
function closed(part: ReportedPart, end: PartEnd): ReportedPart {
  const { state, ...known } = asksNothing(part);
  if (end.how !== 'completed') return { ...known, state: { ...state, stage: 'cancelled' } };
  const { outcome } = end;
  const { outcome: stage } = outcome as { readonly outcome: OutcomeName };
  const partnerStatus = 'bankingStatus' in outcome ? outcome.bankingStatus : null;
  return { ...known, state: { ...state, ...idsIn(outcome), stage, outcome: stage, partnerStatus } };
}

export function outcomeIn(end: PartEnd): PartOutcome {
  return end.how === 'completed' ? end.outcome : { outcome: 'cancelled' };
}

export function isSuccess({ outcome }: PartOutcome): boolean {
  return ['boarded', 'onboarded'].includes(outcome);
}

export function failedPart({ ended }: Remembered): Part | undefined {
  return (Object.keys(ended) as Part[]).find((part) => ended[part]?.end.how === 'failed');
}

/** Returns the outcome of the customer. If no part succeeded, it is that of the first part that ended with a reason. */
export function outcomeOf({ ended }: Remembered): CustomerOnboardingOutcome {
  const ends = Object.fromEntries(
    Object.entries(ended).map(([part, { end }]) => [part, outcomeIn(end)]),
  ) as unknown as Omit<CustomerOnboardingOutcome, 'outcome'>;
  const all = Object.values(ends);
  if (all.every(isSuccess)) return { outcome: 'onboarded', ...ends };
  if (all.some(isSuccess)) return { outcome: 'partly-onboarded', ...ends };
  const reason = all.find(({ outcome }) => outcome !== 'cancelled' && outcome !== 'not-started');
  const outcome = (reason?.outcome ?? 'abandoned') as CustomerOnboardingOutcome['outcome'];
  return { outcome, ...ends };
}

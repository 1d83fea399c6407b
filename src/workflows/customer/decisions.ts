/** The rules for a customer, as pure functions: its state, its children's inputs, its published state and its outcome. */
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
import { partnerIdsIn } from '../../messages/outcomes.js';
import type { Resolved } from '../../messages/requirements.js';
import type { ReportedPart } from '../runtime/customer-reports.js';
import type { PublishedCommand, Reduction } from '../runtime/reducer.js';
import type { PublishedFields } from '../runtime/state.js';

type ByPart<Value> = Readonly<Partial<Record<Part, Value>>>;

/** The state of a customer's parts. Each run passes it to the next. */
export interface CustomerState {
  /** How parts began: as a child of this customer, or separately. */
  readonly starts: ByPart<'started' | 'attached'>;
  readonly reports: ByPart<ReportedPart>;
  /** Ended parts, in the order in which they ended. `run` is the run that ended, if a report named it. */
  readonly ends: ByPart<{ readonly end: PartEnd; readonly run?: string | undefined }>;
  /** Parts that rejected a message and may have ended. The customer asks Temporal whether they still run. */
  readonly suspectedEnds: ByPart<true>;
}

export const INITIAL_CUSTOMER_STATE: CustomerState = { starts: {}, reports: {}, ends: {}, suspectedEnds: {} };

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

/** Returns the child to start for a part; undefined if the part does not begin, because a business needs a merchant. */
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

/** Reports whether the merchant and the business have both ended. The customer then follows neither part. */
export function isOver({ ends }: CustomerState): boolean {
  return ends.boarding !== undefined && ends.business !== undefined;
}

export function publishedParts({ reports }: CustomerState) {
  const states = Object.entries(reports).map(([part, { state }]) => [part, state] as const);
  return {
    requirements: states.flatMap(([, { requirements }]) => requirements),
    unsent: states.flatMap(([, { unsent = [] }]) => unsent),
    ...(Object.fromEntries(states) as ByPart<OnboardingState>),
  };
}

/** Returns the part whose requirement is open or answered. Default: the business, whose check then reports the unknown ID. */
export function partWith({ reports }: CustomerState, requirementId: string): Part {
  const match = Object.entries(reports).find(
    ([, { state }]) =>
      state.requirements.some(({ id }) => id === requirementId) || state.unsent?.includes(requirementId),
  );
  return (match?.[0] as Part | undefined) ?? 'business';
}

export function reduceStart(before: CustomerState, part: Part, unreported: ReportedPart): CustomerState {
  const { [part]: report = unreported } = before.reports;
  return {
    ...before,
    starts: { ...before.starts, [part]: 'started' },
    reports: { ...before.reports, [part]: report },
  };
}

export function reduceReport(
  before: CustomerState,
  part: Part,
  now: ReportedPart,
): Reduction<CustomerState, PublishedCommand> {
  const ended = before.ends[part];
  const report = ended?.run === now.run ? closePart(now, ended.end) : now;
  const reports = { ...before.reports, [part]: report };
  const states = Object.values(reports).map(({ state }) => state);
  const facts: Partial<PublishedFields> = Object.assign({}, ...states.map(partnerIdsIn));
  return { state: { ...before, reports }, commands: [{ set: facts }] };
}

/** Handles the end of a part, and closes its requirements. */
export function reduceEnd(
  before: CustomerState,
  part: Part,
  end: PartEnd,
): Reduction<CustomerState, PublishedCommand> {
  const report = before.reports[part];
  const ends = { ...before.ends, [part]: { end, run: report?.run } };
  const reports = report ? { ...before.reports, [part]: closePart(report, end) } : before.reports;
  const commands: readonly PublishedCommand[] =
    end.how === 'completed'
      ? [{ set: partnerIdsIn(end.outcome) }, { record: `${part}-ended`, detail: end.outcome.outcome }]
      : end.how === 'failed'
        ? [{ record: `${part}-failed`, detail: 'see the child workflow' }]
        : [{ record: `${part}-ended`, detail: end.how }];
  return { state: { ...before, reports, ends }, commands };
}

/** Reports whether a part that has ended reports from another run, because its workflow was reset. */
export function isResumed({ reports, ends }: CustomerState, part: Part): boolean {
  return ends[part] !== undefined && ends[part].run !== reports[part]?.run;
}

export function reduceReset(before: CustomerState, part: Part): Reduction<CustomerState, PublishedCommand> {
  const { [part]: _, ...ends } = before.ends;
  return {
    state: { ...before, ends },
    commands: [{ record: `${part}-reset`, detail: 'its workflow runs again' }],
  };
}

/** Returns the state after the end of the customer. Its parts close their own requirements. */
export function withoutRequirements(before: CustomerState): CustomerState {
  const silent = Object.entries(before.reports).map(([part, report]) => [part, withoutQuestions(report)]);
  return { ...before, reports: Object.fromEntries(silent) };
}

function withoutQuestions(part: ReportedPart): ReportedPart {
  return { ...part, state: { ...part.state, requirements: [], unsent: [] } };
}

/** Returns the part as ended: without requirements, and in stage `cancelled` if its workflow did not complete. */
function closePart(part: ReportedPart, end: PartEnd): ReportedPart {
  const { state, ...report } = withoutQuestions(part);
  if (end.how !== 'completed') return { ...report, state: { ...state, stage: 'cancelled' } };
  const { outcome } = end;
  const { outcome: stage } = outcome as { readonly outcome: OutcomeName };
  const partnerStatus = 'bankingStatus' in outcome ? outcome.bankingStatus : null;
  return { ...report, state: { ...state, ...partnerIdsIn(outcome), stage, outcome: stage, partnerStatus } };
}

export function outcomeIn(end: PartEnd): PartOutcome {
  return end.how === 'completed' ? end.outcome : { outcome: 'cancelled' };
}

export function isSuccessfulOutcome({ outcome }: PartOutcome): boolean {
  return ['boarded', 'onboarded'].includes(outcome);
}

export function failedPart({ ends }: CustomerState): Part | undefined {
  return (Object.keys(ends) as Part[]).find((part) => ends[part]?.end.how === 'failed');
}

/** Returns the customer's outcome. If no part succeeded, this is the outcome of the first part that ended with a reason. */
export function customerOutcome({ ends }: CustomerState): CustomerOnboardingOutcome {
  const outcomes = Object.fromEntries(
    Object.entries(ends).map(([part, { end }]) => [part, outcomeIn(end)]),
  ) as unknown as Omit<CustomerOnboardingOutcome, 'outcome'>;
  const all = Object.values(outcomes);
  if (all.every(isSuccessfulOutcome)) return { outcome: 'onboarded', ...outcomes };
  if (all.some(isSuccessfulOutcome)) return { outcome: 'partly-onboarded', ...outcomes };
  const reason = all.find(({ outcome }) => outcome !== 'cancelled' && outcome !== 'not-started');
  const outcome = (reason?.outcome ?? 'abandoned') as CustomerOnboardingOutcome['outcome'];
  return { outcome, ...outcomes };
}

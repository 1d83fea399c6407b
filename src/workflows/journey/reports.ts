import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { ChildReport, PartOutcome, StateChanges } from '../../messages/onboardings.js';

/** A part as its customer knows it by the reports that it has heard. */
export interface HeardPart {
  readonly run: string;
  readonly runStartedAt: string;
  /** Of the last report. */
  readonly number: number;
  readonly state: OnboardingState;
  readonly outcome?: PartOutcome;
}

const NOTHING_YET: OnboardingState = {
  stage: 'preparing',
  partnerStatus: null,
  requirements: [],
  timeline: [],
  polls: 0,
};

/** What changed between two states; all of the second without the first. The timeline only grows. */
export function changesBetween(before: OnboardingState | undefined, after: OnboardingState): StateChanges {
  const { requirements, timeline, ...facts } = after;
  const known: Partial<OnboardingState> = before ?? {};
  const since = before?.timeline.length ?? 0;
  const isNew = (name: string, value: unknown) => known[name as keyof typeof facts] !== value;
  const ids = new Set(requirements.map(({ id }) => id));
  return {
    facts: Object.fromEntries(Object.entries(facts).filter(([name, value]) => isNew(name, value))),
    // A requirement never changes: one that is asked again is another one, whatever its id.
    raised: requirements.filter((requirement) => !before?.requirements.includes(requirement)),
    closed: before?.requirements.flatMap(({ id }) => (ids.has(id) ? [] : [id])) ?? [],
    timeline: timeline.slice(since),
    since,
  };
}

export function isEmpty({ facts, raised, closed, timeline }: StateChanges): boolean {
  return Object.keys(facts).length + raised.length + closed.length + timeline.length === 0;
}

/**
 * What a customer knows of a part after a report. A report may be lost, or come twice or too late.
 *
 * @returns `old` when the report holds nothing new, `gap` when one before it is missing
 */
export function hear(known: HeardPart | undefined, report: ChildReport): HeardPart | 'old' | 'gap' {
  const { run, runStartedAt, number, isWhole, outcome } = report;
  const isSameRun = run === known?.run;
  if (isSameRun && number <= known.number) return 'old';
  if (known && Date.parse(runStartedAt) < Date.parse(known.runStartedAt)) return 'old';
  if (!isWhole && !(isSameRun && number === known.number + 1)) return 'gap';
  const state = applied(isWhole ? NOTHING_YET : (known?.state ?? NOTHING_YET), report);
  return { run, runStartedAt, number, state, ...(outcome && { outcome }) };
}

function applied(
  state: OnboardingState,
  { facts, raised, closed, timeline, since }: StateChanges,
): OnboardingState {
  const gone = new Set([...closed, ...raised.map(({ id }) => id)]);
  return {
    ...state,
    ...facts,
    requirements: [...state.requirements.filter(({ id }) => !gone.has(id)), ...raised],
    timeline: [...state.timeline.slice(0, since), ...timeline],
  };
}

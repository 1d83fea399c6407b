import { allHandlersFinished, CancellationScope, condition, isCancellation, log } from '@temporalio/workflow';
import type { OutcomeName, Unfinished, UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { problemText } from '../../partners/text-limits.js';
import type { PublishedState } from './published-state.js';
import { type Deadline, deadlinesIn, reportDeadline } from './requirements.js';
import { type PublishedFields, recordEvent, type Store } from './state.js';

/** Describes what a canceled onboarding leaves at its partner. `unread` is the text for a status that was never read. */
export function describeLeftBehind(what: string, idOf: 'merchantProfileId' | 'profileId', unread: string) {
  return ({ [idOf]: id, partnerStatus }: PublishedFields): string =>
    id
      ? `${what} ${id} stays at the partner, last seen as ${partnerStatus ?? unread}`
      : `no ${what} is known at the partner`;
}

/** Reports each requirement once when it is overdue, and once when nobody has claimed it in time. Runs as long as the workflow. */
export async function watchDeadlines(
  store: Store,
  unclaimedInHours: number | undefined,
  published: PublishedState,
): Promise<never> {
  const deadlines = () => deadlinesIn(store.state, unclaimedInHours);
  const earliest = () => Math.min(...deadlines().map(({ at }) => at));
  for (;;) {
    await condition(() => deadlines().length > 0);
    const end = earliest();
    const next = deadlines().findLast(({ at }) => at === end);
    // The requirement may have closed meanwhile, for example because the workflow ended.
    if (!next) continue;
    // A released claim can create an earlier deadline.
    const hasMoved = () => earliest() !== end;
    const summary = LATE[next.what].awaited;
    if (end > Date.now() && (await condition(hasMoved, end - Date.now(), { summary }))) continue;
    for (const { requirement, what } of deadlines().filter(({ at }) => at <= end)) {
      store.update(reportDeadline(requirement, what));
      log.warn(LATE[what].warning);
      published.report();
    }
  }
}

const LATE: Readonly<Record<Deadline['what'], Readonly<Record<'awaited' | 'warning', string>>>> = {
  overdue: {
    awaited: 'A person is asked: see User Metadata. Ends when an answer is overdue',
    warning: 'a requirement is overdue',
  },
  unclaimed: {
    awaited: 'A person is asked: see User Metadata. Ends when nobody has claimed it in time',
    warning: 'nobody has claimed a requirement in time',
  },
};

interface Ending {
  readonly store: Store;
  readonly published: PublishedState;
  readonly isContinued: boolean;
  readonly leftBehind: (facts: PublishedFields) => readonly string[];
  readonly close: (outcome: OutcomeName | 'cancelled') => void;
}

/** Runs a workflow and reports its outcome. If it is canceled, reports what exists at the partner. Handlers finish first. */
export async function runToEnd<Outcome extends { readonly outcome: OutcomeName }>(
  steps: () => Promise<Outcome>,
  { store, published, isContinued, leftBehind, close }: Ending,
): Promise<Outcome> {
  const end = async (outcome: Parameters<PublishedState['end']>[0], texts: readonly string[]) => {
    const { outcome: stage } = outcome;
    const [event, detail] =
      stage === 'cancelled' ? (['cancelled', texts.join('; ')] as const) : (['ended', stage] as const);
    close(stage);
    store.update(recordEvent(event, { detail }, { outcome: stage }));
    published.end(outcome, texts);
    const isSettled = () => allHandlersFinished() && published.isIdle;
    if (!isSettled()) await CancellationScope.nonCancellable(() => condition(isSettled));
  };
  // Current details last for one run, and followers may have missed the last run's final state.
  if (isContinued) published.report();
  else published.refresh();
  try {
    const outcome = await steps();
    published.setFacts({ outcome: outcome.outcome });
    await end(outcome, outcomeTexts(outcome));
    return outcome;
  } catch (error) {
    if (isCancellation(error)) await end({ outcome: 'cancelled' }, leftBehind(published.facts));
    throw error;
  }
}

/** Returns the texts of an outcome, without its name and IDs. */
function outcomeTexts({ comment, problems = [], unfinished = [] }: OutcomeFields): readonly string[] {
  return [
    ...(comment ? [`Comment: ${comment}`] : []),
    ...problems.map(problemText),
    ...unfinished.map(describeUnfinished),
  ];
}

interface OutcomeFields extends Unfinished {
  readonly outcome: OutcomeName;
  readonly comment?: string | null;
  readonly problems?: readonly FieldProblem[];
}

export function describeUnfinished({ write, outcome }: UnfinishedWrite): string {
  return `${write}: ${OUTCOME_TEXTS[outcome]}`;
}

const OUTCOME_TEXTS: Readonly<Record<UnfinishedWrite['outcome'], string>> = {
  done: 'was in flight, and succeeded',
  rejected: 'was in flight, and the partner rejected it',
  none: 'had no effect',
  uncertain: 'whether it took effect is unknown',
};

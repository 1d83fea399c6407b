import { allHandlersFinished, CancellationScope, condition, isCancellation, log } from '@temporalio/workflow';
import type { OutcomeName, Unfinished, UnfinishedWrite } from '../../messages/onboarding-state.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { Cell } from './cell.js';
import type { PublishedState } from './published-state.js';
import { type Deadline, deadlinesIn, reportedLate } from './requirements.js';
import { type Facts, recorded } from './state.js';

/** Describes what a canceled onboarding leaves at its partner. `unread` stands for a status that was never read. */
export function stays(what: string, idOf: 'merchantProfileId' | 'profileId', unread: string) {
  return ({ [idOf]: id, partnerStatus }: Facts): string =>
    id
      ? `${what} ${id} stays at the partner, last seen as ${partnerStatus ?? unread}`
      : `no ${what} is known at the partner`;
}

/** Reports each requirement that is overdue, or that nobody has claimed in time, once, while the workflow runs. */
export async function watchDeadlines(
  cell: Cell,
  unclaimedInHours: number | undefined,
  state: PublishedState,
): Promise<never> {
  const deadlines = () => deadlinesIn(cell.state, unclaimedInHours);
  const earliest = () => Math.min(...deadlines().map(({ at }) => at));
  for (;;) {
    await condition(() => deadlines().length > 0);
    const end = earliest();
    const next = deadlines().findLast(({ at }) => at === end);
    // The requirement may be closed by now, as by the end of the workflow.
    if (!next) continue;
    // A claim that is released may end earlier than all others.
    const hasMoved = () => earliest() !== end;
    const summary = LATE[next.what].awaited;
    if (end > Date.now() && (await condition(hasMoved, end - Date.now(), { summary }))) continue;
    for (const { requirement, what } of deadlines().filter(({ at }) => at <= end)) {
      cell.update(reportedLate(requirement, what));
      log.warn(LATE[what].warning);
      state.report();
    }
  }
}

const LATE: Readonly<Record<Deadline['what'], Readonly<Record<'awaited' | 'warning', string>>>> = {
  overdue: { awaited: 'Wait until an answer is overdue', warning: 'a requirement is overdue' },
  unclaimed: {
    awaited: 'Wait until a requirement is unclaimed for too long',
    warning: 'nobody has claimed a requirement in time',
  },
};

interface Ending {
  readonly cell: Cell;
  readonly state: PublishedState;
  readonly isContinued: boolean;
  readonly leftBehind: (facts: Facts) => readonly string[];
  readonly close: (outcome: OutcomeName | 'cancelled') => void;
}

/** Runs a workflow and reports its outcome, or its cancellation with what exists at the partner. Handlers finish first. */
export async function runToEnd<Outcome extends { readonly outcome: OutcomeName }>(
  steps: () => Promise<Outcome>,
  { cell, state, isContinued, leftBehind, close }: Ending,
): Promise<Outcome> {
  const end = async (outcome: Parameters<PublishedState['end']>[0], said: readonly string[]) => {
    const { outcome: stage } = outcome;
    const [event, detail] =
      stage === 'cancelled' ? (['cancelled', said.join('; ')] as const) : (['ended', stage] as const);
    close(stage);
    cell.update(recorded(event, { detail }, { outcome: stage }));
    state.end(outcome, said);
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await state.idle();
    });
  };
  // Current details last for one run, and followers may have missed what the last run knew.
  if (isContinued) state.report();
  else state.refresh();
  try {
    const outcome = await steps();
    state.know({ outcome: outcome.outcome });
    await end(outcome, saidOf(outcome));
    return outcome;
  } catch (error) {
    if (isCancellation(error)) await end({ outcome: 'cancelled' }, leftBehind(state.facts));
    throw error;
  }
}

/** The text of an outcome besides its name and the IDs, for people. */
function saidOf({ comment, problems = [], unfinished = [] }: Said): readonly string[] {
  return [
    ...(comment ? [`Comment: ${comment}`] : []),
    ...problems.map(problemText),
    ...unfinished.map(inWords),
  ];
}

interface Said extends Unfinished {
  readonly outcome: OutcomeName;
  readonly comment?: string | null;
  readonly problems?: readonly FieldProblem[];
}

export function inWords({ write, became }: UnfinishedWrite): string {
  return `${write}: ${IN_WORDS[became]}`;
}

const IN_WORDS: Readonly<Record<UnfinishedWrite['became'], string>> = {
  done: 'was in flight, and succeeded',
  rejected: 'was in flight, and the partner rejected it',
  'not-sent': 'was not sent',
  unknown: 'whether it took effect is unknown',
};

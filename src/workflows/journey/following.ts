import type { Duration } from '@temporalio/common';
import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { Journey, JourneyRecords } from './journey.js';
import type { PublishedState } from './published-state.js';
import { unlessAbandoned } from './requirement-queue.js';
import type { Decision, Next, PublishedChange, Reaction } from './rules.js';
import type { StatusPoll } from './status-poll.js';
import type { Tasks } from './tasks.js';

/** The records that a run passes to the next one when its history has grown long, next to the input with its corrections. */
export interface Carried<Remembered> {
  readonly journey: JourneyRecords;
  readonly remembered: Remembered;
}

/** A workflow that follows a status by rules. */
export interface Following<Seen, Snapshot, Due, Outcome> {
  readonly journey: Journey;
  readonly status: StatusPoll<Seen, Snapshot>;
  readonly tasks: Tasks;
  /** Kinds of requirements that the rules raise. Abandoning one of them ends the workflow. */
  readonly kinds: readonly RequirementKind[];
  /** The time that writes in flight have to end after a decision. Default: they are cancelled at once. */
  readonly grace?: Duration;
  readonly next: Next<Seen, Due, Outcome>;
  /** Takes a read. Returns the outcome if the workflow ends with it. */
  take(now: Snapshot): Outcome | undefined;
}

export function apply({ requirements, state }: Journey, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if ('ask' in decision) requirements.raise(decision.ask);
    else if ('close' in decision) {
      requirements.withdraw(decision.close, decision.why);
      requirements.drop(decision.close, decision.why);
    } else if ('remove' in decision) requirements.removeAnswered(decision.remove);
    else publish(state, decision);
  }
}

export function publish(state: PublishedState, change: PublishedChange): void {
  if ('know' in change) state.know(change.know);
  else state.timeline.add(change.record, defined({ detail: change.detail }));
}

/** Remembers the consequences of an event, and applies its decisions. */
export function react<Remembered>(
  following: { readonly journey: Journey; remembered: Remembered },
  { remember, decisions }: Reaction<Remembered>,
): void {
  following.remembered = remember;
  apply(following.journey, decisions);
}

/**
 * Follows a status until the workflow has an outcome. Each round begins what is due, waits until there is something to do, and
 * takes the change of the status, if there is one. The poll continues while a person is asked, so a decision of the partner ends
 * everything else. At the same moment, the first of these counts: a task that failed, a person who abandons it, the decision of
 * the partner, the answer of a person.
 */
export async function followUntilDecided<Seen, Snapshot, Due, Outcome>(
  following: Following<Seen, Snapshot, Due, Outcome>,
  runDue: (due: Due) => Promise<void>,
  continueInNewRun: () => Promise<never>,
): Promise<Outcome> {
  const { journey, status, tasks, kinds } = following;
  try {
    for (;;) {
      tasks.start(following.next.due.map((due) => ({ name: due.task, run: () => runDue(due) })));
      const { compared } = following.next;
      if (compared !== undefined) status.follow(compared);
      await untilDue(following);
      tasks.check();
      const abandoned = journey.requirements.abandonedOf(kinds);
      if (abandoned) unlessAbandoned(abandoned.resolution);
      const change = status.takeChange();
      const decided = change && following.take(change);
      const ended = decided === undefined ? following.next.ended : { outcome: decided, decisions: [] };
      if (ended) {
        apply(journey, ended.decisions);
        await endTasks(following);
        // Asked again: a write that ran to its end meanwhile may show in the outcome, such as the id of an account.
        return decided ?? following.next.ended?.outcome ?? ended.outcome;
      }
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step runs any more, so a question about its wait closes itself.
        const isWaiting = () => journey.requirements.open.some(({ kind }) => kind === 'waiting');
        await condition(() => allHandlersFinished() && !isWaiting());
        journey.state.refresh();
        return await continueInNewRun();
      }
    }
  } catch (error) {
    await tasks.stop();
    throw error;
  }
}

/** Publishes the state, and waits until there is something to do. */
async function untilDue<Seen, Snapshot, Due, Outcome>(
  following: Following<Seen, Snapshot, Due, Outcome>,
): Promise<void> {
  const { journey, status, tasks, kinds } = following;
  const isDue = () => {
    if (status.hasChange || tasks.hasFailed || journey.requirements.abandonedOf(kinds)) return true;
    const { due, compared, ended } = following.next;
    const isPollDue = compared !== undefined && !status.isFollowing;
    return isPollDue || ended !== undefined || due.some(({ task }) => !tasks.isRunning(task));
  };
  while (!isDue()) {
    if (tasks.isBusy) journey.state.refresh();
    else journey.state.report();
    const { wakeAt } = following.next;
    const isOver = () => isDue() || following.next.wakeAt !== wakeAt;
    if (wakeAt === undefined) await condition(isOver);
    else await condition(isOver, wakeAt - Date.now(), { summary: 'Wait until an answer shows its effect' });
  }
}

/**
 * Ends what runs once there is an outcome. Writes in flight run to their end, and no other begins. Answers that they do not
 * deliver are dropped, and the timeline says whether one may have arrived.
 */
async function endTasks<Seen, Snapshot, Due, Outcome>({
  journey: { requirements, writes },
  tasks,
  kinds,
  grace,
}: Following<Seen, Snapshot, Due, Outcome>): Promise<void> {
  const isAsking = () => requirements.open.some(({ kind }) => !kinds.includes(kind));
  if (grace !== undefined && tasks.isBusy)
    await condition(() => !tasks.isBusy || isAsking(), grace, { summary: 'Let calls in flight end' });
  await tasks.stop();
  requirements.dropUndelivered(kinds, writes.unknown);
}

import type { Duration } from '@temporalio/common';
import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { Journey, JourneyRecords } from './journey.js';
import type { PublishedState } from './published-state.js';
import { unlessAbandoned } from './requirement-queue.js';
import type { Decision, Next, PublishedChange, Reaction, Rules } from './rules.js';
import type { StatusPoll } from './status-poll.js';
import type { Tasks } from './tasks.js';

/** The records that a run passes to the next one when its history has grown long, next to the input with its corrections. */
export interface Carried<Remembered> {
  readonly journey: JourneyRecords;
  readonly remembered: Remembered;
}

interface Running {
  readonly journey: Journey;
  readonly poll: Pick<StatusPoll<never, unknown>, 'hasChange' | 'isPolling'>;
  readonly tasks: Tasks;
  /** The time that writes have to end by themselves after a decision. Default: none. What was sent then still runs to its end. */
  readonly grace?: Duration;
}

/** An onboarding that {@link Rules} decide about. */
export interface Onboarding<Remembered, Situation, Seen, Snapshot> extends Running {
  readonly poll: StatusPoll<Seen, Snapshot>;
  remembered: Remembered;
  readonly situation: Situation;
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

export function react<Remembered>(
  onboarding: { readonly journey: Journey; remembered: Remembered },
  { remember, decisions }: Reaction<Remembered>,
): void {
  onboarding.remembered = remember;
  apply(onboarding.journey, decisions);
}

// Keeps F3.
/**
 * Runs rounds until the workflow has an outcome. Each round begins what is due, waits until there is something to do, and
 * takes the change of the status, if there is one. The poll continues while a person is asked, so a decision of the partner ends
 * everything else. If several things happen at once, the first of these counts: a task failed, a person abandoned the onboarding,
 * the partner decided, a person answered.
 */
export async function runUntilDecided<Remembered, Situation, Seen, Snapshot, Due, Outcome>(
  onboarding: Onboarding<Remembered, Situation, Seen, Snapshot>,
  rules: Rules<Remembered, Situation, Seen, Snapshot, Due, Outcome>,
  runDue: (due: Due) => Promise<void>,
  continueInNewRun: (carried: Carried<Remembered>) => Promise<never>,
): Promise<Outcome> {
  const { journey, poll, tasks } = onboarding;
  const { kinds } = rules;
  const next = () => rules.next(onboarding.remembered, onboarding.situation);
  try {
    for (;;) {
      tasks.start(next().due.map((due) => ({ name: due.task, run: () => runDue(due) })));
      const { compared } = next();
      if (compared !== undefined) poll.start(compared);
      await untilDue(onboarding, kinds, next);
      tasks.check();
      const abandoned = journey.requirements.abandonedOf(kinds);
      if (abandoned) unlessAbandoned(abandoned.resolution);
      const change = poll.takeChange();
      if (change) react(onboarding, rules.onRead(onboarding.remembered, change, onboarding.situation));
      const { ended } = next();
      if (ended) {
        apply(journey, ended.decisions);
        await endTasks(onboarding, kinds);
        // Asked again: a write that ran to its end meanwhile may show in the outcome, such as the id of an account.
        return next().ended?.outcome ?? ended.outcome;
      }
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step runs any more, so a question about its wait closes itself.
        const isWaiting = () => journey.requirements.open.some(({ kind }) => kind === 'waiting');
        await condition(() => allHandlersFinished() && !isWaiting());
        journey.state.refresh();
        return await continueInNewRun({ journey: journey.records, remembered: onboarding.remembered });
      }
    }
  } catch (error) {
    await tasks.stop();
    throw error;
  }
}

async function untilDue(
  { journey, poll, tasks }: Running,
  kinds: readonly RequirementKind[],
  next: () => Next<unknown, unknown, unknown>,
): Promise<void> {
  const isDue = () => {
    if (poll.hasChange || tasks.hasFailed || journey.requirements.abandonedOf(kinds)) return true;
    const { due, compared, ended } = next();
    const isPollDue = compared !== undefined && !poll.isPolling;
    return isPollDue || ended !== undefined || due.some(({ task }) => !tasks.isRunning(task));
  };
  while (!isDue()) {
    if (tasks.isBusy) journey.state.refresh();
    else journey.state.report();
    const { wakeAt } = next();
    const isOver = () => isDue() || next().wakeAt !== wakeAt;
    if (wakeAt === undefined) await condition(isOver);
    else await condition(isOver, wakeAt - Date.now(), { summary: 'Wait until an answer shows its effect' });
  }
}

/**
 * Ends what runs once there is an outcome. Writes in flight run to their end, and no other begins. Answers that they do not
 * deliver are dropped, and the timeline says whether one may have arrived.
 */
async function endTasks(
  { journey: { requirements, writes }, tasks, grace }: Running,
  kinds: readonly RequirementKind[],
): Promise<void> {
  const isAsking = () => requirements.open.some(({ kind }) => !kinds.includes(kind));
  if (grace !== undefined && tasks.isBusy)
    await condition(() => !tasks.isBusy || isAsking(), grace, { summary: 'Let calls in flight end' });
  await tasks.stop();
  requirements.dropUndelivered(kinds, writes.unknown);
}

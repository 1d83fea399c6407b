import type { Duration } from '@temporalio/common';
import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { Journey } from './journey.js';
import { abandonedIn, dropped, raised, removed, unlessAbandoned, withdrawn } from './requirements.js';
import type { Decision, Next, Reaction, Rules } from './rules.js';
import { all, known, recorded, type Transition, withMemory } from './state.js';
import type { Carried } from './stateful.js';
import type { StatusPoll } from './status-poll.js';
import type { Tasks } from './tasks.js';

interface Running {
  readonly journey: Journey;
  readonly poll: Pick<StatusPoll<never, unknown>, 'hasChange' | 'isPolling'>;
  readonly tasks: Tasks;
  /** The time that writes have to end by themselves after a decision. Default: none. What was sent then still runs to its end. */
  readonly grace?: Duration;
}

/** An onboarding that {@link Rules} decide about. */
export interface Onboarding<Memory, Situation, Seen, Snapshot> extends Omit<Running, 'journey'> {
  readonly journey: Journey<Memory>;
  readonly poll: StatusPoll<Seen, Snapshot>;
  readonly situation: Situation;
}

/** The change of the state that a decision means. */
export function decided(decision: Decision): Transition {
  if ('ask' in decision) return raised(decision.ask);
  if ('close' in decision)
    return all(withdrawn(decision.close, decision.why), dropped(decision.close, decision.why));
  if ('remove' in decision) return removed(decision.remove);
  if ('know' in decision) return known(decision.know);
  return recorded(decision.record, defined({ detail: decision.detail }));
}

export function reacted({ remember, decisions }: Reaction<unknown>): Transition {
  return all(withMemory(remember), ...decisions.map(decided));
}

// Keeps F3.
/**
 * Runs rounds until the workflow has an outcome. Each round begins what is due, waits until there is something to do, and
 * takes the change of the status, if there is one. The poll continues while a person is asked, so a decision of the partner ends
 * everything else. If several things happen at once, the first of these counts: a task failed, a person abandoned the onboarding,
 * the partner decided, a person answered.
 */
export async function runUntilDecided<Memory, Situation, Seen, Snapshot, Due, Outcome>(
  onboarding: Onboarding<Memory, Situation, Seen, Snapshot>,
  rules: Rules<Memory, Situation, Seen, Snapshot, Due, Outcome>,
  runDue: (due: Due) => Promise<void>,
  continueInNewRun: (carried: Carried<Memory>) => Promise<never>,
): Promise<Outcome> {
  const { journey, poll, tasks } = onboarding;
  const { kinds } = rules;
  const next = () => rules.next(journey.memory, onboarding.situation);
  try {
    for (;;) {
      tasks.start(next().due.map((due) => ({ name: due.task, run: () => runDue(due) })));
      const { compared } = next();
      if (compared !== undefined) poll.start(compared);
      await untilDue(onboarding, kinds, next);
      tasks.check();
      const abandoned = abandonedIn(journey.cell.state, kinds);
      if (abandoned) unlessAbandoned(abandoned.resolution);
      const change = poll.takeChange();
      if (change) journey.update(reacted(rules.onRead(journey.memory, change, onboarding.situation)));
      const { ended } = next();
      if (ended) {
        journey.update(...ended.decisions.map(decided));
        await endTasks(onboarding, kinds);
        // Asked again: a write that ran to its end meanwhile may show in the outcome, such as the id of an account.
        return next().ended?.outcome ?? ended.outcome;
      }
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step runs any more, so a question about its wait closes itself.
        const isWaiting = () => journey.open.some(({ kind }) => kind === 'waiting');
        await condition(() => allHandlersFinished() && !isWaiting());
        journey.state.refresh();
        return await continueInNewRun(journey.carried);
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
    if (poll.hasChange || tasks.hasFailed || abandonedIn(journey.cell.state, kinds)) return true;
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
  { journey, tasks, grace }: Running,
  kinds: readonly RequirementKind[],
): Promise<void> {
  const isAsking = () => journey.open.some(({ kind }) => !kinds.includes(kind));
  if (grace !== undefined && tasks.isBusy)
    await condition(() => !tasks.isBusy || isAsking(), grace, { summary: 'Let calls in flight end' });
  await tasks.stop();
  journey.dropUndelivered(kinds);
}

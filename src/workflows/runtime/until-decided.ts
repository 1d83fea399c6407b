import type { Duration } from '@temporalio/common';
import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { compact } from '../../messages/objects.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { OnboardingRuntime } from './onboarding-runtime.js';
import {
  dropAnswer,
  findAbandonment,
  raiseRequirement,
  removeEntry,
  requireNotAbandoned,
  withdrawRequirement,
} from './requirements.js';
import type { Command, Plan, Reduction, Rules } from './rules.js';
import { compose, recordEvent, setFacts, setPartnerState, type Transition } from './state.js';
import type { CarriedState } from './stateful.js';
import type { StatusPoll } from './status-poll.js';
import type { Tasks } from './tasks.js';

interface Running {
  readonly runtime: OnboardingRuntime;
  readonly poll: Pick<StatusPoll<never, unknown>, 'hasChange' | 'isPolling'>;
  readonly tasks: Tasks;
  /** The time that writes have to end by themselves after a decision. Default: none. What was sent then still runs to its end. */
  readonly grace?: Duration;
}

/** An onboarding that {@link Rules} decide about. */
export interface Onboarding<State, Context, Seen, Snapshot> extends Omit<Running, 'runtime'> {
  readonly runtime: OnboardingRuntime<State>;
  readonly poll: StatusPoll<Seen, Snapshot>;
  readonly context: Context;
}

/** The change of the state that a decision means. */
export function commandTransition(command: Command): Transition {
  if ('ask' in command) return raiseRequirement(command.ask);
  if ('close' in command)
    return compose(withdrawRequirement(command.close, command.why), dropAnswer(command.close, command.why));
  if ('remove' in command) return removeEntry(command.remove);
  if ('set' in command) return setFacts(command.set);
  return recordEvent(command.record, compact({ detail: command.detail }));
}

export function reductionTransition({ state, commands }: Reduction<unknown>): Transition {
  return compose(setPartnerState(state), ...commands.map(commandTransition));
}

// Keeps F3.
/**
 * Runs rounds until the workflow has an outcome. Each round begins what is due, waits until there is something to do, and
 * takes the change of the status, if there is one. The poll continues while a person is asked, so a decision of the partner ends
 * everything else. If several things happen at once, the first of these counts: a task failed, a person abandoned the onboarding,
 * the partner decided, a person answered.
 */
export async function runUntilDecided<State, Context, Seen, Snapshot, Pending, Outcome>(
  onboarding: Onboarding<State, Context, Seen, Snapshot>,
  rules: Rules<State, Context, Seen, Snapshot, Pending, Outcome>,
  runPending: (pending: Pending) => Promise<void>,
  continueInNewRun: (carriedState: CarriedState<State>) => Promise<never>,
): Promise<Outcome> {
  const { runtime, poll, tasks } = onboarding;
  const { kinds } = rules;
  const plan = () => rules.plan(runtime.partnerState, onboarding.context);
  try {
    for (;;) {
      tasks.start(plan().pending.map((pending) => ({ name: pending.task, run: () => runPending(pending) })));
      const { baseline } = plan();
      if (baseline !== undefined) poll.start(baseline);
      await untilPending(onboarding, kinds, plan);
      tasks.check();
      const abandoned = findAbandonment(runtime.store.state, kinds);
      if (abandoned) requireNotAbandoned(abandoned.resolution);
      const change = poll.takeChange();
      if (change)
        runtime.update(reductionTransition(rules.reduce(runtime.partnerState, change, onboarding.context)));
      const { end } = plan();
      if (end) {
        runtime.update(...end.commands.map(commandTransition));
        await endTasks(onboarding, kinds);
        // Asked again: a write that ran to its end meanwhile may show in the outcome, such as the id of an account.
        return plan().end?.outcome ?? end.outcome;
      }
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step runs any more, so a question about its wait closes itself.
        await condition(() => allHandlersFinished() && !isStalled(runtime));
        runtime.published.refresh();
        return await continueInNewRun(runtime.carriedState);
      }
      // People alone make a run long as well, and Temporal takes 2,000 updates in one. The next run polls again.
      if (isLong(onboarding)) {
        runtime.published.refresh();
        return await continueInNewRun(runtime.carriedState);
      }
    }
  } catch (error) {
    await tasks.stop();
    throw error;
  }
}

const isStalled = ({ open }: OnboardingRuntime) => open.some(({ kind }) => kind === 'waiting');

/** Whether the next run should take over while nothing but the poll runs. */
function isLong({ runtime, tasks }: Running): boolean {
  if (!workflowInfo().continueAsNewSuggested) return false;
  return !tasks.isBusy && !isStalled(runtime) && allHandlersFinished();
}

async function untilPending(
  running: Running,
  kinds: readonly RequirementKind[],
  plan: () => Plan<unknown, unknown, unknown>,
): Promise<void> {
  const { runtime, poll, tasks } = running;
  const hasWork = () => {
    if (isLong(running) || poll.hasChange || tasks.hasFailed || findAbandonment(runtime.store.state, kinds))
      return true;
    const { pending, baseline, end } = plan();
    const needsPoll = baseline !== undefined && !poll.isPolling;
    return needsPoll || end !== undefined || pending.some(({ task }) => !tasks.isRunning(task));
  };
  while (!hasWork()) {
    if (tasks.isBusy) runtime.published.refresh();
    else runtime.published.report();
    const { wakeAt } = plan();
    const isOver = () => hasWork() || plan().wakeAt !== wakeAt;
    if (wakeAt === undefined) await condition(isOver);
    else await condition(isOver, wakeAt - Date.now(), { summary: 'Wait until an answer shows its effect' });
  }
}

/**
 * Ends what runs once there is an outcome. Writes in flight run to their end, and no other begins. Answers that they do not
 * deliver are dropped, and the timeline says whether one may have arrived.
 */
async function endTasks(
  { runtime, tasks, grace }: Running,
  kinds: readonly RequirementKind[],
): Promise<void> {
  const isAsking = () => runtime.open.some(({ kind }) => !kinds.includes(kind));
  if (grace !== undefined && tasks.isBusy)
    await condition(() => !tasks.isBusy || isAsking(), grace, { summary: 'Let calls in flight end' });
  await tasks.stop();
  runtime.dropUndelivered(kinds);
}

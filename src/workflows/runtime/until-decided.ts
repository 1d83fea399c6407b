import type { Duration } from '@temporalio/common';
import { allHandlersFinished, CancelledFailure, condition, workflowInfo } from '@temporalio/workflow';
import { omitUndefined } from '../../messages/objects.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { OnboardingRuntime } from './onboarding-runtime.js';
import type { Command, Plan, Reduction, Rules } from './reducer.js';
import {
  dropAnswer,
  findAbandonment,
  raiseRequirement,
  removeAnswered,
  requireNotAbandoned,
  withdrawRequirement,
} from './requirements.js';
import { compose, recordEvent, setFacts, setPartnerState, type Transition } from './state.js';
import type { CarriedState } from './stateful.js';
import type { StatusPoll } from './status-poll.js';
import type { Tasks } from './tasks.js';

/** An onboarding driven by {@link Rules}. */
export interface Onboarding<State, Context, Seen, Snapshot> extends OnboardingRuntime<State> {
  readonly poll: StatusPoll<Seen, Snapshot>;
  readonly tasks: Tasks;
  readonly context: Context;
  /** The time after a decision until running tasks are canceled. Default: none. A request in flight always finishes. */
  readonly gracePeriod?: Duration;
}

type AnyOnboarding = Onboarding<unknown, unknown, never, unknown>;

export function commandTransition(command: Command): Transition {
  if ('ask' in command) return raiseRequirement(command.ask);
  if ('close' in command)
    return compose(withdrawRequirement(command.close, command.why), dropAnswer(command.close, command.why));
  if ('remove' in command) return removeAnswered(command.remove);
  if ('set' in command) return setFacts(command.set);
  return recordEvent(command.record, omitUndefined({ detail: command.detail }));
}

export function reductionTransition({ state, commands }: Reduction<unknown>): Transition {
  return compose(setPartnerState(state), ...commands.map(commandTransition));
}

// Keeps F3.
/**
 * Runs rounds until the workflow has an outcome. Each round starts the pending tasks, waits for work, and reduces a status change,
 * if any. The poll continues while a person is asked, so a decision of the partner ends everything else. If several things happen
 * at once, the first in this list wins: a task failed, a person abandoned the onboarding, the partner decided, a person answered.
 */
export async function runUntilDecided<State, Context, Seen, Snapshot, Pending, Outcome>(
  onboarding: Onboarding<State, Context, Seen, Snapshot>,
  rules: Rules<State, Context, Seen, Snapshot, Pending, Outcome>,
  runPending: (pending: Pending) => Promise<void>,
  continueInNewRun: (carriedState: CarriedState<State>) => Promise<never>,
): Promise<Outcome> {
  const { poll, tasks } = onboarding;
  const { kinds } = rules;
  const plan = () => rules.plan(onboarding.partnerState, onboarding.context);
  try {
    for (;;) {
      tasks.start(plan().pending.map((pending) => ({ name: pending.task, run: () => runPending(pending) })));
      const { baseline } = plan();
      if (baseline !== undefined) poll.start(baseline);
      await waitForWork(onboarding, kinds, plan);
      tasks.check();
      const abandoned = findAbandonment(onboarding.store.state, kinds);
      if (abandoned) requireNotAbandoned(abandoned.resolution);
      const change = poll.takeChange();
      if (change)
        onboarding.update(
          reductionTransition(rules.reduce(onboarding.partnerState, change, onboarding.context)),
        );
      const { end } = plan();
      if (end) {
        onboarding.update(...end.commands.map(commandTransition));
        await endTasks(onboarding, kinds);
        // Plan again: a write that finished meanwhile may have changed the outcome, for example added an account ID.
        return plan().end?.outcome ?? end.outcome;
      }
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step is running, so a `waiting` requirement closes by itself.
        await condition(() => allHandlersFinished() && !isStalled(onboarding));
      } else if (!shouldContinueAsNew(onboarding)) continue;
      // Updates from people also lengthen a history, and Temporal accepts 2,000 per run. The next run restarts the poll.
      onboarding.published.refresh();
      // The next run would not know of a cancellation that arrives together with what ends this one.
      if (onboarding.isCancelled) throw new CancelledFailure('canceled before the next run');
      return await continueInNewRun(onboarding.carriedState);
    }
  } catch (error) {
    await tasks.stop();
    throw error;
  }
}

const isStalled = ({ open }: AnyOnboarding) => open.some(({ kind }) => kind === 'waiting');

/** Reports whether to continue as new: it is suggested, and only the poll is running. */
function shouldContinueAsNew(onboarding: AnyOnboarding): boolean {
  if (!workflowInfo().continueAsNewSuggested) return false;
  return !onboarding.tasks.isBusy && !isStalled(onboarding) && allHandlersFinished();
}

/** Waits until there is work for a round. Publishes the state first. */
async function waitForWork(
  onboarding: AnyOnboarding,
  kinds: readonly RequirementKind[],
  plan: () => Plan<unknown, unknown, unknown>,
): Promise<void> {
  const { published, poll, tasks } = onboarding;
  const hasWork = () => {
    if (
      shouldContinueAsNew(onboarding) ||
      poll.hasChange ||
      tasks.hasFailed ||
      findAbandonment(onboarding.store.state, kinds)
    )
      return true;
    const { pending, baseline, end } = plan();
    const needsPoll = baseline !== undefined && !poll.isPolling;
    return needsPoll || end !== undefined || pending.some(({ task }) => !tasks.isRunning(task));
  };
  while (!hasWork()) {
    if (tasks.isBusy) published.refresh();
    else published.report();
    const { wakeAt } = plan();
    const isOver = () => hasWork() || plan().wakeAt !== wakeAt;
    if (wakeAt === undefined) await condition(isOver);
    else await condition(isOver, wakeAt - Date.now(), { summary: 'Wait until an answer shows its effect' });
  }
}

/**
 * Stops the tasks once there is an outcome. Writes in flight finish, and no new one starts. Undelivered answers are dropped, and
 * the timeline says whether one may have arrived.
 */
async function endTasks(onboarding: AnyOnboarding, kinds: readonly RequirementKind[]): Promise<void> {
  const { tasks, gracePeriod } = onboarding;
  const isAsking = () => onboarding.open.some(({ kind }) => !kinds.includes(kind));
  if (gracePeriod !== undefined && tasks.isBusy)
    await condition(() => !tasks.isBusy || isAsking(), gracePeriod, { summary: 'Let calls in flight end' });
  await tasks.stop();
  onboarding.dropUndelivered(kinds);
}

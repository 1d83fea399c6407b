import { ActivityFailure, TimeoutFailure } from '@temporalio/common';
import { proxyActivities, setHandler } from '@temporalio/workflow';
import { credentialsRefused, type ProcessActivities, type Refusal } from '../../messages/partner-account.js';
import { partnerActivities, RETRY_WAITING, WAIT } from '../runtime/activity-proxies.js';
import { pendingAnswerTo } from '../runtime/answers.js';
import { removeAnswered, withdrawRequirement } from '../runtime/requirements.js';
import { runUnlessEnded, type Task } from '../runtime/tasks.js';
import type { Account } from './duties.js';
import { credentialsQuestion, type System } from './questions.js';

/**
 * Asks once, for all onboardings, about the credentials that the partner refuses to a worker process, and retries the waiting activities
 * when it accepts them, or when the process has ended. Refused processes take turns.
 */
export function refusedCredentials(account: Account, system: System): () => readonly Task[] {
  const refusals = () => Object.entries(account.partnerState.refusals);
  setHandler(credentialsRefused, ({ process, refusal }) =>
    account.patchState({ refusals: { ...account.partnerState.refusals, [process]: refusal } }),
  );
  const { wakeRefused } = partnerActivities(system)({ wakeRefused: RETRY_WAITING });

  /** The check returns null as well when the process has ended, and its task queue with it. */
  const checkIn = (process: string): ProcessActivities['checkCredentials'] => {
    const { checkCredentials } = proxyActivities<ProcessActivities>({
      ...{ ...WAIT, taskQueue: process, scheduleToStartTimeout: '15s', summary: 'Try the credentials' },
      retry: { initialInterval: '5s', backoffCoefficient: 1 },
    });
    return (request) =>
      checkCredentials(request).catch((error: unknown) => {
        // The server retries after each other timeout.
        if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return null;
        throw error;
      });
  };

  /** Waits until the partner gives another result, or a person answers. @returns the result */
  const ask = async (process: string, seen: Refusal): Promise<Refusal | null> => {
    const id = account.raise(credentialsQuestion(system, process, seen));
    account.published.report();
    const wait = () => checkIn(process)({ seen });
    const result = (await runUnlessEnded(wait, () => account.isAnswered(id))) ?? null;
    const answer = pendingAnswerTo(account.store, id)?.resolution.answer;
    account.update(
      withdrawRequirement(id, result ? 'the reason has changed' : 'no longer refused'),
      removeAnswered(id),
    );
    account.published.report();
    if (!answer) return result;
    return checkIn(process)({ now: true, code: answer.kind === 'code' ? answer.code : undefined });
  };

  const run = async () => {
    // A refusal from before the last success may be outdated.
    let now = false;
    for (let [first] = refusals(); first; [first] = refusals()) {
      const [process, { operation, reason }] = first;
      account.patchState({ refusals: Object.fromEntries(refusals().slice(1)) });
      account.record('credentials-refused', { detail: `${operation}: ${reason}` });
      let refusal = await checkIn(process)({ now });
      while (refusal) refusal = await ask(process, refusal);
      account.record('credentials-work', { detail: `retried at once: ${await wakeRefused()}` });
      now = true;
    }
  };
  return () => (refusals().length > 0 ? [{ name: 'refused credentials', run }] : []);
}

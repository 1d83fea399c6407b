import { activityInfo, getClient, log } from '@temporalio/activity';
import { workflowTaskQueue } from '../../messages/task-queues.js';
import { reportTickets } from '../../temporal/partner-accounts.js';

/** Two reports are at least this far apart, in milliseconds. What is new meanwhile is reported by a later poll. */
const PACE_MS = 60_000;

/**
 * Reports tickets that a poll lists and that are not about its profile. The workflow of the account then finds out whether any
 * onboarding shows them. A ticket is reported once for as long as it is listed.
 */
export class OtherTickets {
  #reported = new Set<number>();
  #nextAt = 0;

  constructor(private readonly partnerAccount: string | undefined) {}

  /**
   * Reports in the background, because the poll must not wait.
   *
   * @param others which of the `listed` tickets are not about the profile
   */
  seen(others: readonly number[], listed: readonly number[]): void {
    const { partnerAccount } = this;
    this.#reported = new Set(listed.filter((id) => this.#reported.has(id)));
    if (others.every((id) => this.#reported.has(id)) || performance.now() < this.#nextAt) return;
    const { workflowExecution, taskQueue } = activityInfo();
    if (!workflowExecution) return;
    this.#nextAt = performance.now() + PACE_MS;
    const fresh = others.filter((id) => !this.#reported.has(id));
    for (const id of fresh) this.#reported.add(id);
    reportTickets(getClient(), {
      system: 'banking',
      account: partnerAccount,
      taskQueue: workflowTaskQueue(taskQueue, 'banking', partnerAccount),
    }).catch((error: unknown) => {
      for (const id of fresh) this.#reported.delete(id);
      log.warn('tickets could not be reported', { error });
    });
  }
}

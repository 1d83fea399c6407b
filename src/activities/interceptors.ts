import { getClient, type Info, log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { PARTNER_ERROR } from '../messages/activities.js';
import { AWAIT_STATUS_ACTIVITY_ID } from '../messages/ids.js';
import { type PartnerWait, stepWaits } from '../messages/onboarding-state.js';
import { bounded, LONGEST, shortened } from '../partners/bounds.js';
import type { PartnerErrorDetails } from '../partners/partner-error.js';
import { masked } from '../privacy/masked.js';
import { type AccountAt, reportUnreadable } from '../temporal/partner-accounts.js';

/** After how long people hear of what waits for a partner, in milliseconds. */
export interface PatienceSettings {
  /** Of a step, whatever it waits for. */
  readonly stepMs: number;
  /** Of responses that cannot be read. */
  readonly unreadableMs: number;
}

/** A wait that a partner asked for is shown from this on, in milliseconds. */
const SHOWN_FROM_MS = 60_000;

/** A report to Temporal may take this long, in milliseconds. */
const REPORT_TIMEOUT_MS = 5_000;

/** As much is remembered at most, should workflows end that waited. */
const MOST_REMEMBERED = 10_000;

/**
 * Reports what the server tries again in silence: to the workflow, that its step waits for longer than a moment or too long;
 * to the workflow of the account, that responses of an operation could not be read for too long. A report costs four events of
 * history, so a wait that goes on is reported with its 1st, 2nd, 4th, 8th attempt, and as late once.
 */
export class PartnerWaits {
  /** Waits that were reported as late, by workflow and activity. */
  readonly #late = new Set<string>();
  /** Since when the responses to an activity cannot be read. */
  readonly #unreadable = new Map<string, number>();
  /** When an operation was reported last. */
  readonly #reportedAt = new Map<string, number>();

  constructor(
    private readonly place: AccountAt,
    private readonly patience: PatienceSettings,
  ) {}

  /** Watches all activities of an account at a partner. */
  readonly interceptors: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
    inbound: {
      execute: async (input, next) => {
        try {
          const outcome = await next(input);
          this.#forget(info);
          return outcome;
        } catch (error) {
          if (isBenign(error)) this.#forget(info);
          else if (isTriedAgain(error) && isInStory(info)) await this.#report(info, error);
          throw error;
        }
      },
    },
  });

  #forget(info: Info): void {
    this.#late.delete(keyOf(info));
    this.#unreadable.delete(keyOf(info));
  }

  async #report(info: Info, error: unknown): Promise<void> {
    const reports = [this.#reportWait(info, error), this.#reportUnreadable(info, error)];
    await Promise.all(reports).catch((failed: unknown) =>
      log.warn('what waits for a partner could not be reported', { error: failed }),
    );
  }

  async #reportWait(info: Info, error: unknown): Promise<void> {
    const { workflowExecution, activityId, scheduledTimestampMs, attempt } = info;
    // The poll waits for a change.
    if (!workflowExecution || activityId === AWAIT_STATUS_ACTIVITY_ID) return;
    const { retryAfterMs = 0 } = detailsOf(error) ?? {};
    const isLong = retryAfterMs >= SHOWN_FROM_MS && isPowerOfTwo(attempt);
    const key = keyOf(info);
    const isLate = Date.now() - scheduledTimestampMs >= this.patience.stepMs && !this.#late.has(key);
    if (!isLong && !isLate) return;
    const wait: PartnerWait = {
      since: new Date(scheduledTimestampMs).toISOString(),
      ...(isLong && { until: new Date(Date.now() + retryAfterMs).toISOString() }),
      reason: error instanceof Error ? error.message : 'unknown',
      isLate,
    };
    const client = getClient();
    const { workflowId, runId } = workflowExecution;
    await client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId, runId).signal(stepWaits, wait),
    );
    if (isLate && this.#late.size < MOST_REMEMBERED) this.#late.add(key);
  }

  async #reportUnreadable(info: Info, error: unknown): Promise<void> {
    const { unreadable: operation, fields = [] } = detailsOf(error) ?? {};
    if (operation === undefined || !info.workflowExecution) return;
    const key = keyOf(info);
    const isPoll = info.activityId === AWAIT_STATUS_ACTIVITY_ID;
    const since = this.#unreadable.get(key) ?? (isPoll ? Date.now() : info.scheduledTimestampMs);
    if (this.#unreadable.size < MOST_REMEMBERED) this.#unreadable.set(key, since);
    const { unreadableMs } = this.patience;
    const wasReported = Date.now() - (this.#reportedAt.get(operation) ?? 0) < unreadableMs;
    if (Date.now() - since < unreadableMs || wasReported) return;
    this.#reportedAt.set(operation, Date.now());
    const what = fields.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
    const client = getClient();
    const report = {
      operation,
      since: new Date(since).toISOString(),
      what: shortened(masked(what, 'log'), LONGEST.text),
      workflowId: info.workflowExecution.workflowId,
    };
    await client
      .withDeadline(Date.now() + REPORT_TIMEOUT_MS, () => reportUnreadable(client, this.place, report))
      .catch((failed: unknown) => {
        this.#reportedAt.delete(operation);
        throw failed;
      });
  }
}

function keyOf({ workflowExecution, activityId }: Info): string {
  return `${workflowExecution?.workflowId} ${workflowExecution?.runId} ${activityId}`;
}

/** Who started an activity by itself waits for its outcome. */
function isInStory({ workflowType }: Info): boolean {
  return workflowType !== undefined && workflowType !== 'singleActivity';
}

function isBenign(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}

function isTriedAgain(error: unknown): boolean {
  return !(error instanceof ApplicationFailure && error.nonRetryable);
}

function detailsOf(error: unknown): PartnerErrorDetails | undefined {
  if (!(error instanceof ApplicationFailure) || error.type !== PARTNER_ERROR) return undefined;
  return error.details?.[0] as PartnerErrorDetails;
}

function isPowerOfTwo(number: number): boolean {
  return (number & (number - 1)) === 0;
}

/**
 * Shortens what partners wrote, in the outcome of every activity, before a workflow keeps and shows it. Whoever runs an
 * activity by itself, such as `gangway call`, gets the response as it is.
 */
export const boundedOutcomes: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const outcome = await next(input);
      const isAskedFor = info.workflowType === undefined || info.workflowType === 'singleActivity';
      return isAskedFor ? outcome : bounded(outcome);
    },
  },
});

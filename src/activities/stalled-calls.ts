import { type Info, log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { AWAIT_STATUS_ACTIVITY_ID } from '../messages/ids.js';
import { type StalledCall, stalledCallSignal } from '../messages/onboarding-state.js';
import { readsUnreadable } from '../messages/partner-account.js';
import { failsForAccount } from '../partners/partner-error.js';
import { isRedirection } from '../partners/pause.js';
import { LONGEST, problemText, truncate } from '../partners/text-limits.js';
import { redact } from '../platform/privacy/masked.js';
import { type ReportingAccount, reportTo } from '../temporal/partner-accounts.js';
import { callWithDeadline, partnerErrorOfActivity } from './failures.js';
import { type PollProgress, pollProgress } from './poll.js';
import { activityKey } from './software-errors.js';

/** How long a wait must last before people see it, in milliseconds. */
export interface StalledCallLimits {
  /** For a step that waits for any reason. */
  readonly stepMs: number;
  /** For unreadable responses. */
  readonly unreadableMs: number;
}

/** The shortest wait to report after a partner's `Retry-After` or an error in Gangway's code, in milliseconds. */
const SHOWN_FROM_MS = 60_000;

/** Bounds memory: a workflow that ends while it waits leaves its entry behind. */
const MAX_REMEMBERED = 10_000;

// Keeps W6.
/**
 * Reports retries to workflows, which cannot see them. The account's workflow receives unreadable responses, missing permissions
 * and errors in Gangway's code. The step's workflow receives two kinds of waits, each at a cost of four history events:
 * - a long wait that the partner asked for (`Retry-After`): reported at attempts 1, 8, 64 and so on
 * - any wait that has lasted `stepMs`: reported once
 *
 * A status poll waits by design, so only the time since its reads began to fail counts.
 */
export class StalledCallReporter {
  readonly #stalled = new Set<string>();
  readonly #reportedAt = new Map<string, number>();

  constructor(
    private readonly account: ReportingAccount,
    private readonly limits: StalledCallLimits,
  ) {}

  readonly interceptors: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
    inbound: {
      execute: async (input, next) => {
        try {
          const outcome = await next(input);
          this.#stalled.delete(activityKey(info));
          return outcome;
        } catch (error) {
          const failure = error instanceof ApplicationFailure ? error : undefined;
          const isGood = failure?.category === ApplicationFailureCategory.BENIGN;
          if (isGood) this.#stalled.delete(activityKey(info));
          if (!info.inWorkflow || failure?.nonRetryable) throw error;
          const reports = isGood
            ? [this.#reportEnd(info)]
            : [this.#reportStalled(info, error), this.#reportForAccount(info, error)];
          await Promise.all(reports).catch((failed: unknown) =>
            log.warn('could not report a wait for a partner', { error: failed }),
          );
          throw error;
        }
      },
    },
  });

  async #reportEnd(info: Info): Promise<void> {
    const { failing } = pollIn(info) ?? {};
    if (failing && Date.now() - failing.since >= this.limits.stepMs)
      await signal(info, {
        since: isoOf(failing.since),
        reason: '',
        isStalled: false,
        isPoll: true,
        isOver: true,
      });
  }

  async #reportStalled(info: Info, error: unknown): Promise<void> {
    const { scheduledTimestampMs, attempt } = info;
    const poll = pollIn(info);
    const since = poll ? (poll.failing?.since ?? Date.now()) : scheduledTimestampMs;
    const details = partnerErrorOfActivity(error);
    const { retryAfterMs = 0 } = details ?? {};
    // The account asks about it, once for all onboardings.
    if (details && failsForAccount(details) !== undefined) return;
    const isLong = !poll && retryAfterMs >= SHOWN_FROM_MS && Number.isInteger(Math.log2(attempt) / 3);
    const key = activityKey(info);
    const isStalled = Date.now() - since >= this.limits.stepMs && !this.#stalled.has(key);
    if (!isLong && !isStalled) return;
    await signal(info, {
      since: isoOf(since),
      ...(isLong && { until: isoOf(Date.now() + retryAfterMs) }),
      reason: error instanceof Error ? error.message : 'unknown',
      isStalled,
      ...(poll && { isPoll: true }),
    });
    if (isStalled && this.#stalled.size < MAX_REMEMBERED) this.#stalled.add(key);
  }

  async #reportForAccount(info: Info, error: unknown): Promise<void> {
    const details = partnerErrorOfActivity(error);
    const operation = details && failsForAccount(details);
    if (!details || operation === undefined || !info.workflowExecution) return;
    const { kind, status = 403, fields, reason, build } = details;
    const isForbidden = kind === 'Forbidden';
    const poll = pollIn(info);
    const stepSince = poll ? (poll.failing?.unreadableSince ?? Date.now()) : info.scheduledTimestampMs;
    const since = details.since === undefined ? stepSince : Date.parse(details.since);
    const { unreadableMs } = this.limits;
    const wasReported = Date.now() - (this.#reportedAt.get(operation) ?? 0) < unreadableMs;
    const isBroken = build !== undefined && Date.now() - since >= SHOWN_FROM_MS;
    const isLasting = isForbidden || isRedirection(status) || isBroken;
    if ((!isLasting && Date.now() - since < unreadableMs) || wasReported) return;
    this.#reportedAt.set(operation, Date.now());
    const what = fields.map(problemText).join('; ') || reason;
    const report = {
      operation,
      since: isoOf(since),
      what: truncate(redact(what, 'log'), LONGEST.text),
      workflowId: info.workflowExecution.workflowId,
      ...(isForbidden && { forbidden: status }),
      ...(build !== undefined && { failing: details.operation }),
    };
    await callWithDeadline((client) => reportTo(client, this.account, readsUnreadable, report)).catch(
      (failed) => {
        this.#reportedAt.delete(operation);
        throw failed;
      },
    );
  }
}

function pollIn({ activityId, heartbeatDetails }: Info): PollProgress | undefined {
  const isStatusPoll = activityId === AWAIT_STATUS_ACTIVITY_ID;
  return pollProgress(heartbeatDetails) ?? (isStatusPoll ? { hasRead: false } : undefined);
}

async function signal({ workflowExecution }: Info, call: StalledCall): Promise<void> {
  if (!workflowExecution) return;
  const { workflowId, runId } = workflowExecution;
  await callWithDeadline(({ workflow }) =>
    workflow.getHandle(workflowId, runId).signal(stalledCallSignal, call),
  );
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

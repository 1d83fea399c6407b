import { type Info, metricMeter } from '@temporalio/activity';
import { isGrpcServiceError } from '@temporalio/client';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { OUR_SOFTWARE_FAILS, SOFTWARE_ERROR } from '../messages/activities.js';
import { PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { LONGEST, truncate } from '../partners/text-limits.js';
import { StoreFailure } from '../platform/documents/file-store.js';
import { redact } from '../platform/privacy/masked.js';
import { isUnreadablePayload } from '../temporal/payload-codec.js';
import { TemporalProblem } from '../temporal/unavailable.js';

/** Names of SDK errors about Temporal, and of errors about an aborted call. */
const OF_SDK = /^(Activity|Workflow|Query|CompleteAsync|Service|Abort)\w*Error$/;

/** The longest wait between two attempts, in milliseconds. Without it, a poll would repeat its reads each second. */
const MAX_PAUSE_MS = 120_000;

/** Bounds memory: a workflow that ends while its activity fails leaves its entry behind. */
export const MAX_REMEMBERED = 10_000;

/**
 * Turns an error in our own code, which the server would silently retry, into a failure that names it, and counts it by activity
 * type and build. Place it inside the interceptors of `StalledCalls`, which reports the failure.
 */
export function softwareErrors(system: string, build = 'without an ID'): ActivityInterceptorsFactory {
  const failingSince = new Map<string, number>();
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const key = activityKey(info);
        const since = failingSince.get(key) ?? Date.now();
        failingSince.delete(key);
        try {
          return await next(input);
        } catch (error) {
          if (isOfOthers(error)) throw error;
          if (failingSince.size < MAX_REMEMBERED) failingSince.set(key, since);
          const help = 'Activities that failed because of an error of our own code';
          metricMeter.createCounter('gangway_software_errors_total', undefined, help).add(1, { build });
          throw asFailure(error, info, { system, build, since: new Date(since).toISOString() });
        }
      },
    },
  });
}

/** Reports whether an error comes from a partner, Temporal, the document store or a missing key. */
function isOfOthers(error: unknown): boolean {
  const others = [TemporalFailure, TemporalProblem, PartnerError, StoreFailure];
  if (isGrpcServiceError(error) || isUnreadablePayload(error)) return true;
  return error instanceof Error && (OF_SDK.test(error.name) || others.some((each) => error instanceof each));
}

function asFailure(
  error: unknown,
  { activityType: operation, attempt }: Info,
  where: Pick<PartnerErrorDetails, 'system' | 'build'> & { readonly since: string },
): ApplicationFailure {
  const reason = truncate(redact(String(error), 'log'), LONGEST.line);
  const failure = ApplicationFailure.create({
    type: SOFTWARE_ERROR,
    message: `${OUR_SOFTWARE_FAILS}: ${operation}: ${reason}, since ${where.since.slice(0, 16).replace('T', ' ')} UTC`,
    details: [{ ...where, operation, kind: 'Uncertain', fields: [], reason } satisfies PartnerErrorDetails],
    nextRetryDelay: Math.min(1_000 * 2 ** (attempt - 1), MAX_PAUSE_MS),
  });
  if (error instanceof Error && error.stack) failure.stack = redact(error.stack, 'log');
  return failure;
}

/** Includes the scheduled time, because each poll has the same activity ID as the previous one. */
export function activityKey({ workflowExecution, activityId, scheduledTimestampMs }: Info): string {
  return `${workflowExecution?.workflowId} ${workflowExecution?.runId} ${activityId} ${scheduledTimestampMs}`;
}

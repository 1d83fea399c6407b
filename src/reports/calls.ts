import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { PARTNER_ERROR } from '../messages/activities.js';
import { defined } from '../messages/objects.js';
import type { PartnerErrorDetails, PartnerErrorKind } from '../partners/partner-error.js';
import type { PartnerActivity } from '../temporal/history.js';
import { explainPartnerFailure } from '../texts/partner-failures.js';
import type { Mask } from './mask.js';
import type { CallResult, ExportedCall } from './record.js';

export function callsOf(activities: readonly PartnerActivity[], mask: Mask): ExportedCall[] {
  return activities.map((made, index) => {
    const { activity, summary, system, scheduledAt, startedAt, closedAt, attempts, request, response } = made;
    const failure = partnerErrorIn(made.failure);
    const problem = failure ? explainPartnerFailure(failure).replaceAll('\n', ';') : made.failure?.message;
    return {
      ...{ number: index + 1, operation: activity, system, scheduledAt, attempts, result: resultOf(made) },
      ...(defined({
        summary: summary && mask.ours(summary),
        startedAt,
        endedAt: closedAt,
        problem: problem && mask.theirs(problem),
        httpStatus: failure?.status,
        requestId: failure?.requestId,
        request: mask.theirs(request),
        response: mask.theirs(response),
      }) as Partial<ExportedCall>),
    };
  });
}

function partnerErrorIn(error: Error | undefined): PartnerErrorDetails | undefined {
  const failure = error instanceof TimeoutFailure ? error.cause : error;
  if (!(failure instanceof ApplicationFailure) || failure.type !== PARTNER_ERROR) return undefined;
  return failure.details?.[0] as PartnerErrorDetails;
}

const RESULTS: Readonly<Record<PartnerErrorKind, CallResult>> = {
  NotSent: 'not-sent',
  RateLimited: 'rate-limited',
  Rejected: 'rejected',
  Unauthorized: 'unauthorized',
  Forbidden: 'forbidden',
  Uncertain: 'uncertain',
};

function resultOf({ end, response, failure }: PartnerActivity): CallResult {
  switch (end) {
    case 'completed':
      return hasProblems(response) ? 'rejected' : 'done';
    case 'failed': {
      const kind = partnerErrorIn(failure)?.kind;
      return kind === undefined ? 'failed' : RESULTS[kind];
    }
    case 'unfinished':
      return 'not-recorded';
    default:
      return end;
  }
}

/** A partner may reject a request with a successful HTTP status. */
function hasProblems(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const { problems, refusal } = response as { problems?: unknown; refusal?: unknown };
  return refusal !== undefined || (Array.isArray(problems) && problems.length > 0);
}

import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { type Mark, PARTNER_ERROR } from '../../messages/activities.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';

/** The failed partner call in the failure of an activity; throws any other error. */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause, activityType: operation } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR) {
    return cause.details?.[0] as PartnerErrorDetails;
  }
  // The attempt ended before its request, and the server did not retry it because the activity was canceled.
  if (cause instanceof ApplicationFailure && (cause.type === 'NotSent' || cause.type === 'GivenUp'))
    return ownFailure('NotSent', operation, cause.message);
  if (!(cause instanceof TimeoutFailure)) throw error;
  const mark = cause.lastHeartbeatDetails as Mark | undefined;
  const reason = 'the attempt timed out';
  // The server does not retry an attempt that timed out while its activity was canceled: its mark shows whether it was sent.
  if (!mark?.sending) return ownFailure('NotSent', operation, reason);
  const { sending: _, response: __, ...sent } = mark;
  return { ...ownFailure('Uncertain', operation, reason), ...sent };
}

export function ownFailure(
  kind: PartnerErrorDetails['kind'],
  operation: string,
  reason: string,
  fields: readonly FieldProblem[] = [],
): PartnerErrorDetails {
  return { system: 'gangway', operation, kind, fields, reason };
}

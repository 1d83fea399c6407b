import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import { type Mark, PARTNER_ERROR } from '../../messages/activities.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';

/**
 * What an activity's failure says of the partner call in it. An attempt that timed out, which the server did not retry
 * because the activity was cancelled, has left a mark when its request may be on its way.
 *
 * @throws the error itself, when it is a cancellation or an error of our own
 */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause, activityType: operation } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR) {
    return cause.details?.[0] as PartnerErrorDetails;
  }
  // Its attempt ended before the request, and the server did not retry it because the activity was cancelled.
  if (cause instanceof ApplicationFailure && (cause.type === 'NotSent' || cause.type === 'GivenUp'))
    return { system: 'gangway', operation, kind: 'NotSent', fields: [], reason: cause.message };
  if (!(cause instanceof TimeoutFailure)) throw error;
  const mark = cause.lastHeartbeatDetails as Mark | undefined;
  const about = { system: 'gangway', operation, fields: [], reason: 'the attempt timed out' };
  if (!mark?.sending) return { ...about, kind: 'NotSent' };
  const { sending: _, ...sent } = mark;
  return { ...about, kind: 'Uncertain', ...sent };
}

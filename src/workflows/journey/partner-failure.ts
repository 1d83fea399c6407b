import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import { PARTNER_ERROR } from '../../messages/partner-failure.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';

/**
 * What an activity's failure says of the partner call in it. Anything that is not the client's own judgement (a
 * worker that died, a time-out, a bug after the request went out) leaves the outcome of the call unknown.
 *
 * @throws the error itself, when it is a cancellation
 */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (isCancellation(error)) throw error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR) {
    return cause.details?.[0] as PartnerErrorDetails;
  }
  const reason = cause instanceof Error ? cause.name : 'no answer from the worker';
  const operation = error instanceof ActivityFailure ? error.activityType : 'unknown';
  return { system: 'gangway', operation, kind: 'Uncertain', fields: [], reason };
}

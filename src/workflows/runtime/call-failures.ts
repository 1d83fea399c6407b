import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { unreportedOutcome } from '../../at-most-once/workflow.js';
import { PARTNER_ERROR } from '../../messages/activities.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';

/** The failed partner call in the failure of an activity; throws any other error. */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR)
    return cause.details?.[0] as PartnerErrorDetails;
  const entry = unreportedOutcome(cause);
  if (!entry) throw error;
  const { outcome, reason, sent } = entry;
  return { ...ownFailure(outcome === 'none' ? 'NotSent' : 'Uncertain', activityType, reason), ...sent };
}

export function ownFailure(
  kind: PartnerErrorDetails['kind'],
  operation: string,
  reason: string,
  fields: readonly FieldProblem[] = [],
): PartnerErrorDetails {
  return { system: 'gangway', operation, kind, fields, reason };
}

import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { PARTNER_ERROR } from '../../messages/activities.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';
import { describeReason } from '../../partners/text-limits.js';
import { problemLines } from './invalid-input.js';

/** Returns the partner call that made an activity fail, or time out in retries; undefined for any other failure. */
export function partnerErrorOfFailure(error: unknown): PartnerErrorDetails | undefined {
  const failure = error instanceof TimeoutFailure ? error.cause : error;
  if (!(failure instanceof ApplicationFailure) || failure.type !== PARTNER_ERROR) return undefined;
  return failure.details?.[0] as PartnerErrorDetails;
}

/** Describes a failed partner call: one line, and one for each problem that the partner reports. */
export function explainPartnerFailure(failure: PartnerErrorDetails): string {
  const { system, fields, atStore, reason, saved } = failure;
  const sentence = atStore
    ? `the file store failed: ${reason}`
    : `the ${system} partner ${whatHappened(failure)}`;
  const sign =
    saved === undefined
      ? []
      : [
          `  its response ${saved === '' ? 'has a record' : `names ${saved}`}: look whether it was saved before you call again`,
        ];
  return [sentence, ...problemLines(fields), ...sign].join('\n');
}

function whatHappened({ kind, reason, needs, atSignIn, status = 401 }: PartnerErrorDetails): string {
  if (needs === 'one-time-code') {
    return 'requires a one-time code to sign in: answer its requirement ("gangway inbox"), or set BANKING_TOTP_SECRET';
  }
  switch (kind) {
    case 'NotSent':
      return `${atSignIn ? 'did not sign us in' : 'could not be reached'}: ${describeReason(reason)}`;
    case 'RateLimited':
      return reason.endsWith('429')
        ? 'limits our calls (429): try again later'
        : `gets no calls now: ${reason}`;
    case 'Rejected':
      return `rejected the request (${reason})`;
    case 'Unauthorized':
      return `rejected our credentials (${status}): correct them in the settings`;
    case 'Forbidden':
      return atSignIn
        ? 'denied the sign-in (403): the account is locked or suspended'
        : 'denied the request (403): the account lacks the permission';
    case 'Uncertain':
      return `sent no clear response: ${describeReason(reason)}`;
  }
}

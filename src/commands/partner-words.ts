import type { PartnerErrorDetails } from '../partners/partner-error.js';
import { problemLines } from './errors.js';

/** What became of a partner call that failed, for people: a line, and one for each thing that is wrong. */
export function inWords(failure: PartnerErrorDetails): string {
  return [`the ${failure.system} partner ${whatItDid(failure)}`, ...problemLines(failure.fields)].join('\n');
}

function whatItDid({ kind, reason, needs, atSignIn, status = 401 }: PartnerErrorDetails): string {
  if (needs === 'one-time-code') {
    return 'lets us in with a one-time code only: answer "gangway inbox", or set BANKING_TOTP_SECRET';
  }
  switch (kind) {
    case 'NotSent':
      return `was not reached: ${reason}`;
    case 'RateLimited':
      return 'wants us to wait: too many calls (429)';
    case 'Rejected':
      return `refused this (${reason})`;
    case 'Unauthorized':
      return `refuses our credentials (${status}): correct them in the worker’s settings`;
    case 'Forbidden':
      return atSignIn
        ? 'does not let us sign in (403): the account is locked or suspended'
        : 'does not permit this (403)';
    case 'Uncertain':
      return `gave no clear answer: ${reason}`;
  }
}

/** Questions about a partner account as a whole, and questions that a single operation asks. */
import type { PartnerAccountInput, Refusal, UnreadableReport } from '../messages/partner-account.js';
import { STATUS_MEANINGS } from '../partners/phases.js';
import { redact } from '../platform/privacy/masked.js';
import { minuteOf } from './runtime/current-details.js';
import type { Question } from './runtime/state.js';

/** A partner, and our account there. `account` is undefined for the unnamed account. */
export interface Partner {
  readonly system: PartnerAccountInput['system'];
  readonly account: string | undefined;
}

export function credentialsQuestion(
  at: Partner,
  process: string,
  { kind, reason, needs, words }: Refusal,
): Question {
  const partner = describePartner(at);
  const alone =
    'Gangway tries the credentials once a minute, and everything that waits continues when they work.';
  if (needs === 'one-time-code')
    return {
      kind: 'one-time-code',
      title: `One-time code needed: sign in to ${partner}`,
      detail:
        `Worker process ${process} cannot sign in without a one-time code (${reason}). Answer with a code: it is valid for one sign-in, ` +
        `and each worker process signs in separately. With a TOTP secret in the settings, no code is needed. ${alone}${said(words)}`,
      answers: ['code', 'retry'],
    };
  const [what, remedy] =
    kind === 'Forbidden'
      ? ['does not let us sign in (403): the account is locked or suspended', 'Ask the partner to unlock it.']
      : ['rejects our credentials (401)', 'Correct them in the worker settings, and restart the workers.'];
  return {
    kind: 'credentials',
    title: `No access: ${partner}`,
    detail:
      `The partner ${what}; ${reason}. ${remedy} It refuses worker process ${process}. ${alone} Answer retry to try them now.` +
      said(words),
    answers: ['retry'],
  };
}

function said(words: string): string {
  return words === '' ? '' : ` Response of the partner: ${redact(words)}`;
}

function describePartner({ system, account }: Partner): string {
  return `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
}

export function unreadableQuestion(
  at: Partner,
  { operation, since, what, workflowId, forbidden, failing }: UnreadableReport,
): Question {
  if (failing !== undefined)
    return {
      kind: 'software-error',
      title: `Our software fails: ${operation} at ${describePartner(at)}`,
      detail:
        `Since ${minuteOf(since)}, ${operation} of the workers fails in ${failing} (${redact(what)}). ${workflowId} waits for it, and ` +
        'perhaps others. The partner cannot help. What failed before its request has sent nothing, and a write that may have been sent ' +
        'is not sent again. Put a corrected build into service, or take this one back with "deploy/roll-out.sh back". Gangway tries ' +
        'again every few minutes, and this requirement closes when that succeeds. Answer retry to try at once.',
      answers: ['retry'],
    };
  if (forbidden !== undefined)
    return {
      kind: 'credentials',
      title: `Not permitted: ${operation} of ${describePartner(at)}`,
      detail:
        `The partner accepts our credentials, and does not permit ${operation} (${forbidden}). ${workflowId} waits for it, and perhaps ` +
        'others; or its record belongs to another organization. Ask the partner for the permission. Gangway tries again every ' +
        `minute, and this requirement closes when that succeeds. Answer retry to try at once.${said(what)}`,
      answers: ['retry'],
    };
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${describePartner(at)}`,
    detail:
      `Since ${minuteOf(since)}, responses to ${operation} cannot be read. The last one: ${redact(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract, or its address. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}

export function newStatusQuestion(at: Partner, status: string): Question {
  const text = redact(status);
  const choices = Object.entries(STATUS_MEANINGS)
    .map(([meaning, effect]) => `${meaning} (${effect})`)
    .join(', ');
  return {
    about: aboutStatus(status),
    kind: 'new-status',
    title: `New status of ${describePartner(at)}: “${text}”`,
    detail:
      `The status “${text}” is undocumented. Ask the partner what it means, and choose: ${choices}. The answer applies to all ` +
      'onboardings of the account, now and later, and cannot be changed. Until then, Gangway waits for the next status.',
    answers: ['choice'],
    choices: Object.keys(STATUS_MEANINGS),
  };
}

/** `status-on-hold`. Two names with the same slug still get different IDs: the second requirement gets a number. */
function aboutStatus(status: string): string {
  const plain = status
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');
  return `status-${plain.slice(0, 40) || 'name'}`;
}

export function operationCodeQuestion(why: string): Question {
  return {
    kind: 'one-time-code',
    title: 'One-time code needed: change the address',
    detail: `${why} Answer with a code of 6 digits.`,
    answers: ['code', 'abandon'],
  };
}

/** The questions of a partner account, in words. */
import type { PartnerAccountInput, Refusal, UnreadableReport } from '../../messages/partner-account.js';
import { redact } from '../../platform/privacy/masked.js';
import { accountName } from '../runtime/activity-proxies.js';
import { minuteOf } from '../runtime/current-details.js';
import type { Question } from '../runtime/state.js';

export type System = PartnerAccountInput['system'];

export function credentialsQuestion(
  system: System,
  process: string,
  { kind, reason, needs, words }: Refusal,
): Question {
  const partner = describePartner(system);
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

export function describePartner(system: System): string {
  const account = accountName();
  return `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
}

export function unreadableQuestion(
  system: System,
  { operation, since, what, workflowId, forbidden, failing }: UnreadableReport,
): Question {
  if (failing !== undefined)
    return {
      kind: 'software-error',
      title: `Our software fails: ${operation} at ${describePartner(system)}`,
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
      title: `Not permitted: ${operation} of ${describePartner(system)}`,
      detail:
        `The partner accepts our credentials, and does not permit ${operation} (${forbidden}). ${workflowId} waits for it, and perhaps ` +
        'others; or its record belongs to another organization. Ask the partner for the permission. Gangway tries again every ' +
        `minute, and this requirement closes when that succeeds. Answer retry to try at once.${said(what)}`,
      answers: ['retry'],
    };
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${describePartner(system)}`,
    detail:
      `Since ${minuteOf(since)}, responses to ${operation} cannot be read. The last one: ${redact(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract, or its address. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}

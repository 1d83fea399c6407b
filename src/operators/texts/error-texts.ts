import type { PartnerErrorKind } from '../../partners/partner-error.js';
import type { ProblemKind } from '../../receiver/problems.js';
import type { Obstacle } from '../../temporal/unreadable.js';
import { type Explanation, NOTHING } from './explanation.js';

/** The failures of a call to a partner. */
export const PARTNER_ERROR_TEXTS: Readonly<Record<PartnerErrorKind, Explanation>> = {
  NotSent: {
    meaning:
      'The call was not made: the connection was refused or took too long, the name has no address, TLS failed, the sign-in before ' +
      'the call had no clear response, or the file store failed.',
    next: 'Gangway tries again until the partner responds. Nothing can happen twice.',
    person:
      '`gangway doctor` shows which of these it is, and what to do. Only the partner can repair a failing sign-in.',
  },
  RateLimited: {
    meaning: 'The partner limits our calls (429). It did nothing.',
    next: 'Gangway sends nothing for that account for as long as the response asks, at most one hour, and then retries.',
    person:
      'If this continues, lower `<SYSTEM>_ACTIVITIES_PER_SECOND` on all workers, or ask the partner to raise its limit.',
  },
  Rejected: {
    meaning: 'The partner, or Gangway’s own check before the call, rejected the request. Nothing happened.',
    next: 'An onboarding raises the requirement `rejected-input`. A command prints the fields and ends.',
    person: 'Correct the fields that the message names.',
  },
  Unauthorized: {
    meaning: 'The partner does not accept our credentials (401), even after a new sign-in. Nothing happened.',
    next: 'The workflow `partner-account-...` raises the requirement `credentials`, and everything waits for it.',
    person: 'Correct the user name and the password in the settings, and restart the workers.',
  },
  Forbidden: {
    meaning:
      'The partner denied the request (403). Nothing happened: our account lacks a permission or is locked, or the merchant belongs to another ISO.',
    next: 'The requirement `credentials` asks a person.',
    person: 'Ask the partner for the permission, or to unlock the account. Then answer `--retry`.',
  },
  Uncertain: {
    meaning:
      'The request was sent, and no clear response arrived: a time-out, a reset, a 5xx, or a body that cannot be read. A write may have taken effect.',
    next: 'Gangway repeats reads, and writes that are safe to repeat. For any other write it searches for evidence, and then asks a person.',
    person: 'Check at the partner whether it took effect before you repeat anything.',
  },
};

/** The reasons why the state of an onboarding cannot be read. It loses nothing meanwhile. */
export const OBSTACLE_TEXTS: Readonly<Record<Obstacle, Explanation>> = {
  'no-worker': {
    meaning: 'No worker polls the task queue of the onboarding.',
    next: 'The onboarding continues when a worker runs.',
    person:
      'Start a worker, or compare `GANGWAY_TASK_QUEUE` of the worker and the command. With builds, make a running build current.',
  },
  'no-response': {
    meaning:
      'Workers polled the task queue in the last minute, but none responds in time. They are busy or gone.',
    next: 'Temporal gives the task to another worker after a few seconds.',
    person: 'Try again in ten seconds. If that does not help, `gangway doctor` checks the workers.',
  },
  'build-gone': {
    meaning: 'The onboarding is pinned to a build that no worker runs.',
    next: 'It waits until a worker of that build runs.',
    person:
      'Start a worker of that build until the onboarding has ended. A stopped worker still counts for a minute.',
  },
  'task-fails': {
    meaning: 'The code of the worker cannot continue the history of the onboarding.',
    next: 'The server tries again until it succeeds, so nothing is lost.',
    person: '[Roll back](changing-workflows.md#roll-back) to the previous build, or deploy a corrected one.',
  },
  'no-key': {
    meaning:
      'The onboarding is encrypted with a key that is not in `PAYLOAD_KEYS` of the command or of a worker.',
    next: 'It continues when its workers have the key.',
    person: 'Add the [key](security.md#keys). The command needs the keys of the workers.',
  },
};

/** The receiver's refusals of a request. Their titles are in receiver/problems.ts. */
export const PROBLEM_TEXTS: Readonly<Record<ProblemKind, Explanation>> = {
  unreadable: refused('The request is not valid HTTP or not valid JSON.', 'Correct the sender.'),
  'bad-signature': refused(
    'The signature of an event is missing or wrong, or its time is off by more than five minutes.',
    'Compare `RECEIVER_SECRETS` with the secret of the sender, and the clocks of both.',
  ),
  'bad-token': refused(
    'The bearer token is missing or wrong.',
    'Compare `RECEIVER_TOKENS` with the token of the caller.',
  ),
  'bad-sender': refused(
    'A webhook does not authenticate as the partner.',
    'Compare `RECEIVER_<PARTNER>_AUTH` with what the partner sends.',
  ),
  'partner-off': refused(
    'The receiver takes no webhooks of this partner.',
    'Set `RECEIVER_<PARTNER>_AUTH`, or have the partner stop sending.',
  ),
  'unknown-onboarding': refused(
    'There is no onboarding with this ID in the namespace.',
    '`gangway list` lists the onboardings.',
  ),
  'unknown-path': refused('The receiver has no such path.', 'Compare the URL with `/openapi.json`.'),
  'wrong-method': refused('This path does not support that method.', 'Compare it with `/openapi.json`.'),
  'too-slow': refused('The request took too long to arrive.', 'Look at the network of the sender.'),
  'ambiguous-id': refused(
    'Several onboardings have this `externalId`, in several partner accounts or of several kinds.',
    'Use the whole workflow ID.',
  ),
  'other-input': refused(
    'The onboarding was started earlier with another input. Gangway does not change it.',
    'Use a new `externalId` for another onboarding.',
  ),
  'not-open': refused(
    'The requirement was answered, or the partner’s own change closed it.',
    '`gangway status ID` lists the open requirements.',
  ),
  'too-large': refused('The body is too large.', 'Send fewer events at once, or smaller documents.'),
  'unsupported-media-type': refused('The content type is not supported.', 'Send JSON.'),
  'unknown-event-type': refused('The type of the event is unknown.', 'Compare it with docs/events.md.'),
  invalid: refused('Fields are missing or wrong.', 'The response names each field and its rule.'),
  'too-many-requests': refused(
    'The caller sent more requests in a minute than the receiver accepts.',
    'Send more slowly. `Retry-After` has the wait.',
  ),
  'headers-too-large': refused('The headers are too large.', 'Correct the sender.'),
  'internal-error': {
    meaning: 'The receiver has a bug.',
    next: 'The sender tries again.',
    person: 'The log of the receiver has the kind of the error. Roll the receiver back.',
  },
  'not-applied': {
    meaning: 'Temporal has the answer, but no worker has applied it yet.',
    next: 'A worker applies it later.',
    person: 'Start a worker. If the requirement is still open afterwards, answer again.',
  },
  'unreadable-onboarding': {
    meaning: 'The state of the onboarding cannot be read now.',
    next: 'The sender tries again. The onboarding loses nothing.',
    person: '`gangway status ID` names the reason, and `gangway explain` describes it.',
  },
  'temporal-unavailable': {
    meaning: 'The receiver gets no response from Temporal.',
    next: 'The sender tries again, and the receiver connects again.',
    person: '`gangway doctor` shows whether server, network, certificate or API key is the cause.',
  },
};

function refused(meaning: string, person: string): Explanation {
  return { meaning, next: `${NOTHING} The request had no effect.`, person };
}

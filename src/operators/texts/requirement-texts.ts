import type { RequirementKind } from '../../messages/requirement-kinds.js';
import type { Explanation } from './explanation.js';

/** The runbook of a requirement. docs/operations.md and docs/onboardings.md are made from it. */
export interface Runbook extends Explanation {
  /** The allowed answers, as options of `gangway resolve`. */
  readonly answers: string;
  /** Where to see what it is about. */
  readonly see: string;
  /** What not to do, after "Do not". */
  readonly never: string;
}

export const REQUIREMENT_TEXTS: Readonly<Record<RequirementKind, Runbook>> = {
  'underwriting-note': {
    answers: '`--text`, `--document`, `--abandon`',
    meaning: 'An underwriter asks for something.',
    see: 'The detail is the text of the note.',
    person: 'Get it from the merchant or its agent. Answer with `--text "..."` or `--document FILE`.',
    next:
      'Gangway sends all answers together when each note has one, and requests the review. If you answered in the portal, the ' +
      'requirement closes when the partner no longer lists the note.',
    never: 'answer in the partner’s portal and here.',
  },
  'request-changes': {
    answers: '`--set`, `--retry`, `--abandon`',
    meaning: 'Underwriting wants the application changed.',
    see: 'The detail is the underwriters’ comment.',
    person:
      '`--set application.FIELD=VALUE` for each field that changes. `gangway status ID --input` lists them.',
    next: 'Gangway submits the application again.',
    never: 'use `--retry` to get rid of the requirement. It submits the application unchanged.',
  },
  'not-submitted': {
    answers: '`--set`, `--retry`, `--abandon`',
    meaning:
      'Gangway [follows](onboardings.md#follow-only) a merchant or a banking profile that nobody has submitted, or whose holder the ' +
      'bank rejected.',
    see: 'The detail shows the ID, the dba and the partner’s status.',
    person:
      'Submit it where it was created. Or have Gangway submit a merchant: `--retry` sends it as the partner has it, ' +
      '`--set application.FIELD=VALUE` changes fields before. For a profile, `--patch` the complete `holder`, and ' +
      '`beneficialOwners` if there are any.',
    next: 'The requirement closes by itself when it is submitted elsewhere.',
    never: 'use `--retry` or `--patch` while another program still works on it. It would be submitted twice.',
  },
  'unclear-mid': {
    answers: '`--adopt`, `--abandon`',
    meaning:
      'The merchant is approved, and the partner shows something other than 1 to 20 digits as its `mid`.',
    see: 'The detail shows the value. The partner’s portal shows what it means.',
    person: '`--adopt MID` with the right `mid`, which can be the one that is shown.',
    next: 'The answer ends the boarding. The requirement closes by itself when the partner shows digits.',
    never: 'adopt a temporary `mid`. Gangway cannot correct it later.',
  },
  'rejected-input': {
    answers: '`--set`, `--document`, `--adopt`, `--retry`, `--abandon`',
    meaning:
      'The partner, or Gangway’s own check, rejected fields or a document. The request was not carried out.',
    see: 'The detail names each field and its rule.',
    person:
      '`--set` the fields, or `--document` another document. If many onboardings ask at once, the partner’s contract has ' +
      'changed: ask the partner before you correct one by one. `--set` also adds an unknown field to `merchant` ' +
      'or `fees`, if the partner named it. If somebody created the merchant, or uploaded the document, in the partner’s portal, ' +
      '`--adopt` its id.',
    next: 'Gangway sends the corrected request.',
    never: 'use `--retry` without a change, unless the partner corrected something on its side.',
  },
  'uncertain-write': {
    answers: '`--adopt`, `--retry`, `--abandon`',
    meaning:
      'A write was sent, and its response got lost. Gangway found no [evidence](onboardings.md#writes) that it took effect.',
    see:
      'The detail names what to look for, such as the dba and the guid, and when the request was sent. Look in the partner’s ' +
      'portal.',
    person:
      'If it took effect, `--adopt` the ID that the portal shows. If it did not, wait some minutes, look again, then `--retry`.',
    next: 'The requirement closes by itself when evidence appears. `--retry` sends the write again.',
    never: 'use `--retry` before you have looked twice. It can create a second merchant.',
  },
  ticket: {
    answers: '`--text`, `--set`, `--abandon`; of a partner account `--text`, `--retry`',
    meaning: 'The bank opened a ticket.',
    see: 'The detail is the bank’s text, and the field that it asks about.',
    person:
      'Reply with `--text`, or `--set` the field. A ticket of `partner-account-banking` belongs to no running onboarding: reply ' +
      'with `--text`, or use `--retry` after somebody dealt with it elsewhere.',
    next: 'If the bank still lists the ticket when `dueInHours` have passed since the answer, Gangway asks again.',
    never: 'count an answered ticket as closed.',
  },
  'locked-profile': {
    answers: '`--abandon`',
    meaning: 'The bank locked the profile.',
    see: 'The bank’s portal shows why, or its support explains it.',
    person: 'Ask the bank why, and have the profile unlocked.',
    next: 'The requirement closes when the bank unlocks the profile.',
    never: 'abandon the onboarding because of a lock that is temporary.',
  },
  credentials: {
    answers: '`--retry`; of an onboarding also `--abandon`',
    meaning: 'The partner responded with 401 or 403, also after a new sign-in.',
    see:
      '`gangway doctor` names the setting. The requirement of `partner-account-...` is about the credentials of all onboardings. ' +
      'The requirement of an onboarding (403) is about a permission, or a merchant of another ISO.',
    person:
      'For a partner account, correct the secret and restart the workers. If the account was locked, have it unlocked and answer ' +
      '`--retry`. For an onboarding, get the permission and answer `--retry`.',
    next:
      'Workers try the credentials when they start, and once a minute. Pending work continues by itself, because a ' +
      'request that was refused with 401 was not processed.',
    never: 'start the onboardings again.',
  },
  'one-time-code': {
    answers: '`--code`; of a partner account also `--retry`, of an operation `--abandon`',
    meaning: 'The bank wants a second factor and `BANKING_TOTP_SECRET` is not set.',
    see: 'The code arrives where the bank sends it.',
    person: '`--code CODE`. Set `BANKING_TOTP_SECRET`, and nobody is asked.',
    next: 'Each worker process signs in by itself and can ask for its own code.',
    never: 'restart workers while codes are asked for. Each restart needs a new code.',
  },
  waiting: {
    answers: '`--retry`',
    meaning:
      'A step has waited for its partner longer than `GANGWAY_WAIT_MAX`. "Read the status" means that each read has failed for that ' +
      'long, such as with 404 because the partner no longer has the merchant.',
    see: 'The title names the step, the detail shows a failure. `gangway doctor` shows whether the partner responds.',
    person:
      'Ask the partner. `--retry` closes the requirement, and Gangway does not ask again about this step.',
    next: 'The step is retried, and the requirement closes when it succeeds.',
    never: 'cancel and start again. The step keeps its place and its mark.',
  },
  unreadable: {
    answers: '`--retry`',
    meaning:
      'Gangway could not read the responses of an operation for longer than ten minutes. `partner-account-...` raises ' +
      'one requirement for each operation.',
    see: 'The detail shows the response, masked. `gangway call` shows the whole response.',
    person: 'Compare the response with the contract and ask the partner. `--retry` reads at once.',
    next: 'The requirement closes when the responses can be read.',
    never: 'answer the onboardings one by one. They wait for the operation.',
  },
  'new-status': {
    answers: '`--choice`',
    meaning:
      'A partner responded with a status name that no document has. `partner-record-...` raises one requirement for each name and ' +
      'account.',
    see: '`gangway list --query "PartnerStatus = \'NAME\'"` lists the onboardings with the status. `gangway drift` lists the decisions.',
    person:
      'Ask the partner what the name means. `--choice under-review` or `needs-answers` lets onboardings wait, `ended-declined` or ' +
      '`ended-closed` ends them, and `approved` counts as an approval. If it means that nothing is submitted yet, no choice fits: ' +
      'correct the catalogue, and Gangway submits the application.',
    next: 'All onboardings of the account read the status again at once, and do as decided. Later ones do the same.',
    never:
      'guess. The decision applies to every onboarding with this status, and it ends some of them for good.',
  },
};

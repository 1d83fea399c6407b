import type { RequirementKind } from '../../messages/requirement-kinds.js';
import type { Explanation } from './explanation.js';

/** The runbook of a requirement. docs/operations.md and docs/onboardings.md are made from it. */
export interface Runbook extends Explanation {
  /** The allowed answers, as options of `gangway resolve`. */
  readonly answers: string;
  /** The place to see what it is about. */
  readonly see: string;
  /** The thing not to do, after "Do not". */
  readonly never: string;
}

export const REQUIREMENT_TEXTS: Readonly<Record<RequirementKind, Runbook>> = {
  'underwriting-note': {
    answers: '`--text`, `--document`, `--abandon`',
    meaning: 'An underwriter asks for something.',
    see: 'The detail is the text of the note.',
    person: 'Get it from the merchant or its agent. Answer with `--text "..."` or `--document FILE`.',
    next:
      'When every note has an answer, Gangway sends them all and requests the review. After an answer in the portal, the ' +
      'requirement closes when the partner no longer lists the note.',
    never: 'answer both here and in the partner’s portal.',
  },
  'request-changes': {
    answers: '`--set`, `--retry`, `--abandon`',
    meaning: 'Underwriting wants the application changed.',
    see: 'The detail is the underwriters’ comment.',
    person:
      '`--set application.FIELD=VALUE` for each field that changes. `gangway status ID --input` lists them.',
    next: 'Gangway submits the application again.',
    never: 'use `--retry` to close the requirement. It submits the application unchanged.',
  },
  'not-submitted': {
    answers: '`--set`, `--retry`, `--abandon`',
    meaning:
      'Nobody has submitted a merchant or a banking profile that Gangway [follows](onboardings.md#follow-only), or the bank ' +
      'rejected the holder.',
    see: 'The detail shows the ID, the dba and the partner’s status.',
    person:
      'Submit it where it was created, or have Gangway submit it. For a merchant, `--retry` sends it as the partner has it, and ' +
      '`--set application.FIELD=VALUE` changes fields first. For a profile, `--patch` the complete `holder`, and ' +
      '`beneficialOwners` if there are any.',
    next: 'The requirement closes by itself when it is submitted elsewhere.',
    never: 'use `--retry` or `--patch` while another program still works on it. It would be submitted twice.',
  },
  'unclear-mid': {
    answers: '`--adopt`, `--abandon`',
    meaning: 'The merchant is approved, but its `mid` is not 1 to 20 digits.',
    see: 'The detail shows the value. The partner’s portal shows what it means.',
    person: '`--adopt` the right `mid`, which can be the one that is shown.',
    next: 'The answer ends the boarding. The requirement closes by itself when the partner shows digits.',
    never: 'adopt a temporary `mid`. Gangway cannot correct it later.',
  },
  'rejected-input': {
    answers: '`--set`, `--document`, `--adopt`, `--retry`, `--abandon`',
    meaning: 'The partner, or Gangway’s own check, rejected fields or a document. The request had no effect.',
    see: 'The detail names each field and its rule.',
    person:
      '`--set` the fields, or `--document` another document. `--set` also adds a field that the partner named to `merchant` ' +
      'or `fees`. If someone created the merchant or uploaded the document in the portal, `--adopt` its ID. If many ' +
      'onboardings ask at once, ask the partner first: its contract has changed.',
    next: 'Gangway sends the corrected request.',
    never: 'use `--retry` without a change, unless the partner corrected something.',
  },
  'uncertain-write': {
    answers: '`--adopt`, `--retry`, `--abandon`',
    meaning:
      'The response to a write was lost, and Gangway found no [evidence](onboardings.md#writes) that the write took effect.',
    see:
      'The detail names what to look for in the partner’s portal, such as the dba and the guid, and when the request was ' +
      'sent.',
    person:
      'If the write took effect, `--adopt` the ID that the portal shows. If not, wait a few minutes, look again, then `--retry`.',
    next: 'The requirement closes by itself when evidence appears. `--retry` sends the write again.',
    never: 'use `--retry` before you have looked twice. It can create a second merchant.',
  },
  ticket: {
    answers: '`--text`, `--set`, `--abandon`; for a partner account `--text`, `--retry`',
    meaning: 'The bank opened a ticket.',
    see: 'The detail is the bank’s text, and the field that it asks about.',
    person:
      'Reply with `--text`, or `--set` the field. A ticket of `partner-account-banking` belongs to no running onboarding: ' +
      'reply with `--text`, or use `--retry` after someone dealt with it elsewhere.',
    next: 'Gangway asks again if the bank still lists the ticket `dueInHours` after the answer.',
    never: 'treat an answered ticket as closed.',
  },
  'locked-profile': {
    answers: '`--abandon`',
    meaning: 'The bank locked the profile.',
    see: 'The bank’s portal or its support explains why.',
    person: 'Have the bank unlock the profile.',
    next: 'The requirement closes when the bank unlocks the profile.',
    never: 'abandon the onboarding because of a temporary lock.',
  },
  credentials: {
    answers: '`--retry`; for an onboarding also `--abandon`',
    meaning: 'The partner responded with 401 or 403, even after a new sign-in.',
    see:
      '`gangway doctor` names the setting. A requirement of `partner-account-...` is about the credentials, one of an ' +
      'onboarding (403) about a permission or a merchant of another ISO.',
    person:
      'For a partner account, correct the secret and restart the workers, or have a locked account unlocked and answer ' +
      '`--retry`. For an onboarding, get the permission and answer `--retry`.',
    next: 'Workers try the credentials when they start and once a minute. Pending work then continues.',
    never: 'start the onboardings again.',
  },
  'one-time-code': {
    answers: '`--code`; for a partner account also `--retry`, for an operation `--abandon`',
    meaning: 'The bank wants a second factor, and `BANKING_TOTP_SECRET` is not set.',
    see: 'The code arrives where the bank sends it.',
    person: '`--code CODE`.',
    next: 'Each worker process signs in by itself and can ask for its own code.',
    never: 'restart workers meanwhile. Each restart needs a new code.',
  },
  waiting: {
    answers: '`--retry`',
    meaning:
      'A step has waited for its partner longer than `GANGWAY_WAIT_MAX`. "Read the status" means that every read has failed.',
    see: 'The title names the step, the detail shows a failure. `gangway doctor` shows whether the partner responds.',
    person:
      'Ask the partner. `--retry` closes the requirement, and Gangway does not ask about this step again.',
    next: 'Gangway retries the step, and the requirement closes when it succeeds.',
    never: 'cancel and start again. The step keeps its place and its mark.',
  },
  unreadable: {
    answers: '`--retry`',
    meaning:
      'Gangway could not read the responses of an operation for more than ten minutes. `partner-account-...` raises ' +
      'one requirement for each operation.',
    see: 'The detail shows the response, masked. `gangway call` shows all of it.',
    person: 'Compare the response with the contract and ask the partner. `--retry` reads at once.',
    next: 'The requirement closes when the responses can be read.',
    never: 'answer the onboardings one by one. They wait for the operation.',
  },
  'new-status': {
    answers: '`--choice`',
    meaning:
      'A partner responded with an undocumented status name. `partner-record-...` raises one requirement for each name ' +
      'and account.',
    see: '`gangway list --query "PartnerStatus = \'NAME\'"` lists the onboardings with the status, `gangway drift` the decisions.',
    person:
      'Ask the partner what the name means. `--choice under-review` and `needs-answers` let onboardings wait, ' +
      '`ended-declined` and `ended-closed` end them, `approved` counts as an approval. If nothing is submitted yet, no choice ' +
      'fits: correct the catalogue, and Gangway submits the application.',
    next: 'All onboardings of the account, now and later, apply the decision.',
    never: 'guess. The decision ends some onboardings for good.',
  },
};

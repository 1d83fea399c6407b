import type { Part } from '../../messages/onboardings.js';
import type { TimelineEvent } from '../../messages/timeline-events.js';
import { type Explanation, NOTHING } from './explanation.js';

/** An event that needs no action. */
function fact(meaning: string, next = 'The onboarding continues.'): Explanation {
  return { meaning, next, person: NOTHING };
}

const DONE = 'The operation ends.';

const PART_NAMES: Readonly<Record<Part, string>> = {
  boarding: 'merchant',
  business: 'business',
  terminal: 'terminal',
};

/** The events of a customer about one of its parts. */
function eventsOf<Name extends Part>(part: Name) {
  const name = PART_NAMES[part];
  const texts = {
    attached: {
      meaning: `An onboarding of the ${name} already existed, so the customer did not start a second one.`,
      next: 'The customer follows it, and uses its outcome.',
      person: `Answer its requirements at that onboarding: the detail names it.`,
    },
    ended: fact(
      `The ${name} has ended. The detail is its outcome, or how it was stopped.`,
      'The customer ends when all of its parts have ended.',
    ),
    failed: {
      meaning: `The workflow of the ${name} failed. This is a bug, or an input that it cannot read.`,
      next: 'The customer continues with its other parts.',
      person: `The Web UI shows the failure of that workflow. Report it, then start the ${name} again with \`--again\`.`,
    },
    reset: fact(
      `Somebody reset the workflow of the ${name}, and it runs again.`,
      'The customer follows the new run.',
    ),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([event, text]) => [`${part}-${event}`, text]),
  ) as Readonly<Record<`${Name}-${keyof typeof texts}`, Explanation>>;
}

export const TIMELINE_TEXTS: Readonly<Record<TimelineEvent, Explanation>> = {
  started: fact('The workflow began.'),
  'status-changed': fact(
    'The partner set another status. The detail is the partner’s name for it, with its comment.',
    'Gangway keeps reading, more often at first.',
  ),
  ended: fact(
    'The workflow ended. The detail is the outcome.',
    'Nothing more. `gangway explain OUTCOME` describes it.',
  ),
  cancelled: {
    meaning: 'Somebody cancelled the workflow. The detail names what exists at the partner.',
    next: 'Nothing more. Writes in flight were completed first.',
    person: 'Put the ID that exists into the input before you start it with `--again`.',
  },
  'requirement-raised': {
    meaning: 'A person is asked. The detail has the ID and the title of the requirement.',
    next: 'The onboarding follows its partner meanwhile, and closes the requirement when it becomes obsolete.',
    person:
      '`gangway status ID` shows the requirement with its allowed answers; `gangway resolve` answers it.',
  },
  'requirement-resolved': fact(
    'A person answered a requirement. The entry shows who and why.',
    'Gangway sends the answer to the partner.',
  ),
  'requirement-closed': fact('A requirement no longer needs an answer. The detail has the reason.'),
  'requirement-overdue': {
    meaning: 'Nobody answered a requirement by its due date.',
    next: 'It stays open. Gangway publishes the event and never decides by itself.',
    person: 'Answer it, or find out who is responsible: `gangway inbox --overdue`.',
  },
  'requirement-claimed': fact(
    'A person works on a requirement. The detail shows when the claim ends.',
    'Others see the claim. It expires, or ends when the requirement is answered or closed.',
  ),
  'requirement-released': fact(
    'The person who had claimed a requirement released it.',
    'Anybody can claim it.',
  ),
  'requirement-taken-over': fact(
    "A person took over another person's claim. The detail names who had it.",
    'Others see the new claim.',
  ),
  'write-uncertain': {
    meaning: 'A write was sent, and its response was lost.',
    next: 'Gangway searches for evidence at the partner. Without evidence it raises the requirement `uncertain-write`.',
    person: 'Nothing, unless the requirement is open.',
  },
  'write-adopted': fact(
    'A write whose response was lost did take effect: the partner shows it, or a person confirmed it.',
  ),
  'write-unfinished': {
    meaning: 'A write was in flight when the onboarding ended. The detail has its result.',
    next: 'Nothing more.',
    person: 'If the result is `unknown`, check at the partner whether it took effect.',
  },
  'partner-warned': {
    meaning: 'The partner accepted a request with a warning.',
    next: 'The onboarding continues.',
    person: 'Read the warning. It can name a field that the partner ignored.',
  },
  'answer-taken-back': fact(
    'A person took back an answer that was not sent yet.',
    'The requirement is open again.',
  ),
  'answer-dropped': fact('An answer will not be delivered. The detail has the reason.'),
  'answer-rejected': {
    meaning: 'The partner rejected an answer. The detail has the reason.',
    next: 'The requirement is open again and shows that reason.',
    person: 'Answer it again.',
  },
  'answer-proposed': {
    meaning: 'A person proposed an answer. The detail has its short form.',
    next: 'The requirement stays open until a second person confirms the answer, or somebody answers it.',
    person:
      'Read it with `gangway status ID`, then `gangway confirm`. Nobody can confirm their own proposal.',
  },
  'proposal-withdrawn': fact(
    'A person removed a proposed answer. The entry shows who, and sometimes why.',
    'The requirement stays open.',
  ),
  'proposal-dropped': fact(
    'Somebody answered a requirement for which another answer was proposed. The detail names who had proposed it.',
  ),
  'merchant-created': fact('The merchant exists at the boarding partner. The detail has its ID.'),
  'merchant-adopted': fact(
    'Gangway uses a merchant that exists at the boarding partner, and created none. The detail has its ID.',
  ),
  'fees-read': fact('Gangway read the fees, and none needs to change.'),
  'fees-changed': fact('Gangway changed the fees that the input names.'),
  submitted: fact('The application is at underwriting.', 'Gangway follows the status.'),
  'submission-moot': fact(
    'Gangway did not submit the application, because the status had changed. The detail has the status.',
    'Gangway follows the status.',
  ),
  'answers-delivered': fact(
    'The partner has the answers to its notes, and the review is requested.',
    'The underwriters read them. A note that they list again is a new requirement.',
  ),
  'answers-wait': fact(
    'The partner takes no answers in its current status, so they are kept.',
    'Gangway sends them when the partner sets another status.',
  ),
  'temporary-mid': fact(
    'The partner shows a `mid` before it has approved the merchant.',
    'Gangway waits for the approval and for the final `mid`.',
  ),
  'mid-confirmed': fact('A person confirmed the `mid`.', 'The merchant is boarded.'),
  restless: fact(
    'The partner changes a field with each read. The detail names the field.',
    'Gangway ignores that field until something else changes.',
  ),
  'holder-submitted': fact('The bank has the holder. The detail has the ID of the profile.'),
  'holder-corrected': fact('The bank has the corrected holder.'),
  'profile-adopted': fact('Gangway uses a profile that exists at the bank, and created none.'),
  'profile-locked': {
    meaning: 'The bank locked the profile.',
    next: 'The requirement `locked-profile` asks a person. It closes when the bank unlocks the profile.',
    person: 'Ask the bank why.',
  },
  'profile-unlocked': fact('The bank unlocked the profile.'),
  'ticket-answered': fact(
    'The bank has the answer to a ticket.',
    'If the bank still lists the ticket after `dueInHours`, Gangway asks again.',
  ),
  'financial-account-opened': fact('The business has a financial account. The detail has its ID.'),
  'payments-account-created': fact('The merchant has a payments account. The detail has its ID.'),
  'payments-account-adopted': fact('Gangway uses a payments account that exists, and created none.'),
  'terminal-created': fact('The merchant has a terminal. The detail has its ID.'),
  'terminal-adopted': fact('Gangway uses a terminal that exists, and created none.'),
  ...eventsOf('boarding'),
  ...eventsOf('business'),
  ...eventsOf('terminal'),
  'card-closed': fact('The card is closed for good.', DONE),
  'nickname-set': fact('The card has the nickname.', DONE),
  'nickname-cleared': fact('The card has no nickname.', DONE),
  'address-changed': fact('The bank changed the address.', DONE),
  'sub-user-restored': fact('The bank restored the sub-user.', DONE),
  'webhook-created': fact(
    'The bank has registered the webhook.',
    'The operation continues with the next webhook.',
  ),
  'webhook-existed': fact(
    'The webhook was registered before, so nothing was changed.',
    'The operation continues with the next webhook.',
  ),
  'statement-saved': fact('The statement is in the statement store. The detail is its file name.', DONE),
  'statement-sent': fact('The partner sends the statement by email.', DONE),
  'credentials-refused': {
    meaning: 'The partner refused our credentials. The detail has the operation and the reason.',
    next: 'Gangway tries them again once a minute, and raises the requirement `credentials`.',
    person: 'Correct the credentials in the settings and restart the workers, or answer the requirement.',
  },
  'credentials-work': fact(
    'The partner accepts our credentials again. The detail counts what was retried at once.',
    'What waited continues.',
  ),
  'status-explained': fact(
    'A person decided what an undocumented status name means. The detail has the name and the meaning.',
    'All onboardings of the account with this status read it again at once.',
  ),
};

/** Events that no timeline has. The record of `gangway export` has them from the history. */
export type RecordOnlyEvent = 'stage-changed' | 'cancel-requested' | 'terminated' | 'reset';

export const RECORD_ONLY_TEXTS: Readonly<Record<RecordOnlyEvent, Explanation>> = {
  'stage-changed': fact(
    'The onboarding entered another stage. The detail names it. No worker responded to the export, so this is from the history.',
  ),
  'cancel-requested': fact(
    'Somebody requested the cancellation.',
    'Writes in flight are completed, then the onboarding ends as cancelled.',
  ),
  terminated: {
    meaning: 'Somebody terminated the workflow, which stops it at once, without cleanup.',
    next: 'Nothing more.',
    person:
      'Check what exists at the partner. Put its ID into the input before you start it with `--again`, or follow it with `gangway adopt`.',
  },
  reset: fact('Somebody reset the workflow. The detail names the run that it continues.'),
};

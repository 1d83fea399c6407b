import type { OutcomeName, Stage } from '../../messages/stages.js';
import { type Explanation, NOTHING } from './explanation.js';

const ENDED = 'The onboarding has ended. The same `externalId` returns this outcome.';
const AGAIN = 'To try again, correct the input and start it with `--again`.';

export const OUTCOME_TEXTS: Readonly<Record<OutcomeName, Explanation>> = {
  boarded: {
    meaning: 'The merchant is approved and has its `mid`.',
    next: ENDED,
    person: NOTHING,
  },
  onboarded: {
    meaning: 'The bank approved the business. For a customer: all of its parts succeeded.',
    next: ENDED,
    person: NOTHING,
  },
  provisioned: {
    meaning: 'The merchant has its payments account and its terminal.',
    next: ENDED,
    person: NOTHING,
  },
  'partly-onboarded': {
    meaning: 'A part of the customer succeeded, and another one did not.',
    next: ENDED,
    person:
      '`gangway status ID` shows the outcome of each part. Start what is missing on its own, or with `--again`.',
  },
  declined: {
    meaning: 'The partner declined the application.',
    next: ENDED,
    person: 'The outcome has the partner’s comment. Inform the applicant, or ask the partner for the reason.',
  },
  withdrawn: {
    meaning: 'The application was withdrawn at the partner.',
    next: ENDED,
    person: `Find out who withdrew it. ${AGAIN}`,
  },
  closed: {
    meaning: 'The partner closed the application or the account.',
    next: ENDED,
    person: 'The outcome has the partner’s comment. Ask the partner for the reason.',
  },
  done: {
    meaning: 'The partner completed the single operation, or the partner account has nothing more to ask.',
    next: 'It has ended.',
    person: NOTHING,
  },
  rejected: {
    meaning: 'The partner rejected the single operation. Nothing changed there.',
    next: 'The operation has ended.',
    person: 'The outcome names the fields and their rules. Correct them, and run the command again.',
  },
  abandoned: {
    meaning: 'A person answered a requirement with `--abandon`.',
    next: ENDED,
    person: `What exists at the partner stays there; the timeline lists it. ${AGAIN}`,
  },
};

export const STAGE_TEXTS: Readonly<Record<Exclude<Stage, OutcomeName>, Explanation>> = {
  preparing: {
    meaning: 'Gangway looks up the agent profile and the boarding settings, and creates the merchant.',
    next: 'When the merchant exists, the stage is `applying`.',
    person: 'Nothing, unless a requirement is open.',
  },
  applying: {
    meaning:
      'For a merchant, Gangway changes the fees and submits the application. For a business, it submits the holder and its owners.',
    next: 'When the partner has the application, the stage is `underwriting`.',
    person: 'Nothing, unless a requirement is open: the partner may reject fields.',
  },
  underwriting: {
    meaning: 'The partner decides. Gangway follows its status.',
    next: 'Notes, requests for changes and tickets become requirements. The partner’s decision ends the stage.',
    person: 'Answer the requirements. `gangway nudge ID` reads the status now.',
  },
  boarding: {
    meaning: 'The application is approved, and the processor has not assigned the `mid` yet.',
    next: 'When the partner shows the final `mid`, the merchant is `boarded`.',
    person: NOTHING,
  },
  opening: {
    meaning: 'The bank approved the business, and Gangway opens its financial account.',
    next: 'When the account is open, the business is `onboarded`.',
    person: NOTHING,
  },
  provisioning: {
    meaning:
      'Gangway searches for the payments account and the terminal of the merchant, and creates what is missing.',
    next: 'When both exist, the terminal is `provisioned`.',
    person: 'Nothing, unless a requirement is open.',
  },
  onboarding: {
    meaning: 'At least one part of the customer runs: its merchant, its business or its terminal.',
    next: 'When all parts have ended, the customer has its outcome.',
    person: '`gangway status ID` shows the stage of each part.',
  },
  working: {
    meaning: 'A single operation is in progress.',
    next: 'It is `done` or `rejected` when the partner has responded.',
    person: 'Nothing, unless a requirement is open.',
  },
  cancelled: {
    meaning: 'Somebody cancelled the workflow. Writes in flight were completed first.',
    next: 'The onboarding has ended without an outcome.',
    person:
      'The timeline lists what exists at the partner. To continue with it, put its ID into the input and use `--again`.',
  },
};

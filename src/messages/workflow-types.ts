import type { SystemName } from '../partners/system-names.js';

/**
 * The workflow types. A kind of onboarding is an entry of {@link ONBOARDINGS}, from which its IDs, stages, outcomes, commands, events,
 * metrics and pages derive. Workflows import this, so its schemas are in `temporal/kinds/`.
 */

/** The names of a kind of onboarding, and how it proceeds. */
interface Named {
  /** Begins the workflow ID. */
  readonly idPrefix: string;
  /** The nouns for people, singular and plural. They also name the file in examples/. */
  readonly nouns: readonly [one: string, several: string];
  /** The task in words: `board a merchant`. */
  readonly task: string;
  /** The command that starts one. */
  readonly command: string;
  /** The type of the event that starts one. */
  readonly event: `${string}.v${number}`;
  /** The stages, in order. */
  readonly stages: readonly [first: string, ...others: string[]];
  readonly success: string;
  /** The other outcomes. */
  readonly otherwise: readonly string[];
}

/** A kind of onboarding that follows a record at one partner. */
interface AtPartner extends Named {
  readonly system: SystemName;
  /** The activity that polls the status. */
  readonly poll: string;
  /** The fields of the input that a correction may change, the most likely first. */
  readonly correctable: readonly string[];
}

/** A kind of onboarding that starts others, and asks nothing itself. */
interface OfParts extends Named {
  /** The parts and their types, in the order in which they start. */
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * The kinds of onboardings, by workflow type.
 * @example ONBOARDINGS.merchantBoarding.idPrefix // 'merchant-boarding'
 */
export const ONBOARDINGS = {
  merchantBoarding: {
    idPrefix: 'merchant-boarding',
    nouns: ['merchant', 'merchants'],
    task: 'board a merchant',
    command: 'board',
    event: 'merchant.boarding.requested.v1',
    system: 'boarding',
    poll: 'awaitStatusChange',
    stages: ['preparing', 'applying', 'underwriting', 'boarding'],
    success: 'boarded',
    otherwise: ['declined', 'withdrawn', 'closed', 'abandoned'],
    correctable: [
      'merchant',
      'agentProfileId',
      'agent',
      'boardingSettingsId',
      'boardingSettings',
      'fees',
      'application',
    ],
  },
  businessOnboarding: {
    idPrefix: 'business-onboarding',
    nouns: ['business', 'businesses'],
    task: 'onboard a business at the bank',
    command: 'onboard-business',
    event: 'business.onboarding.requested.v1',
    system: 'banking',
    poll: 'awaitProfileChange',
    stages: ['applying', 'underwriting', 'opening'],
    success: 'onboarded',
    otherwise: ['declined', 'withdrawn', 'closed', 'abandoned'],
    correctable: ['holder', 'beneficialOwners'],
  },
  customerOnboarding: {
    idPrefix: 'customer-onboarding',
    nouns: ['customer', 'customers'],
    task: 'onboard a customer: merchant and business',
    command: 'onboard',
    event: 'customer.onboarding.requested.v1',
    parts: { boarding: 'merchantBoarding', business: 'businessOnboarding' },
    stages: ['onboarding'],
    success: 'onboarded',
    otherwise: ['partly-onboarded', 'declined', 'withdrawn', 'closed', 'abandoned'],
  },
} as const satisfies Readonly<Record<string, AtPartner | OfParts>>;

/** A kind of onboarding, by its workflow type. */
export type OnboardingType = keyof typeof ONBOARDINGS;

/** The kinds of onboardings that call a partner themselves, whose input a correction may change. */
export type CorrectableType = {
  readonly [Type in OnboardingType]: (typeof ONBOARDINGS)[Type] extends AtPartner ? Type : never;
}[OnboardingType];

/** The names of the outcomes of a kind of onboarding. */
export type OutcomeOf<Type extends OnboardingType> =
  | (typeof ONBOARDINGS)[Type]['success']
  | (typeof ONBOARDINGS)[Type]['otherwise'][number];

/** The stages of a kind of onboarding. */
export type StageOf<Type extends OnboardingType> = (typeof ONBOARDINGS)[Type]['stages'][number];

/** Single operations at a partner. The key of the ID begins with the name of the operation. */
export const OPERATIONS = { partnerOperation: { idPrefix: 'operation', system: 'banking' } } as const;

/** Workflows that act for a whole account at a partner, which the key of the ID names. */
export const ACCOUNTS = {
  partnerAccount: { idPrefix: 'partner-account' },
  partnerRecord: { idPrefix: 'partner-record' },
} as const;

/** Workflows that start the onboardings of a file. */
export const BATCHES = { onboardingBatch: { idPrefix: 'onboarding-batch' } } as const;

/** The workflow types that clients start, and those of accounts, which start by themselves. */
export type WorkflowType =
  | OnboardingType
  | 'partnerOperation'
  | 'partnerAccount'
  | 'partnerRecord'
  | 'onboardingBatch';

const WORKFLOWS = { ...ONBOARDINGS, ...OPERATIONS, ...ACCOUNTS, ...BATCHES } satisfies Record<
  WorkflowType,
  object
>;

/** Every workflow type with its facts, as code sees them that works with every type. */
export const EACH_WORKFLOW = Object.entries(WORKFLOWS) as readonly (readonly [
  type: WorkflowType,
  facts: Partial<AtPartner & OfParts> & Pick<Named, 'idPrefix'>,
])[];

/** Every kind of onboarding with its facts. */
export const EACH_ONBOARDING = Object.entries(ONBOARDINGS) as readonly (readonly [
  type: OnboardingType,
  facts: Named & Partial<AtPartner & OfParts>,
])[];

/** The workflow types of onboardings that have parts: customers. Their requirements are those of their parts. */
export const TYPES_WITH_PARTS = EACH_ONBOARDING.flatMap(([type, { parts }]) => (parts ? [type] : []));

/** The workflow types that ask people. A batch asks nothing. */
export const ASKING = EACH_WORKFLOW.flatMap(([type, { parts }]) => (parts || type in BATCHES ? [] : [type]));

import { MAGIC_SSNS } from '../src/apps/sandbox/banking/scenarios.js';
import { workflowId } from '../src/messages/ids.js';
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
} from '../src/messages/inputs.js';
import { type Part, partId } from '../src/messages/onboardings.js';
import { business, customer, merchant } from '../test/rigs/inputs.js';
import { holderOf, merchantOf, ownersOf } from '../test/rigs/privacy/marked-inputs.js';
import type { Markers } from '../test/rigs/privacy/markers.js';
import {
  BUSINESSES,
  CUSTOMERS,
  type CustomerRole,
  FRANCHISES,
  MERCHANTS,
  type Role,
  WITH_ACCOUNT,
} from './roles.js';
import { Seeded } from './seeded.js';

type Asked =
  | { readonly type: 'merchantBoarding'; readonly input: MerchantBoardingInput }
  | { readonly type: 'businessOnboarding'; readonly input: BusinessOnboardingInput }
  | { readonly type: 'customerOnboarding'; readonly input: CustomerOnboardingInput };

/** A merchant, a business or both to onboard: how, and with which outcome. */
export type Party = Asked & {
  /** As in the report. */
  readonly kind: Kind;
  readonly scenario: string;
  readonly externalId: string;
  readonly workflowId: string;
  /** The outcome of the whole, and of each part. */
  readonly outcome: string;
  readonly parts: Readonly<Partial<Record<Part, Role>>>;
  /** The business's name, where there is one. */
  readonly businessName: string;
  /** Distinguishes two of one name. */
  readonly legalName: string;
  /** Which of two with one dba, which start together. */
  readonly twin?: 'first' | 'second';
  readonly by: (typeof WAYS)[number];
  /** It is requested twice. */
  readonly twice: boolean;
};

export const KINDS = ['merchant', 'business', 'customer', 'franchise'] as const;

type Kind = (typeof KINDS)[number];

const WAYS = ['event', 'batch', 'client'] as const;

const CHOICES: Readonly<Record<Kind, readonly CustomerRole[]>> = {
  merchant: MERCHANTS.map((role) => ({ ...role, parts: { boarding: role } })),
  business: BUSINESSES.map((role) => ({ ...role, parts: { business: role } })),
  customer: CUSTOMERS,
  franchise: FRANCHISES,
};

/** Equal numbers of each kind, and of each scenario of a kind. The seed decides their order, how they start, and their options. */
export function castOf(seed: number, count: number, marked: Markers): Party[] {
  const chance = new Seeded(seed);
  const ways = chance.shuffled(WAYS);
  const orders = KINDS.map((kind) => ({ kind, choices: chance.shuffled(CHOICES[kind]) }));
  const cast = Array.from({ length: count }, (_, index): Party => {
    const { kind, choices } = orders[index % KINDS.length] ?? { kind: 'merchant', choices: [] };
    const turn = Math.floor(index / KINDS.length);
    const isFranchise = kind === 'franchise';
    const chosen = choices[(isFranchise ? Math.floor(turn / 2) : turn) % choices.length];
    if (!chosen) throw new Error(`no scenario of ${kind}`);
    const externalId = `chaos-${seed}-${index + 1}`;
    const twin = isFranchise ? (turn % 2 === 0 ? 'first' : 'second') : undefined;
    const name = `${marked.dba} ${index + 1 - (twin === 'second' ? KINDS.length : 0)}`;
    const number = index + 1;
    const requirement = askedFor(chosen, externalId, { name, marked, chance, ...(twin && { number }) });
    return {
      kind,
      externalId,
      ...chosen,
      ...requirement,
      ...(twin && { twin }),
      workflowId: workflowId(requirement.type, externalId),
      businessName: named(name, chosen.parts.business),
      legalName: holderAsked(requirement)?.legalBusinessName ?? '',
      by: twin ? 'client' : (ways[turn % ways.length] ?? 'event'),
      twice: chance.happens(0.3),
    };
  });
  return chance.shuffled(cast);
}

interface Making {
  readonly name: string;
  readonly marked: Markers;
  readonly chance: Seeded;
  /** Makes the legal name and the EIN of one of a franchise unique. */
  readonly number?: number;
}

function askedFor({ parts }: CustomerRole, externalId: string, making: Making): Asked {
  const { boarding, business: bank } = parts;
  if (boarding && bank) {
    const { externalId: _, ...asMerchant } = merchantInput(boarding, externalId, making);
    const { externalId: _1, ...asBusiness } = businessInput(bank, externalId, making);
    const input = customer({}, { externalId, boarding: asMerchant, business: asBusiness });
    return { type: 'customerOnboarding', input };
  }
  if (bank) return { type: 'businessOnboarding', input: businessInput(bank, externalId, making) };
  if (boarding) return { type: 'merchantBoarding', input: merchantInput(boarding, externalId, making) };
  throw new Error('a scenario without a part');
}

/** Some are created by v1, and some change fees. */
function merchantInput(
  role: Role,
  externalId: string,
  { name, marked, chance }: Making,
): MerchantBoardingInput {
  return merchant(undefined, {
    externalId,
    merchant: merchantOf(marked, named(name, role)),
    application: { remark: marked.application },
    ...(chance.happens(0.2) && { createVersion: 'v1' as const }),
    ...(chance.happens(0.3) && { fees: { minimumDiscountAmount: chance.between(1, 20) } }),
  });
}

function businessInput(
  role: Role,
  externalId: string,
  { name, marked, number }: Making,
): BusinessOnboardingInput {
  const ssn = Object.keys(MAGIC_SSNS).find((magic) => role.scenario === `ssn ${magic}`) ?? marked.ssn;
  const own = number !== undefined && {
    legalBusinessName: `${marked.legalName} ${number}`,
    employerIdentificationNumber: String(500_000_000 + number),
  };
  return business(undefined, {
    externalId,
    holder: { ...holderOf(marked, ssn, named(name, role)), ...own },
    beneficialOwners: ownersOf(marked),
    ...(WITH_ACCOUNT.includes(role.scenario) && { openFinancialAccount: true }),
    // When the ticket is closed and reopened between two reads, it is raised again only after this time.
    ...(role.scenario === 'reopened-ticket' && { dueInHours: 0.005 }),
  });
}

/** The business account holder to submit, if there is one. */
function holderAsked({ type, input }: Asked): BusinessOnboardingInput['holder'] | undefined {
  if (type === 'customerOnboarding') return input.business.holder;
  return type === 'businessOnboarding' ? input.holder : undefined;
}

function named(name: string, role: Role | undefined): string {
  return !role || role.scenario.startsWith('ssn ') ? name : `${name} [${role.scenario}]`;
}

/** The workflows that write for a party: its own, or those of its parts. */
export function workersOf({ type, workflowId, parts, externalId, input }: Party): string[] {
  if (type !== 'customerOnboarding') return [workflowId];
  return (Object.keys(parts) as Part[]).map((part) => partId(part, externalId, input.account));
}

/** The writes of the merchant's role, with the version of its create and the update of its fees. */
export function boardingWritesOf({ type, input, parts }: Party): Role['writes'] {
  const question =
    type === 'customerOnboarding' ? input.boarding : type === 'merchantBoarding' ? input : undefined;
  const { 'create-merchant': created = 0, ...writes } = parts.boarding?.writes ?? {};
  return {
    ...writes,
    ...(question && {
      [question.createVersion === 'v1' ? 'create-merchant-v1' : 'create-merchant']: created,
    }),
    ...(question?.fees && { 'update-fees': 'some' as const }),
  };
}

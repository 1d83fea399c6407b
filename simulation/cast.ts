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
import { BUSINESSES, CUSTOMERS, FRANCHISES, MERCHANTS, type OnboardingRole, type Role } from './roles.js';
import { Seeded } from './seeded.js';

type Asked =
  | { readonly type: 'merchantBoarding'; readonly input: MerchantBoardingInput }
  | { readonly type: 'businessOnboarding'; readonly input: BusinessOnboardingInput }
  | { readonly type: 'customerOnboarding'; readonly input: CustomerOnboardingInput };

/** A merchant, a business or both to onboard: how, and with which outcome. */
export type Party = Asked &
  OnboardingRole & {
    /** As in the report. */
    readonly kind: Kind;
    readonly externalId: string;
    readonly workflowId: string;
    /** The business's name, where there is one. */
    readonly businessName: string;
    /** Distinguishes two of one name. */
    readonly legalName: string;
    /** It is one of two with one dba, which start together. */
    readonly twin: boolean;
    readonly by: (typeof WAYS)[number];
    /** It is requested twice. */
    readonly twice: boolean;
  };

export const KINDS = ['merchant', 'business', 'customer', 'franchise'] as const;

type Kind = (typeof KINDS)[number];

const WAYS = ['event', 'batch', 'client'] as const;

const CHOICES: Readonly<Record<Kind, readonly OnboardingRole[]>> = {
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
    const { kind, choices } = inTurn(orders, index);
    const turn = Math.floor(index / KINDS.length);
    const twin = kind === 'franchise';
    const role = inTurn(choices, twin ? Math.floor(turn / 2) : turn);
    const number = index + 1;
    const externalId = `chaos-${seed}-${number}`;
    const name = `${marked.dba} ${twin && turn % 2 === 1 ? number - KINDS.length : number}`;
    const asked = askedFor(role, externalId, { name, marked, chance, ...(twin && { number }) });
    return {
      kind,
      externalId,
      ...role,
      ...asked,
      twin,
      workflowId: workflowId(asked.type, externalId),
      businessName: named(name, role.parts.business),
      legalName: inputsOf(asked).business?.holder.legalBusinessName ?? '',
      by: twin ? 'client' : inTurn(ways, turn),
      twice: chance.happens(0.3),
    };
  });
  return chance.shuffled(cast);
}

/** The item whose turn it is when all take turns, again and again. */
function inTurn<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

interface Making {
  readonly name: string;
  readonly marked: Markers;
  readonly chance: Seeded;
  /** Makes the legal name and the EIN of one of a franchise unique. */
  readonly number?: number;
}

function askedFor({ parts }: OnboardingRole, externalId: string, making: Making): Asked {
  const boarding = parts.boarding && merchantInput(parts.boarding, making);
  const bank = parts.business && businessInput(parts.business, making);
  if (boarding && bank)
    return { type: 'customerOnboarding', input: customer({}, { externalId, boarding, business: bank }) };
  if (bank) return { type: 'businessOnboarding', input: { ...bank, externalId } };
  if (boarding) return { type: 'merchantBoarding', input: { ...boarding, externalId } };
  throw new Error('a scenario without a part');
}

/** Some are created by v1, and some change fees. */
function merchantInput(role: Role, { name, marked, chance }: Making) {
  const { externalId: _, ...input } = merchant(undefined, {
    merchant: merchantOf(marked, named(name, role)),
    application: { remark: marked.application },
    ...(chance.happens(0.2) && { createVersion: 'v1' as const }),
    ...(chance.happens(0.3) && { fees: { minimumDiscountAmount: chance.between(1, 20) } }),
  });
  return input;
}

function businessInput(role: Role, { name, marked, number }: Making) {
  const ssn = Object.keys(MAGIC_SSNS).find((magic) => role.scenario === `ssn ${magic}`) ?? marked.ssn;
  const own = number !== undefined && {
    legalBusinessName: `${marked.legalName} ${number}`,
    employerIdentificationNumber: String(500_000_000 + number),
  };
  const { externalId: _, ...input } = business(undefined, {
    holder: { ...holderOf(marked, ssn, named(name, role)), ...own },
    beneficialOwners: ownersOf(marked),
    // The bank or Gangway opens it.
    ...(role.scenario.startsWith('account-') && { openFinancialAccount: true }),
    // When the ticket is closed and reopened between two reads, it is raised again only after this time.
    ...(role.scenario === 'reopened-ticket' && { dueInHours: 0.005 }),
  });
  return input;
}

/** What each partner is asked for. */
export function inputsOf({
  type,
  input,
}: Asked): Partial<Pick<CustomerOnboardingInput, 'boarding' | 'business'>> {
  if (type === 'customerOnboarding') return input;
  return type === 'merchantBoarding' ? { boarding: input } : { business: input };
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
export function boardingWritesOf(party: Party): Role['writes'] {
  const { createVersion, fees } = inputsOf(party).boarding ?? {};
  const { 'create-merchant': created, ...writes } = party.parts.boarding?.writes ?? {};
  if (created === undefined) return {};
  const create = createVersion === 'v1' ? 'create-merchant-v1' : 'create-merchant';
  return { ...writes, [create]: created, ...(fees && { 'update-fees': 'some' }) };
}

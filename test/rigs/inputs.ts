import { randomUUID } from 'node:crypto';
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
} from '../../src/messages/inputs.js';

let count = 0;

/** A valid input that passes underwriting without questions; default scenario: `straight`. */
export function merchant(
  scenario?: string,
  more: Partial<MerchantBoardingInput> = {},
): MerchantBoardingInput {
  count += 1;
  return {
    externalId: `m-${randomUUID().slice(0, 8)}-${count}`,
    merchant: {
      dba: scenario ? `Corner Bakery [${scenario}]` : 'Corner Bakery',
      firstName: 'Ada',
      lastName: 'Baker',
      cashDiscount: 'No',
      pos: 'None',
    },
    agentProfileId: 101,
    boardingSettingsId: 11,
    dueInHours: 48,
    ...more,
  };
}

/** An application that identifies its submission: it names the merchant. */
export function namedApplication(externalId: string): NonNullable<MerchantBoardingInput['application']> {
  return { siteInspection: { reference: externalId } };
}

/** A holder, which many tests have, under a name of its own or this one. */
export const HOLDER = {
  email: 'ada@example.com',
  givenName: 'Ada',
  familyName: 'Baker',
  phone: '5185550100',
  ssn: '123456789',
  dateOfBirth: '1980-02-29T00:00:00Z',
  streetAddress: '1 Main Street',
  city: 'Albany',
  postalCode: '12207',
  state: 33,
  authorizingPersonTitle: 2,
  primaryAuthorizedStreetAddress: '1 Main Street',
  primaryAuthorizedPostalCode: '12207',
  primaryAuthorizedLocality: 'Albany',
  primaryAuthorizedState: 33,
  legalBusinessName: 'Baker LLC',
  doingBusinessAsName: 'Corner Bakery',
  employerIdentificationNumber: '123456789',
  businessPhone: '5185550101',
  percentageOwnership: 60,
} satisfies BusinessOnboardingInput['holder'];

/** A beneficial owner. */
export const OWNER = {
  firstName: 'Bo',
  lastName: 'Baker',
  email: 'bo@example.com',
  homePhone: '5185550102',
  ssn: '123456788',
  dob: '1985-01-01T00:00:00Z',
  homeAddress: '2 Main Street',
  city: 'Albany',
  state: 33,
  zipCode: '12207',
  percentageOwnership: 40,
} satisfies NonNullable<BusinessOnboardingInput['beneficialOwners']>[number];

/** A holder with a unique name; default scenario: `straight`. */
export function holder(
  scenario?: string,
  more: Partial<BusinessOnboardingInput['holder']> = {},
): BusinessOnboardingInput['holder'] {
  count += 1;
  const name = `Bakery ${randomUUID().slice(0, 8)}`;
  return { ...HOLDER, doingBusinessAsName: scenario ? `${name} [${scenario}]` : name, ...more };
}

/** A valid input that leads to a financial account without questions; default scenario: `straight`. */
export function business(
  scenario?: string,
  more: Partial<BusinessOnboardingInput> = {},
): BusinessOnboardingInput {
  count += 1;
  return {
    externalId: `b-${randomUUID().slice(0, 8)}-${count}`,
    holder: holder(scenario),
    dueInHours: 48,
    ...more,
  };
}

/** A valid input. Its merchant and its business have one name, by which the sandbox ties them. */
export function customer(
  scenarios: { readonly boarding?: string; readonly business?: string } = {},
  more: Partial<CustomerOnboardingInput> = {},
): CustomerOnboardingInput {
  const { externalId, ...boarding } = merchant();
  const name = `Bakery ${randomUUID().slice(0, 8)}`;
  const called = (scenario: string | undefined) => (scenario ? `${name} [${scenario}]` : name);
  return {
    externalId: externalId.replace(/^m/, 'c'),
    boarding: { ...boarding, merchant: { ...boarding.merchant, dba: called(scenarios.boarding) } },
    business: {
      holder: holder(undefined, { doingBusinessAsName: called(scenarios.business) }),
      dueInHours: 48,
    },
    onDecline: 'continue',
    ...more,
  };
}

import type { z } from 'zod';
import { OWNER_FIELDS, submittedRevenueInCents } from '../../../partners/banking/holder.js';
import type { beneficialOwner, businessAccountHolder } from '../../../partners/banking/requests.js';

export type Holder = z.output<typeof businessAccountHolder>;
type Owner = z.output<typeof beneficialOwner>;

const MASKED = 'XXX-XX-XXXX';
const COUNTRY = 'USA';

/** When a record was created and last changed, in ISO 8601. */
export interface Dates {
  readonly createdDate: string;
  readonly updatedDate: string | null;
}

export function ownersOf(profileId: number, holder: Holder) {
  return OWNER_FIELDS.flatMap((field, index) => {
    const owner = holder[field];
    return owner ? [{ id: `owner-${profileId}-${index + 1}`, field, owner }] : [];
  });
}

export function primaryAuthorizedPersonId(profileId: number): string {
  return `person-${profileId}`;
}

/** Returns a business account holder as read: SSNs masked, revenue in cents. */
export function holderRecord(
  id: number,
  holder: Holder,
  dates: Dates,
  merchantProfileId: number | null,
): Record<string, unknown> {
  const { ssn: _, city, owner: _1, owner2: _2, owner3: _3, owner4: _4, profileType: _5, ...fields } = holder;
  return {
    id,
    ...dates,
    middleName: null,
    extendedAddress: null,
    website: null,
    businessType: 0,
    businessStartDate: null,
    payrollCustomer: null,
    primaryAuthorizedExtendedAddress: null,
    ...fields,
    ssn: MASKED,
    locality: city,
    countryCodeAlpha3: COUNTRY,
    primaryAuthorizedPersonId: primaryAuthorizedPersonId(id),
    annualBusinessRevenue: submittedRevenueInCents(holder),
    owners: ownersOf(id, holder).map(({ id: ownerId, owner }) => ownerRecord(ownerId, id, owner, dates)),
    merchantProfileId,
  };
}

function ownerRecord(id: string, businessAccountId: number, owner: Owner, dates: Dates) {
  const { firstName, lastName, middleName, dob, homePhone, homeAddress, extendedAddress, zipCode, city } =
    owner;
  const { email, state, percentageOwnership } = owner;
  return {
    id,
    ...dates,
    businessAccountId,
    givenName: firstName,
    familyName: lastName,
    middleName: middleName ?? null,
    email,
    dateOfBirth: dob,
    percentageOwnership,
    phoneNumber: homePhone,
    ssn: MASKED,
    streetAddress: homeAddress,
    extendedAddress: extendedAddress ?? null,
    postalCode: zipCode,
    locality: city,
    state,
    countryCodeAlpha3: COUNTRY,
    ownerType: 1,
  };
}

/** Returns the submitted value that a ticket's `updateFieldRequest` is about, as text to compare; undefined if there is none. */
export function requestedField(holder: Holder, request: string): string | undefined {
  const [, number, part = ''] = /^Owner([1-4])(Email|Phone|Address)$/.exec(request) ?? [];
  const owner = ownersOf(0, holder).find(({ id }) => id.endsWith(`-${number}`))?.owner;
  const ofHolder = FIELDS[request] ?? [`${request.charAt(0).toLowerCase()}${request.slice(1)}`];
  const names = number ? FIELDS_OF_OWNER[part] : ofHolder;
  const from = (number ? owner : holder) as Readonly<Record<string, unknown>> | undefined;
  return names && JSON.stringify(names.map((name) => from?.[name]));
}

const FIELDS_OF_OWNER: Readonly<Record<string, readonly string[]>> = {
  Email: ['email'],
  Phone: ['homePhone'],
  Address: ['homeAddress', 'extendedAddress', 'city', 'state', 'zipCode'],
};

/** The fields of requests whose name differs from their field's. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Phone: ['phone', 'businessPhone'],
  Address: ['streetAddress', 'extendedAddress', 'city', 'state', 'postalCode'],
  PrimAuthEmail: ['email'],
  PrimAuthPhone: ['phone'],
  PrimAuthAddress: ['StreetAddress', 'ExtendedAddress', 'Locality', 'State', 'PostalCode'].map(
    (name) => `primaryAuthorized${name}`,
  ),
};

export function boardedResponse(profileId: number) {
  return { profileId, success: true, errors: null, changeLog: [] };
}

export function refusedResponse(profileId: number, errors: string) {
  return { profileId, success: false, errors, changeLog: [] };
}

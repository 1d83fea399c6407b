import type { z } from 'zod';
import { submittedRevenueInCents } from '../../partners/banking/holder.js';
import type { beneficialOwner, businessAccountHolder } from '../../partners/banking/requests.js';

/** E7 as it was submitted. */
export type Holder = z.output<typeof businessAccountHolder>;
type Owner = z.output<typeof beneficialOwner>;

const MASKED = 'XXX-XX-XXXX';
const COUNTRY = 'USA';

/** The times at which a record was made and last changed, ISO 8601. */
export interface Dates {
  readonly createdDate: string;
  readonly updatedDate: string | null;
}

/** The beneficial owners of a submission, with their ids in E3. */
export function ownersOf(profileId: number, holder: Holder): { id: string; owner: Owner }[] {
  return [holder.owner, holder.owner2, holder.owner3, holder.owner4].flatMap((owner, index) =>
    owner ? [{ id: `owner-${profileId}-${index + 1}`, owner }] : [],
  );
}

export function primaryAuthorizedPersonId(profileId: number): string {
  return `person-${profileId}`;
}

/** A business account holder as it is read: the SSNs masked, the revenue in cents. */
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

/** The value of a submission that a ticket's `updateFieldRequest` is about, as text to compare; undefined if it is about none. */
export function requestedField(holder: Holder, request: string): string | undefined {
  const read = FIELDS[request];
  return read && JSON.stringify(read(holder));
}

const ownerFields = [1, 2, 3, 4].flatMap((number): [string, (holder: Holder) => unknown][] => {
  const owner = (holder: Holder) => holder[number === 1 ? 'owner' : (`owner${number}` as 'owner2')];
  return [
    [`Owner${number}Email`, (holder) => owner(holder)?.email],
    [`Owner${number}Phone`, (holder) => owner(holder)?.homePhone],
    [`Owner${number}Address`, (holder) => ownerAddress(owner(holder))],
  ];
});

const ownerAddress = (owner: Owner | undefined) =>
  owner && [owner.homeAddress, owner.extendedAddress, owner.city, owner.state, owner.zipCode];

const FIELDS: Readonly<Record<string, (holder: Holder) => unknown>> = {
  Email: ({ email }) => email,
  Phone: ({ phone, businessPhone }) => [phone, businessPhone],
  Address: (holder) => [
    holder.streetAddress,
    holder.extendedAddress,
    holder.city,
    holder.state,
    holder.postalCode,
  ],
  PrimAuthEmail: ({ email }) => email,
  PrimAuthPhone: ({ phone }) => phone,
  PrimAuthAddress: (holder) => [
    holder.primaryAuthorizedStreetAddress,
    holder.primaryAuthorizedExtendedAddress,
    holder.primaryAuthorizedLocality,
    holder.primaryAuthorizedState,
    holder.primaryAuthorizedPostalCode,
  ],
  ...Object.fromEntries(ownerFields),
  EmployerIdentificationNumber: (holder) => holder.employerIdentificationNumber,
  BusinessStartDate: ({ businessStartDate }) => businessStartDate,
  DateOfBirth: ({ dateOfBirth }) => dateOfBirth,
  Ssn: ({ ssn }) => ssn,
  GivenName: ({ givenName }) => givenName,
  MiddleName: ({ middleName }) => middleName,
  FamilyName: ({ familyName }) => familyName,
  DoingBusinessAsName: ({ doingBusinessAsName }) => doingBusinessAsName,
  LegalBusinessName: ({ legalBusinessName }) => legalBusinessName,
};

/** A boarding response. */
export function boarded(profileId: number) {
  return { profileId, success: true, errors: null, changeLog: [] };
}

/** A boarding response with the reason for a failure. */
export function refused(profileId: number, errors: string) {
  return { profileId, success: false, errors, changeLog: [] };
}

import type { BusinessOnboardingInput, MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { holder, OWNER } from '../inputs.js';
import type { Markers } from './markers.js';

/** A merchant with a marker in every private field. */
export function merchantOf(marked: Markers, dba: string): MerchantBoardingInput['merchant'] {
  return {
    dba,
    firstName: marked.firstName,
    lastName: marked.familyName,
    email: marked.merchantEmail,
    cashDiscount: 'No',
    pos: 'None',
  };
}

export function holderOf(marked: Markers, ssn: string, dba: string): BusinessOnboardingInput['holder'] {
  return holder(undefined, {
    email: marked.email,
    givenName: marked.firstName,
    familyName: marked.familyName,
    phone: marked.phone,
    ssn,
    dateOfBirth: marked.dateOfBirth,
    streetAddress: marked.street,
    primaryAuthorizedStreetAddress: marked.homeStreet,
    legalBusinessName: marked.legalName,
    doingBusinessAsName: dba,
    employerIdentificationNumber: marked.ein,
    businessPhone: marked.businessPhone,
  });
}

export function ownersOf(marked: Markers): NonNullable<BusinessOnboardingInput['beneficialOwners']> {
  return [
    {
      ...OWNER,
      firstName: marked.ownerName,
      lastName: marked.ownerName,
      email: marked.email,
      homePhone: marked.ownerPhone,
      ssn: marked.ownerSsn,
      dob: marked.ownerDateOfBirth,
      homeAddress: marked.ownerStreet,
    },
  ];
}

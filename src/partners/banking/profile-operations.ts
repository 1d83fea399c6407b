import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import {
  bankingProfile,
  boardingResponse,
  businessHolderRecord,
  foundBusinesses,
  foundPeople,
} from './answers.js';
import { addressChange, businessAccountHolder, businessSearch, byId, byMerchant } from './requests.js';
import { exactJson, int32 } from './rules.js';

/** Whole applications whose members are not shown: they travel as they are. */
const asItIs = z.record(z.string(), exactJson);

/** Profiles, holders and addresses. `svc` is the brand segment of the paths. */
export function profileOperations(svc: string) {
  return {
    changeAddress: {
      reference: 'E3',
      summary: 'Change one’s postal address, or that of an associated person',
      method: 'POST',
      path: '/changeAddress',
      effect: 'idempotent',
      provenance: 'documented',
      request: addressChange,
      response: anyAnswer,
    },
    findProfileByMerchant: {
      reference: 'E5',
      summary: 'The banking profile of a merchant profile ID',
      method: 'GET',
      path: `/${svc}/profile/byMerchant/{merchantProfileId}`,
      effect: 'read',
      provenance: 'documented',
      request: byMerchant,
      response: bankingProfile,
    },
    submitBusinessAccountHolder: {
      reference: 'E7',
      summary: 'Submit a business, its primary authorized person and its beneficial owners',
      method: 'POST',
      path: `/${svc}/businessAccountHolder`,
      effect: 'once',
      irreversible: true,
      provenance: 'documented',
      request: businessAccountHolder,
      response: boardingResponse,
    },
    searchBusinessAccountHolders: {
      reference: 'E9',
      summary: 'Search business account holders by agent, ISO or dba',
      method: 'POST',
      path: '/api/AccountsSearch/BusinesAccountHolder',
      sendsEmptyBody: true,
      effect: 'read',
      provenance: 'documented',
      request: businessSearch,
      response: foundBusinesses,
      maxBytes: RESPONSE_BYTES.everything,
    },
    getProfile: {
      summary: 'A banking profile',
      method: 'GET',
      path: `/${svc}/profile/{id}`,
      effect: 'read',
      provenance: 'assumed',
      request: byId,
      response: bankingProfile,
    },
    findProfileByUser: {
      summary: 'The banking profile of a user profile',
      method: 'GET',
      path: `/${svc}/profile/byUser/{userProfileId}`,
      effect: 'read',
      provenance: 'assumed',
      request: z.strictObject({ userProfileId: int32 }),
      response: bankingProfile,
    },
    submitBusinessCustomer: {
      summary: 'Submit a business customer',
      method: 'POST',
      path: `/${svc}/businessCustomer`,
      effect: 'once',
      irreversible: true,
      provenance: 'assumed',
      request: asItIs,
      response: boardingResponse,
    },
    submitAuthorizedUser: {
      summary: 'Submit an authorized user of an account',
      method: 'POST',
      path: `/${svc}/authorizedUser`,
      effect: 'once',
      irreversible: true,
      provenance: 'assumed',
      request: asItIs,
      response: boardingResponse,
    },
    getBusinessAccountHolder: {
      summary: 'The business account holder of a profile',
      method: 'GET',
      path: `/${svc}/businessAccountHolder/{profileId}`,
      effect: 'read',
      provenance: 'assumed',
      request: z.strictObject({ profileId: int32 }),
      response: businessHolderRecord,
    },
    updateBusinessAccountHolder: {
      summary: 'Replace the data of a business account holder',
      method: 'PUT',
      path: `/${svc}/businessAccountHolder/{profileId}`,
      effect: 'idempotent',
      provenance: 'assumed',
      request: businessAccountHolder.extend({ profileId: int32 }),
      response: boardingResponse,
    },
    searchPersonalAccountHolders: {
      summary: 'Search personal account holders by agent, ISO or name',
      method: 'POST',
      path: '/api/AccountsSearch/PersonalAccountHolder',
      sendsEmptyBody: true,
      effect: 'read',
      provenance: 'assumed',
      request: businessSearch.omit({ dba: true }).extend({ name: z.string().nullish() }),
      response: foundPeople,
    },
  } as const satisfies Operations;
}

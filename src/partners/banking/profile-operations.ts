import { z } from 'zod';
import { type Download, from, type Operations, type ProbeSource, RESPONSE_BYTES } from '../catalogue.js';
import { anyResponse, dateTime, exactJson, int32, text } from '../fields.js';
import {
  addressChange,
  businessAccountHolder,
  businessSearch,
  byId,
  byMerchant,
  externalActivityRequest,
  fullStatementRequest,
  nothing,
} from './requests.js';
import {
  bankingProfile,
  boardingResponse,
  businessHolderRecord,
  externalActivity,
  financialAccounts,
  foundBusinesses,
  foundPeople,
  transactions,
} from './responses.js';

/** A file; `statementFormat` in `client.ts` returns its format. */
const file = z.custom<Download>();

/** The first of the previous month, because a statement of this one may not exist. */
const lastMonth: ProbeSource = {
  value: () => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString();
  },
};

const ANY_PROFILE = ['profile', from('searchBusinessAccountHolders', 'id')] as const;
const ANY_ACCOUNT = [from('listFinancialAccounts', 'id'), from('getProfile', 'financialAccountId')];
const ANY_ACCOUNTS = ANY_ACCOUNT.map((source) => ({ ...source, isList: true as const }));

/** Financial accounts, statements, transactions and external accounts. `svc` is the brand segment of the paths. */
export function accountOperations(svc: string) {
  return {
    generateFullStatement: {
      reference: 'E10',
      summary: 'A statement over several accounts, as a file',
      method: 'POST',
      path: '/api/Statement/V2/full',
      returns: 'stream',
      effect: 'read',
      probe: { period: [lastMonth], financialAccountIds: ANY_ACCOUNTS },
      provenance: 'documented',
      inWorkflows: true,
      request: fullStatementRequest,
      response: file,
    },
    getExternalAccountActivity: {
      reference: 'E11',
      summary: 'Activity of the external accounts linked to a profile',
      method: 'GET',
      path: `/${svc}/externalAccountActivity/{profileId}`,
      query: ['financialAccountId', 'provider', 'dateFrom', 'dateTo'],
      statusPayloads: { 404: {} },
      effect: 'read',
      probe: { profileId: ANY_PROFILE },
      provenance: 'documented',
      deprecated: 'the contract names no replacement',
      request: externalActivityRequest,
      response: externalActivity,
    },
    generateStatement: {
      summary: 'A statement of one account, as a file',
      method: 'POST',
      path: '/api/Statement/V2',
      returns: 'stream',
      effect: 'read',
      probe: { period: [lastMonth], financialAccountId: ANY_ACCOUNT },
      request: fullStatementRequest.omit({ financialAccountIds: true }).extend({ financialAccountId: text }),
      response: file,
    },
    listTransactions: {
      summary: 'Transactions of a financial account',
      method: 'POST',
      path: '/api/Transaction/V2/list',
      effect: 'read',
      probe: { financialAccountId: ANY_ACCOUNT },
      request: z.strictObject({
        financialAccountId: text,
        dateFrom: dateTime.optional(),
        dateTo: dateTime.optional(),
        skip: int32.optional(),
        take: int32.optional(),
      }),
      response: transactions,
      maxBytes: RESPONSE_BYTES.everything,
    },
    listFinancialAccounts: {
      summary: 'The financial accounts of the caller',
      method: 'GET',
      path: '/api/FinancialAccount/V2',
      effect: 'read',
      request: nothing,
      response: financialAccounts,
    },
  } as const satisfies Operations;
}

/** Whole applications whose fields the contract does not show: they are sent unchanged. */
const asItIs = z.record(z.string(), exactJson);

/** Profiles, holders and addresses. `svc` is the brand segment of the paths. */
export function profileOperations(svc: string) {
  return {
    changeAddress: {
      reference: 'E3',
      summary: 'Change the postal address of the caller or of an associated person',
      method: 'POST',
      path: '/changeAddress',
      effect: 'idempotent',
      provenance: 'documented',
      inWorkflows: true,
      request: addressChange,
      response: anyResponse,
    },
    findProfileByMerchant: {
      reference: 'E5',
      summary: 'The banking profile of a merchant',
      method: 'GET',
      path: `/${svc}/profile/byMerchant/{merchantProfileId}`,
      mayFindNothing: true,
      effect: 'read',
      probe: {
        merchantProfileId: ['merchant', from('getProfile', 'businessAccountHolder.merchantProfileId')],
      },
      provenance: 'documented',
      inWorkflows: true,
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
      inWorkflows: true,
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
      inWorkflows: true,
      request: businessSearch,
      response: foundBusinesses,
      maxBytes: RESPONSE_BYTES.everything,
    },
    getProfile: {
      summary: 'A banking profile',
      method: 'GET',
      path: `/${svc}/profile/{id}`,
      effect: 'read',
      probe: { id: ANY_PROFILE },
      inWorkflows: true,
      request: byId,
      response: bankingProfile,
    },
    findProfileByUser: {
      summary: 'The banking profile of a user profile',
      method: 'GET',
      path: `/${svc}/profile/byUser/{userProfileId}`,
      mayFindNothing: true,
      effect: 'read',
      probe: { userProfileId: [from('getProfile', 'userProfileId')] },
      inWorkflows: true,
      request: z.strictObject({ userProfileId: int32 }),
      response: bankingProfile,
    },
    submitBusinessCustomer: {
      summary: 'Submit a business customer',
      method: 'POST',
      path: `/${svc}/businessCustomer`,
      effect: 'once',
      irreversible: true,
      inWorkflows: true,
      request: asItIs,
      response: boardingResponse,
    },
    submitAuthorizedUser: {
      summary: 'Submit an authorized user of an account',
      method: 'POST',
      path: `/${svc}/authorizedUser`,
      effect: 'once',
      irreversible: true,
      request: asItIs,
      response: boardingResponse,
    },
    getBusinessAccountHolder: {
      summary: 'The business account holder of a profile',
      method: 'GET',
      path: `/${svc}/businessAccountHolder/{profileId}`,
      effect: 'read',
      probe: { profileId: ANY_PROFILE },
      request: z.strictObject({ profileId: int32 }),
      response: businessHolderRecord,
    },
    updateBusinessAccountHolder: {
      summary: 'Replace the data of a business account holder',
      method: 'PUT',
      path: `/${svc}/businessAccountHolder/{profileId}`,
      effect: 'idempotent',
      inWorkflows: true,
      request: businessAccountHolder.extend({ profileId: int32 }),
      response: boardingResponse,
    },
    searchPersonalAccountHolders: {
      summary: 'Search personal account holders by agent, ISO or name',
      method: 'POST',
      path: '/api/AccountsSearch/PersonalAccountHolder',
      sendsEmptyBody: true,
      effect: 'read',
      request: businessSearch.omit({ dba: true }).extend({ name: z.string().nullish() }),
      response: foundPeople,
    },
  } as const satisfies Operations;
}

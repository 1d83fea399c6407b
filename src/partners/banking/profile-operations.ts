import { z } from 'zod';
import {
  type Download,
  from,
  idempotent,
  type Operations,
  once,
  type ProbeSource,
  RESPONSE_BYTES,
  read,
} from '../catalogue.js';
import { dateTime, exactJson, int32, text } from '../field-schemas.js';
import * as requests from './requests.js';
import * as responses from './responses.js';

/** A file; `statementFormat` in `client.ts` returns its format. */
const file = z.custom<Download>();

/** The middle of the previous month, in any time zone: this month's statement may not exist yet. */
const lastMonth: ProbeSource = {
  value: () => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15, 12)).toISOString();
  },
};

const ANY_PROFILE = ['profile', from('searchBusinessAccountHolders', 'id')] as const;
const ANY_ACCOUNT = [from('listFinancialAccounts', 'id'), from('getProfile', 'financialAccountId')];
const ANY_ACCOUNTS = ANY_ACCOUNT.map((source) => ({ ...source, isList: true as const }));

export function accountOperations(svc: string) {
  return {
    generateFullStatement: read('POST /api/Statement/V2/full', {
      repeats: 'searches',
      reference: 'E10',
      summary: 'A statement over several accounts, as a file',
      returns: 'stream',
      probe: { period: [lastMonth], financialAccountIds: ANY_ACCOUNTS },
      inWorkflows: true,
      request: requests.fullStatementRequest,
      response: file,
    }),
    getExternalAccountActivity: read(`GET /${svc}/externalAccountActivity/{profileId}`, {
      reference: 'E11',
      summary: 'Activity of the external accounts linked to a profile',
      query: ['financialAccountId', 'provider', 'dateFrom', 'dateTo'],
      statusPayloads: { 404: {} },
      probe: { profileId: ANY_PROFILE },
      deprecated: 'the contract names no replacement',
      request: requests.externalActivityRequest,
      response: responses.externalActivity,
    }),
    generateStatement: read('POST /api/Statement/V2', {
      repeats: 'searches',
      summary: 'A statement of one account, as a file',
      returns: 'stream',
      probe: { period: [lastMonth], financialAccountId: ANY_ACCOUNT },
      request: requests.fullStatementRequest
        .omit({ financialAccountIds: true })
        .extend({ financialAccountId: text }),
      response: file,
    }),
    listTransactions: read('POST /api/Transaction/V2/list', {
      repeats: 'searches',
      summary: 'Transactions of a financial account',
      probe: { financialAccountId: ANY_ACCOUNT },
      request: z.strictObject({
        financialAccountId: text,
        dateFrom: dateTime.optional(),
        dateTo: dateTime.optional(),
        skip: int32.optional(),
        take: int32.optional(),
      }),
      response: responses.bankingTransactions,
      maxBytes: RESPONSE_BYTES.everything,
    }),
    listFinancialAccounts: read('GET /api/FinancialAccount/V2', {
      summary: 'The financial accounts of the caller',
      response: responses.financialAccounts,
    }),
  } satisfies Operations;
}

/** Applications whose fields the contract does not show. They are sent unchanged. */
const asItIs = z.record(z.string(), exactJson);

/** Profiles, holders and addresses. `svc` is the brand segment of the paths. */
export function profileOperations(svc: string) {
  return {
    changeAddress: idempotent('POST /changeAddress', {
      repeats: 'sets a value',
      reference: 'E3',
      summary: 'Change the postal address of the caller or of an associated person',
      inWorkflows: true,
      request: requests.addressChange,
    }),
    findProfileByMerchant: read(`GET /${svc}/profile/byMerchant/{merchantProfileId}`, {
      reference: 'E5',
      summary: 'The banking profile of a merchant',
      mayFindNothing: true,
      probe: {
        merchantProfileId: ['merchant', from('getProfile', 'businessAccountHolder.merchantProfileId')],
      },
      inWorkflows: true,
      request: requests.byMerchant,
      response: responses.bankingProfile,
    }),
    submitBusinessAccountHolder: once(`POST /${svc}/businessAccountHolder`, {
      reference: 'E7',
      summary: 'Submit a business, its primary authorized person and its beneficial owners',
      irreversible: true,
      inWorkflows: true,
      makes: 'profileId',
      request: requests.businessAccountHolder,
      response: responses.boardingResponse,
    }),
    searchBusinessAccountHolders: read('POST /api/AccountsSearch/BusinesAccountHolder', {
      repeats: 'searches',
      reference: 'E9',
      summary: 'Search business account holders by agent, ISO or dba',
      sendsEmptyBody: true,
      inWorkflows: true,
      request: requests.businessSearch,
      response: responses.foundBusinesses,
      maxBytes: RESPONSE_BYTES.everything,
    }),
    getProfile: read(`GET /${svc}/profile/{id}`, {
      summary: 'A banking profile',
      probe: { id: ANY_PROFILE },
      inWorkflows: true,
      request: requests.byId,
      response: responses.bankingProfile,
    }),
    findProfileByUser: read(`GET /${svc}/profile/byUser/{userProfileId}`, {
      summary: 'The banking profile of a user profile',
      mayFindNothing: true,
      probe: { userProfileId: [from('getProfile', 'userProfileId')] },
      inWorkflows: true,
      request: z.strictObject({ userProfileId: int32 }),
      response: responses.bankingProfile,
    }),
    submitBusinessCustomer: once(`POST /${svc}/businessCustomer`, {
      summary: 'Submit a business customer',
      irreversible: true,
      inWorkflows: true,
      makes: 'financialAccountId',
      request: asItIs,
      response: responses.boardingResponse,
    }),
    submitAuthorizedUser: once(`POST /${svc}/authorizedUser`, {
      summary: 'Submit an authorized user of an account',
      irreversible: true,
      makes: 'profileId',
      request: asItIs,
      response: responses.boardingResponse,
    }),
    getBusinessAccountHolder: read(`GET /${svc}/businessAccountHolder/{profileId}`, {
      summary: 'The business account holder of a profile',
      probe: { profileId: ANY_PROFILE },
      request: z.strictObject({ profileId: int32 }),
      response: responses.businessHolderRecord,
    }),
    updateBusinessAccountHolder: idempotent(`PUT /${svc}/businessAccountHolder/{profileId}`, {
      summary: 'Replace the data of a business account holder',
      inWorkflows: true,
      request: requests.businessAccountHolder.extend({ profileId: int32 }),
      response: responses.boardingResponse,
    }),
    searchPersonalAccountHolders: read('POST /api/AccountsSearch/PersonalAccountHolder', {
      repeats: 'searches',
      summary: 'Search personal account holders by agent, ISO or name',
      sendsEmptyBody: true,
      request: requests.businessSearch.omit({ dba: true }).extend({ name: z.string().nullish() }),
      response: responses.foundPeople,
    }),
  } satisfies Operations;
}

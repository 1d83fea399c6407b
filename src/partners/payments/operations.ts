import { z } from 'zod';
import { from, idempotent, once, read } from '../catalogue.js';
import { anyResponse, text } from '../fields.js';
import { PAYMENT_OPERATIONS, TRANSACTION_OPERATIONS } from './payment-operations.js';
import {
  account,
  accounts,
  apiKey,
  apiKeys,
  location,
  missing,
  newAccount,
  newApiKey,
  newLocation,
  newTerminal,
  type PaymentsCatalogue,
  page,
  terminal,
  terminals,
} from './schemas.js';

const { search, limit, offset } = page;
const oneAccount = { account_id: text };
const oneKey = { apikey_id: text };

/** Accounts, and the API keys of the platform. */
const ACCOUNT_OPERATIONS = {
  listAccounts: read('GET /v1/accounts', {
    summary: 'A page of accounts',
    query: ['search', 'status', 'limit', 'offset'],
    inWorkflows: true,
    request: z.strictObject({ search, status: page.status, limit, offset }),
    response: accounts,
  }),
  getAccount: read('GET /v1/accounts/{account_id}', {
    summary: 'An account',
    failures: missing('account'),
    probe: { account_id: [from('listAccounts', 'accounts.id')] },
    request: z.strictObject(oneAccount),
    response: account,
  }),
  createAccountV1: once('POST /v1/accounts', {
    summary: 'Create only an account',
    request: newAccount,
    response: account,
  }),
  createAccount: once('POST /v2/accounts', {
    summary: 'Create an account with an organization, a webhook application and an API key',
    inWorkflows: true,
    request: newAccount,
    response: account,
  }),
  updateAccount: idempotent('PUT /v1/accounts/{account_id}', {
    summary: 'Change fields of an account',
    failures: missing('account'),
    request: newAccount.partial().extend(oneAccount),
    response: account,
  }),
  listApiKeys: read('GET /v5/apikeys', {
    summary: 'API keys, without their secrets',
    query: ['limit', 'offset'],
    request: z.strictObject({ limit, offset }),
    response: apiKeys,
  }),
  getApiKey: read('GET /v5/apikeys/{apikey_id}', {
    summary: 'An API key, without its secret',
    failures: missing('API key'),
    probe: { apikey_id: [from('listApiKeys', 'apikeys.id')] },
    request: z.strictObject(oneKey),
    response: apiKey,
  }),
  createApiKey: once('POST /v5/apikeys', {
    summary: 'Create an API key with the named permissions; only this response has its secret',
    request: newApiKey,
    response: apiKey,
  }),
  updateApiKey: idempotent('PUT /v5/apikeys/{apikey_id}', {
    summary: 'Change the name or permissions of an API key',
    failures: missing('API key'),
    request: newApiKey.partial().extend(oneKey),
    response: apiKey,
  }),
  deleteApiKey: idempotent('DELETE /v5/apikeys/{apikey_id}', {
    summary: 'Delete an API key, which then stops working',
    failures: missing('API key'),
    irreversible: true,
    request: z.strictObject(oneKey),
    response: anyResponse,
  }),
} satisfies PaymentsCatalogue;

const oneTerminal = { terminal_id: text };
const oneLocation = { location_id: text };

/** Terminals, and the locations where they are. */
const PLACE_OPERATIONS = {
  listTerminals: read('GET /v2/terminals', {
    summary: 'A page of terminals; with `search`, those that match',
    query: Object.keys(page),
    inWorkflows: true,
    request: z.strictObject(page),
    response: terminals,
  }),
  createTerminal: once('POST /v2/terminals', {
    summary: 'Create a terminal and what it needs',
    inWorkflows: true,
    request: newTerminal,
    response: terminal,
  }),
  getTerminal: read('GET /v2/terminals/{terminal_id}', {
    summary: 'A terminal',
    failures: missing('terminal'),
    probe: { terminal_id: [from('listTerminals', 'terminals.id')] },
    request: z.strictObject(oneTerminal),
    response: terminal,
  }),
  updateTerminal: idempotent('PUT /v2/terminals/{terminal_id}', {
    summary: 'Change fields of a terminal',
    failures: missing('terminal'),
    request: newTerminal.partial().extend(oneTerminal),
    response: terminal,
  }),
  deleteTerminal: idempotent('DELETE /v2/terminals/{terminal_id}', {
    summary: 'Delete a terminal',
    failures: missing('terminal'),
    irreversible: true,
    request: z.strictObject(oneTerminal),
    response: anyResponse,
  }),
  createLocation: once('POST /v1/locations', {
    summary: 'Create a location',
    request: newLocation,
    response: location,
  }),
  updateLocation: idempotent('PUT /v1/locations/{location_id}', {
    summary: 'Change fields of a location',
    failures: missing('location'),
    request: newLocation.partial().extend(oneLocation),
    response: location,
  }),
  getLocation: read('GET /v1/locations/{location_id}', {
    summary: 'A location',
    failures: missing('location'),
    probe: { location_id: [from('listTerminals', 'terminals.location_id')] },
    request: z.strictObject(oneLocation),
    response: location,
  }),
} satisfies PaymentsCatalogue;

/**
 * The payments platform: every operation that apis/3 names. It shows no shapes, so they are those that apis/4 reports,
 * or those of similar operations. The older of two versions of an operation is called `...V1`.
 */
export const PAYMENTS_OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...PLACE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...PAYMENT_OPERATIONS,
} satisfies PaymentsCatalogue;

export type PaymentsOperations = typeof PAYMENTS_OPERATIONS;

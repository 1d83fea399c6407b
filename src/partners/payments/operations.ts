import { z } from 'zod';
import { from } from '../catalogue.js';
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
  listAccounts: {
    summary: 'A page of accounts',
    method: 'GET',
    path: '/v1/accounts',
    query: ['search', 'status', 'limit', 'offset'],
    effect: 'read',
    inWorkflows: true,
    request: z.strictObject({ search, status: page.status, limit, offset }),
    response: accounts,
  },
  getAccount: {
    summary: 'An account',
    method: 'GET',
    path: '/v1/accounts/{account_id}',
    failures: missing('account'),
    effect: 'read',
    probe: { account_id: [from('listAccounts', 'accounts.id')] },
    request: z.strictObject(oneAccount),
    response: account,
  },
  createAccountV1: {
    summary: 'Create only an account',
    method: 'POST',
    path: '/v1/accounts',
    effect: 'once',
    request: newAccount,
    response: account,
  },
  createAccount: {
    summary: 'Create an account with an organization, a webhook application and an API key',
    method: 'POST',
    path: '/v2/accounts',
    effect: 'once',
    inWorkflows: true,
    request: newAccount,
    response: account,
  },
  updateAccount: {
    summary: 'Change fields of an account',
    method: 'PUT',
    path: '/v1/accounts/{account_id}',
    failures: missing('account'),
    effect: 'idempotent',
    request: newAccount.partial().extend(oneAccount),
    response: account,
  },
  listApiKeys: {
    summary: 'API keys, without their secrets',
    method: 'GET',
    path: '/v5/apikeys',
    query: ['limit', 'offset'],
    effect: 'read',
    request: z.strictObject({ limit, offset }),
    response: apiKeys,
  },
  getApiKey: {
    summary: 'An API key, without its secret',
    method: 'GET',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'read',
    probe: { apikey_id: [from('listApiKeys', 'apikeys.id')] },
    request: z.strictObject(oneKey),
    response: apiKey,
  },
  createApiKey: {
    summary: 'Create an API key with the named permissions; only this response has its secret',
    method: 'POST',
    path: '/v5/apikeys',
    effect: 'once',
    request: newApiKey,
    response: apiKey,
  },
  updateApiKey: {
    summary: 'Change the name or permissions of an API key',
    method: 'PUT',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'idempotent',
    request: newApiKey.partial().extend(oneKey),
    response: apiKey,
  },
  deleteApiKey: {
    summary: 'Delete an API key, which then stops working',
    method: 'DELETE',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'idempotent',
    irreversible: true,
    request: z.strictObject(oneKey),
    response: anyResponse,
  },
} as const satisfies PaymentsCatalogue;

const oneTerminal = { terminal_id: text };
const oneLocation = { location_id: text };

/** Terminals, and the locations where they are. */
const PLACE_OPERATIONS = {
  listTerminals: {
    summary: 'A page of terminals; with `search`, those that match',
    method: 'GET',
    path: '/v2/terminals',
    query: Object.keys(page),
    effect: 'read',
    inWorkflows: true,
    request: z.strictObject(page),
    response: terminals,
  },
  createTerminal: {
    summary: 'Create a terminal and what it needs',
    method: 'POST',
    path: '/v2/terminals',
    effect: 'once',
    inWorkflows: true,
    request: newTerminal,
    response: terminal,
  },
  getTerminal: {
    summary: 'A terminal',
    method: 'GET',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'read',
    probe: { terminal_id: [from('listTerminals', 'terminals.id')] },
    request: z.strictObject(oneTerminal),
    response: terminal,
  },
  updateTerminal: {
    summary: 'Change fields of a terminal',
    method: 'PUT',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'idempotent',
    request: newTerminal.partial().extend(oneTerminal),
    response: terminal,
  },
  deleteTerminal: {
    summary: 'Delete a terminal',
    method: 'DELETE',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'idempotent',
    irreversible: true,
    request: z.strictObject(oneTerminal),
    response: anyResponse,
  },
  createLocation: {
    summary: 'Create a location',
    method: 'POST',
    path: '/v1/locations',
    effect: 'once',
    request: newLocation,
    response: location,
  },
  updateLocation: {
    summary: 'Change fields of a location',
    method: 'PUT',
    path: '/v1/locations/{location_id}',
    failures: missing('location'),
    effect: 'idempotent',
    request: newLocation.partial().extend(oneLocation),
    response: location,
  },
  getLocation: {
    summary: 'A location',
    method: 'GET',
    path: '/v1/locations/{location_id}',
    failures: missing('location'),
    effect: 'read',
    probe: { location_id: [from('listTerminals', 'terminals.location_id')] },
    request: z.strictObject(oneLocation),
    response: location,
  },
} as const satisfies PaymentsCatalogue;

/**
 * The payments platform: every operation that apis/3 names. It shows no shapes, so they are those that apis/4 reports,
 * or those of similar operations. The older of two versions of an operation is called `...V1`.
 */
export const PAYMENTS_OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...PLACE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...PAYMENT_OPERATIONS,
} as const satisfies PaymentsCatalogue;

export type PaymentsOperations = typeof PAYMENTS_OPERATIONS;

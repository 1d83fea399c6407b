import { z } from 'zod';
import { from, idempotent, once, read } from '../catalogue.js';
import { anyResponse, text } from '../fields.js';
import { PAYMENT_OPERATIONS, TRANSACTION_OPERATIONS } from './payment-operations.js';
import * as schemas from './schemas.js';

const { search, limit, offset } = schemas.page;
const oneAccount = { account_id: text };
const oneKey = { apikey_id: text };

const ACCOUNT_OPERATIONS = {
  listAccounts: read('GET /v1/accounts', {
    summary: 'A page of accounts',
    query: ['search', 'status', 'limit', 'offset'],
    inWorkflows: true,
    request: z.strictObject({ search, status: schemas.page.status, limit, offset }),
    response: schemas.accounts,
  }),
  getAccount: read('GET /v1/accounts/{account_id}', {
    summary: 'An account',
    failures: schemas.missing('account'),
    probe: { account_id: [from('listAccounts', 'accounts.id')] },
    request: z.strictObject(oneAccount),
    response: schemas.account,
  }),
  createAccountV1: once('POST /v1/accounts', {
    summary: 'Create only an account',
    request: schemas.newAccount,
    response: schemas.account,
  }),
  createAccount: once('POST /v2/accounts', {
    summary: 'Create an account with an organization, a webhook application and an API key',
    inWorkflows: true,
    request: schemas.newAccount,
    response: schemas.account,
  }),
  updateAccount: idempotent('PUT /v1/accounts/{account_id}', {
    summary: 'Change fields of an account',
    failures: schemas.missing('account'),
    request: schemas.newAccount.partial().extend(oneAccount),
    response: schemas.account,
  }),
  listApiKeys: read('GET /v5/apikeys', {
    summary: 'API keys, without their secrets',
    query: ['limit', 'offset'],
    request: z.strictObject({ limit, offset }),
    response: schemas.apiKeys,
  }),
  getApiKey: read('GET /v5/apikeys/{apikey_id}', {
    summary: 'An API key, without its secret',
    failures: schemas.missing('API key'),
    probe: { apikey_id: [from('listApiKeys', 'apikeys.id')] },
    request: z.strictObject(oneKey),
    response: schemas.apiKey,
  }),
  createApiKey: once('POST /v5/apikeys', {
    summary: 'Create an API key with the named permissions; only this response has its secret',
    request: schemas.newApiKey,
    response: schemas.apiKey,
  }),
  updateApiKey: idempotent('PUT /v5/apikeys/{apikey_id}', {
    summary: 'Change the name or permissions of an API key',
    failures: schemas.missing('API key'),
    request: schemas.newApiKey.partial().extend(oneKey),
    response: schemas.apiKey,
  }),
  deleteApiKey: idempotent('DELETE /v5/apikeys/{apikey_id}', {
    summary: 'Delete an API key, which then stops working',
    failures: schemas.missing('API key'),
    irreversible: true,
    request: z.strictObject(oneKey),
    response: anyResponse,
  }),
} satisfies schemas.PaymentsCatalogue;

const oneTerminal = { terminal_id: text };
const oneLocation = { location_id: text };

const PLACE_OPERATIONS = {
  listTerminals: read('GET /v2/terminals', {
    summary: 'A page of terminals; with `search`, those that match',
    query: Object.keys(schemas.page),
    inWorkflows: true,
    request: z.strictObject(schemas.page),
    response: schemas.terminals,
  }),
  createTerminal: once('POST /v2/terminals', {
    summary: 'Create a terminal and what it needs',
    inWorkflows: true,
    request: schemas.newTerminal,
    response: schemas.terminal,
  }),
  getTerminal: read('GET /v2/terminals/{terminal_id}', {
    summary: 'A terminal',
    failures: schemas.missing('terminal'),
    probe: { terminal_id: [from('listTerminals', 'terminals.id')] },
    request: z.strictObject(oneTerminal),
    response: schemas.terminal,
  }),
  updateTerminal: idempotent('PUT /v2/terminals/{terminal_id}', {
    summary: 'Change fields of a terminal',
    failures: schemas.missing('terminal'),
    request: schemas.newTerminal.partial().extend(oneTerminal),
    response: schemas.terminal,
  }),
  deleteTerminal: idempotent('DELETE /v2/terminals/{terminal_id}', {
    summary: 'Delete a terminal',
    failures: schemas.missing('terminal'),
    irreversible: true,
    request: z.strictObject(oneTerminal),
    response: anyResponse,
  }),
  createLocation: once('POST /v1/locations', {
    summary: 'Create a location',
    request: schemas.newLocation,
    response: schemas.location,
  }),
  updateLocation: idempotent('PUT /v1/locations/{location_id}', {
    summary: 'Change fields of a location',
    failures: schemas.missing('location'),
    request: schemas.newLocation.partial().extend(oneLocation),
    response: schemas.location,
  }),
  getLocation: read('GET /v1/locations/{location_id}', {
    summary: 'A location',
    failures: schemas.missing('location'),
    probe: { location_id: [from('listTerminals', 'terminals.location_id')] },
    request: z.strictObject(oneLocation),
    response: schemas.location,
  }),
} satisfies schemas.PaymentsCatalogue;

/**
 * The payments platform: every operation that apis/3 names. It shows no shapes, so they are those that apis/4 reports,
 * or those of similar operations. The older of two versions of an operation is called `...V1`.
 */
export const PAYMENTS_OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...PLACE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...PAYMENT_OPERATIONS,
} satisfies schemas.PaymentsCatalogue;

export type PaymentsOperations = typeof PAYMENTS_OPERATIONS;

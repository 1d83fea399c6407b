import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import { text } from '../request-members.js';
import { account, accounts, apiKey, apiKeys } from './answers.js';
import { missing, type PaymentsCatalogue } from './catalogue.js';
import { newAccount, newApiKey, page } from './requests.js';

const { search, limit, offset } = page;
const oneAccount = { account_id: text };
const oneKey = { apikey_id: text };

/** Accounts, and the API keys of the platform. */
export const ACCOUNT_OPERATIONS = {
  listAccounts: {
    summary: 'Accounts, a page of them',
    method: 'GET',
    path: '/v1/accounts',
    query: ['search', 'status', 'limit', 'offset'],
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject({ search, status: page.status, limit, offset }),
    response: accounts,
  },
  getAccount: {
    summary: 'An account',
    method: 'GET',
    path: '/v1/accounts/{account_id}',
    failures: missing('account'),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(oneAccount),
    response: account,
  },
  createAccountV1: {
    summary: 'Create an account, and nothing beside it',
    method: 'POST',
    path: '/v1/accounts',
    effect: 'once',
    provenance: 'assumed',
    request: newAccount,
    response: account,
  },
  createAccount: {
    summary: 'Create an account with an organisation, a webhook application and an API key',
    method: 'POST',
    path: '/v2/accounts',
    effect: 'once',
    provenance: 'assumed',
    request: newAccount,
    response: account,
  },
  updateAccount: {
    summary: 'Change members of an account',
    method: 'PUT',
    path: '/v1/accounts/{account_id}',
    failures: missing('account'),
    effect: 'idempotent',
    provenance: 'assumed',
    request: newAccount.partial().extend(oneAccount),
    response: account,
  },
  listApiKeys: {
    summary: 'API keys, without their secrets',
    method: 'GET',
    path: '/v5/apikeys',
    query: ['limit', 'offset'],
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject({ limit, offset }),
    response: apiKeys,
  },
  getApiKey: {
    summary: 'An API key, without its secret',
    method: 'GET',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(oneKey),
    response: apiKey,
  },
  createApiKey: {
    summary: 'Make an API key with the permissions that are named; its secret is told this once',
    method: 'POST',
    path: '/v5/apikeys',
    effect: 'once',
    provenance: 'assumed',
    request: newApiKey,
    response: apiKey,
  },
  updateApiKey: {
    summary: 'Change the name or the permissions of an API key',
    method: 'PUT',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'idempotent',
    provenance: 'assumed',
    request: newApiKey.partial().extend(oneKey),
    response: apiKey,
  },
  deleteApiKey: {
    summary: 'Delete an API key, which opens nothing from then on',
    method: 'DELETE',
    path: '/v5/apikeys/{apikey_id}',
    failures: missing('API key'),
    effect: 'idempotent',
    irreversible: true,
    provenance: 'assumed',
    request: z.strictObject(oneKey),
    response: anyAnswer,
  },
} as const satisfies PaymentsCatalogue;

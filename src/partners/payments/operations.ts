import { z } from 'zod';
import { from, idempotent, once, read } from '../catalogue.js';
import { text } from '../field-schemas.js';
import * as schemas from './schemas.js';

const { search, limit, offset } = schemas.pageQuery;
const oneAccount = { account_id: text };
const oneKey = { apikey_id: text };

const ACCOUNT_OPERATIONS = {
  listAccounts: read('GET /v1/accounts', {
    summary: 'A page of accounts',
    query: ['search', 'status', 'limit', 'offset'],
    request: z.strictObject({ search, status: schemas.pageQuery.status, limit, offset }),
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
    makes: 'id',
    request: schemas.newAccount,
    response: schemas.account,
  }),
  createAccount: once('POST /v2/accounts', {
    summary: 'Create an account with an organization, a webhook application and an API key',
    makes: 'id',
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
  }),
} satisfies schemas.PaymentsCatalogue;

const oneTerminal = { terminal_id: text };
const oneLocation = { location_id: text };

const PLACE_OPERATIONS = {
  listTerminals: read('GET /v2/terminals', {
    summary: 'A page of terminals; with `search`, those that match',
    query: Object.keys(schemas.pageQuery),
    inWorkflows: true,
    request: z.strictObject(schemas.pageQuery),
    response: schemas.terminals,
  }),
  createTerminal: once('POST /v2/terminals', {
    summary: 'Create a terminal and what it needs',
    makes: 'id',
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
  }),
  createLocation: once('POST /v1/locations', {
    summary: 'Create a location',
    makes: 'id',
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

/** The actions on a payment, the same in both versions. Each takes an `event_id`, its idempotency key. */
function actions<const Version extends (typeof schemas.VERSIONS)['payments'][number]>(version: Version) {
  const action = <Request extends z.ZodType>(name: string, summary: string, request: Request) =>
    idempotent(`POST /${version}/payments/{transaction_id}/${name}`, {
      repeats: 'has a key',
      summary,
      failures: schemas.missing('payment'),
      irreversible: true,
      request,
      response: schemas.transaction,
    });
  return {
    capture: action('capture', 'Capture all or part of an authorized payment', schemas.capture),
    increment: action('auth', 'Raise an authorization by an amount', schemas.increment),
    refund: action('refund', 'Refund a captured payment, in whole or in parts', schemas.refund),
    reverse: action(
      'reverse',
      'Reverse an unsettled payment, or part of its authorization',
      schemas.reversal,
    ),
    adjust: action('adjust', 'Set the amount of an unsettled payment', schemas.adjustment),
    confirm: action('confirm', 'Accept or reject the surcharge on a payment', schemas.confirmation),
  };
}

const v1 = actions('v1');
const v3 = actions('v3');

/** Payments: initiation, actions in both versions, and the refund of a completed transaction. */
export const PAYMENT_OPERATIONS = {
  startPayment: once('POST /v3/payment', {
    summary: 'Start a contactless card-present payment at a terminal, authorized and captured in one step',
    irreversible: true,
    makes: 'id',
    request: schemas.newPayment,
    response: schemas.transaction,
  }),
  startPreauth: once('POST /v3/preauth', {
    summary: 'Start a contactless card-present authorization at a terminal, for later capture',
    irreversible: true,
    makes: 'id',
    request: schemas.newPayment,
    response: schemas.transaction,
  }),
  capturePayment: v3.capture,
  incrementAuthorization: v3.increment,
  refundPayment: v3.refund,
  reversePayment: v3.reverse,
  adjustPayment: v3.adjust,
  confirmPayment: v3.confirm,
  capturePaymentV1: v1.capture,
  incrementAuthorizationV1: v1.increment,
  refundPaymentV1: v1.refund,
  reversePaymentV1: v1.reverse,
  adjustPaymentV1: v1.adjust,
  confirmPaymentV1: v1.confirm,
  refundTransaction: once('POST /v3/refund', {
    summary: 'Refund all or part of a completed transaction',
    failures: schemas.missing('transaction'),
    irreversible: true,
    makes: 'id',
    request: schemas.refund,
    response: schemas.transaction,
  }),
} satisfies schemas.PaymentsCatalogue;

const oneTransaction = { transaction_id: text };
const oneBatch = { batch_id: text };

const TRANSACTION_OPERATIONS = {
  listTransactions: read('GET /v1/transactions', {
    summary: 'A page of transactions; with `search`, those that match',
    query: Object.keys(schemas.pageQuery),
    request: z.strictObject(schemas.pageQuery),
    response: schemas.transactions,
  }),
  getTransaction: read('GET /v1/transactions/{transaction_id}', {
    summary: 'A transaction',
    failures: schemas.missing('transaction'),
    probe: { transaction_id: [from('listTransactions', 'transactions.id')] },
    request: z.strictObject(oneTransaction),
    response: schemas.transaction,
  }),
  updateTransaction: idempotent('PUT /v1/transactions/{transaction_id}', {
    summary: 'Record the final outcome of a passthrough transaction, as reported by the processor',
    failures: {
      ...schemas.missing('transaction'),
      401: {
        message:
          'only transactions of passthrough flows can be edited, and the processor manages this one directly; ' +
          'if reads fail with 401 as well, the API key is wrong',
        kind: 'Rejected',
      },
    },
    irreversible: true,
    request: z.looseObject({ ...oneTransaction, status: text.optional() }),
    response: schemas.transaction,
  }),
  openBatch: once('POST /v1/batches', {
    summary: 'Open a settlement batch',
    makes: 'id',
    request: schemas.newBatch,
    response: schemas.paymentBatch,
  }),
  closeBatch: idempotent('POST /v1/batches/{batch_id}/close', {
    repeats: 'sets a value',
    summary: 'Close a batch and settle what was captured in it',
    failures: schemas.missing('batch'),
    irreversible: true,
    request: z.strictObject(oneBatch),
    response: schemas.paymentBatch,
  }),
  updateBatch: idempotent('PUT /v1/batches/{batch_id}', {
    summary: 'Change fields of an open batch',
    failures: schemas.missing('batch'),
    request: schemas.newBatch.partial().extend(oneBatch),
    response: schemas.paymentBatch,
  }),
} satisfies schemas.PaymentsCatalogue;

/**
 * The payments platform (docs/partner-apis.md#payments-platform): every operation that the contract names, with assumed shapes.
 * The older of two versions of an operation is called `...V1`.
 */
export const PAYMENTS_OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...PLACE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...PAYMENT_OPERATIONS,
} satisfies schemas.PaymentsCatalogue;

export type PaymentsOperations = typeof PAYMENTS_OPERATIONS;

import { z } from 'zod';
import { from, idempotent, once, read } from '../catalogue.js';
import { text } from '../fields.js';
import * as schemas from './schemas.js';

/**
 * The actions on a payment, which are the same in both versions. Each takes an `event_id`, its idempotency key: repeated
 * with the same one, it happens once.
 */
function actions<const Version extends (typeof schemas.VERSIONS)['payments'][number]>(version: Version) {
  const action = <Request extends z.ZodType>(name: string, summary: string, request: Request) =>
    idempotent(`POST /${version}/payments/{transaction_id}/${name}`, {
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

/** Payments: initiation, the actions on them in both versions, and the refund of a completed transaction. */
export const PAYMENT_OPERATIONS = {
  startPayment: once('POST /v3/payment', {
    summary: 'Start a contactless card-present payment at a terminal, authorized and captured in one step',
    irreversible: true,
    request: schemas.newPayment,
    response: schemas.transaction,
  }),
  startPreauth: once('POST /v3/preauth', {
    summary: 'Start a contactless card-present authorization at a terminal, for later capture',
    irreversible: true,
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
    request: schemas.refund,
    response: schemas.transaction,
  }),
} satisfies schemas.PaymentsCatalogue;

const oneTransaction = { transaction_id: text };
const oneBatch = { batch_id: text };

export const TRANSACTION_OPERATIONS = {
  listTransactions: read('GET /v1/transactions', {
    summary: 'A page of transactions; with `search`, those that match',
    query: Object.keys(schemas.page),
    request: z.strictObject(schemas.page),
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
    request: schemas.newBatch,
    response: schemas.batch,
  }),
  closeBatch: idempotent('POST /v1/batches/{batch_id}/close', {
    summary: 'Close a batch and settle what was captured in it',
    failures: schemas.missing('batch'),
    irreversible: true,
    request: z.strictObject(oneBatch),
    response: schemas.batch,
  }),
  updateBatch: idempotent('PUT /v1/batches/{batch_id}', {
    summary: 'Change fields of an open batch',
    failures: schemas.missing('batch'),
    request: schemas.newBatch.partial().extend(oneBatch),
    response: schemas.batch,
  }),
} satisfies schemas.PaymentsCatalogue;

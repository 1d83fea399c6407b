import { z } from 'zod';
import { from } from '../catalogue.js';
import { text } from '../fields.js';
import {
  adjustment,
  batch,
  capture,
  confirmation,
  increment,
  missing,
  newBatch,
  newPayment,
  type PaymentsCatalogue,
  page,
  refund,
  reversal,
  transaction,
  transactions,
  type VERSIONS,
} from './schemas.js';

/**
 * The actions on a payment, which are the same in both versions. Each takes an `event_id`, its idempotency key: repeated
 * with the same one, it happens once.
 */
function actions(version: (typeof VERSIONS)['payments'][number]) {
  const common = {
    method: 'POST',
    failures: missing('payment'),
    effect: 'idempotent',
    irreversible: true,
    response: transaction,
  } as const;
  const payment = `/${version}/payments/{transaction_id}` as const;
  return {
    capture: {
      ...common,
      summary: 'Capture all or part of an authorized payment',
      path: `${payment}/capture`,
      request: capture,
    },
    increment: {
      ...common,
      summary: 'Raise an authorization by an amount',
      path: `${payment}/auth`,
      request: increment,
    },
    refund: {
      ...common,
      summary: 'Refund a captured payment, in whole or in parts',
      path: `${payment}/refund`,
      request: refund,
    },
    reverse: {
      ...common,
      summary: 'Reverse an unsettled payment, or part of its authorization',
      path: `${payment}/reverse`,
      request: reversal,
    },
    adjust: {
      ...common,
      summary: 'Set the amount of an unsettled payment',
      path: `${payment}/adjust`,
      request: adjustment,
    },
    confirm: {
      ...common,
      summary: 'Accept or reject the surcharge on a payment',
      path: `${payment}/confirm`,
      request: confirmation,
    },
  } as const satisfies PaymentsCatalogue;
}

const v1 = actions('v1');
const v3 = actions('v3');

/** Payments: initiation, the actions on them in both versions, and the refund of a completed transaction. */
export const PAYMENT_OPERATIONS = {
  startPayment: {
    summary: 'Start a contactless card-present payment at a terminal, authorized and captured in one step',
    method: 'POST',
    path: '/v3/payment',
    effect: 'once',
    irreversible: true,
    request: newPayment,
    response: transaction,
  },
  startPreauth: {
    summary: 'Start a contactless card-present authorization at a terminal, for later capture',
    method: 'POST',
    path: '/v3/preauth',
    effect: 'once',
    irreversible: true,
    request: newPayment,
    response: transaction,
  },
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
  refundTransaction: {
    summary: 'Refund all or part of a completed transaction',
    method: 'POST',
    path: '/v3/refund',
    failures: missing('transaction'),
    effect: 'once',
    irreversible: true,
    request: refund,
    response: transaction,
  },
} as const satisfies PaymentsCatalogue;

const oneTransaction = { transaction_id: text };
const oneBatch = { batch_id: text };

/** Transactions as they are reported, and the batches in which they are settled. */
export const TRANSACTION_OPERATIONS = {
  listTransactions: {
    summary: 'A page of transactions; with `search`, those that match',
    method: 'GET',
    path: '/v1/transactions',
    query: Object.keys(page),
    effect: 'read',
    request: z.strictObject(page),
    response: transactions,
  },
  getTransaction: {
    summary: 'A transaction',
    method: 'GET',
    path: '/v1/transactions/{transaction_id}',
    failures: missing('transaction'),
    effect: 'read',
    probe: { transaction_id: [from('listTransactions', 'transactions.id')] },
    request: z.strictObject(oneTransaction),
    response: transaction,
  },
  updateTransaction: {
    summary: 'Record the final outcome of a passthrough transaction, as reported by the processor',
    method: 'PUT',
    path: '/v1/transactions/{transaction_id}',
    failures: {
      ...missing('transaction'),
      401: {
        message:
          'only transactions of passthrough flows can be edited, and the processor manages this one directly; ' +
          'if reads fail with 401 as well, the API key is wrong',
        kind: 'Rejected',
      },
    },
    effect: 'idempotent',
    irreversible: true,
    request: z.looseObject({ ...oneTransaction, status: text.optional() }),
    response: transaction,
  },
  openBatch: {
    summary: 'Open a settlement batch',
    method: 'POST',
    path: '/v1/batches',
    effect: 'once',
    request: newBatch,
    response: batch,
  },
  closeBatch: {
    summary: 'Close a batch and settle what was captured in it',
    method: 'POST',
    path: '/v1/batches/{batch_id}/close',
    failures: missing('batch'),
    effect: 'idempotent',
    irreversible: true,
    request: z.strictObject(oneBatch),
    response: batch,
  },
  updateBatch: {
    summary: 'Change fields of an open batch',
    method: 'PUT',
    path: '/v1/batches/{batch_id}',
    failures: missing('batch'),
    effect: 'idempotent',
    request: newBatch.partial().extend(oneBatch),
    response: batch,
  },
} as const satisfies PaymentsCatalogue;

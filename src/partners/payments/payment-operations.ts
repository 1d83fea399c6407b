import { transaction } from './answers.js';
import { missing, type PaymentsCatalogue } from './catalogue.js';
import { adjustment, capture, confirmation, increment, newPayment, refund, reversal } from './requests.js';
import type { VERSIONS } from './versions.js';

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
    provenance: 'assumed',
    response: transaction,
  } as const;
  const payment = `/${version}/payments/{transaction_id}` as const;
  return {
    capture: {
      ...common,
      summary: 'Capture an authorized payment, or a part of it',
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
      summary: 'Refund a captured payment, or a part of it; parts up to all that was captured',
      path: `${payment}/refund`,
      request: refund,
    },
    reverse: {
      ...common,
      summary: 'Reverse a payment that is not settled, or a part of its authorization',
      path: `${payment}/reverse`,
      request: reversal,
    },
    adjust: {
      ...common,
      summary: 'Set the amount of a payment that is not settled',
      path: `${payment}/adjust`,
      request: adjustment,
    },
    confirm: {
      ...common,
      summary: 'Say yes or no to the surcharge that a payment waits for',
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
    summary: 'Start a contactless card-present payment at a terminal: authorized and captured in one',
    method: 'POST',
    path: '/v3/payment',
    effect: 'once',
    irreversible: true,
    provenance: 'assumed',
    request: newPayment,
    response: transaction,
  },
  startPreauth: {
    summary: 'Start a contactless card-present authorization at a terminal, to be captured later',
    method: 'POST',
    path: '/v3/preauth',
    effect: 'once',
    irreversible: true,
    provenance: 'assumed',
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
    summary: 'Refund a completed transaction, or a part of it',
    method: 'POST',
    path: '/v3/refund',
    failures: missing('transaction'),
    effect: 'once',
    irreversible: true,
    provenance: 'assumed',
    request: refund,
    response: transaction,
  },
} as const satisfies PaymentsCatalogue;

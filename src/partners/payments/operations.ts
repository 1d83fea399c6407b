import { ACCOUNT_OPERATIONS } from './account-operations.js';
import type { PaymentsCatalogue } from './catalogue.js';
import { PAYMENT_OPERATIONS } from './payment-operations.js';
import { PLACE_OPERATIONS } from './place-operations.js';
import { TRANSACTION_OPERATIONS } from './transaction-operations.js';

/**
 * The payments platform: every operation that apis/3 names, all without shapes, with those that apis/4 reports or that their
 * neighbours have. Of what exists in two versions, the older is called `...V1`.
 */
export const PAYMENTS_OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...PLACE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...PAYMENT_OPERATIONS,
} as const satisfies PaymentsCatalogue;

export type PaymentsOperations = typeof PAYMENTS_OPERATIONS;

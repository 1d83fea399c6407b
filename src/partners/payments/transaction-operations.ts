import { z } from 'zod';
import { text } from '../request-members.js';
import { batch, transaction, transactions } from './answers.js';
import { missing, type PaymentsCatalogue } from './catalogue.js';
import { newBatch, page } from './requests.js';

const oneTransaction = { transaction_id: text };
const oneBatch = { batch_id: text };

/** Transactions as they are reported, and the batches in which they are settled. */
export const TRANSACTION_OPERATIONS = {
  listTransactions: {
    summary: 'Transactions, a page of them; those that fit `search`, if it is given',
    method: 'GET',
    path: '/v1/transactions',
    query: Object.keys(page),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(page),
    response: transactions,
  },
  getTransaction: {
    summary: 'A transaction',
    method: 'GET',
    path: '/v1/transactions/{transaction_id}',
    failures: missing('transaction'),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(oneTransaction),
    response: transaction,
  },
  updateTransaction: {
    summary: 'Enter the final outcome of a passthrough transaction, as the processor told it',
    method: 'PUT',
    path: '/v1/transactions/{transaction_id}',
    failures: {
      ...missing('transaction'),
      401: {
        message:
          'only transactions of passthrough flows can be edited, and the processor manages this one directly; ' +
          'if reads are answered 401 as well, it is the API key',
        kind: 'Rejected',
      },
    },
    effect: 'idempotent',
    irreversible: true,
    provenance: 'assumed',
    request: z.looseObject({ ...oneTransaction, status: text.optional() }),
    response: transaction,
  },
  openBatch: {
    summary: 'Open a settlement batch',
    method: 'POST',
    path: '/v1/batches',
    effect: 'once',
    provenance: 'assumed',
    request: newBatch,
    response: batch,
  },
  closeBatch: {
    summary: 'Close a batch, which settles what was captured in it',
    method: 'POST',
    path: '/v1/batches/{batch_id}/close',
    failures: missing('batch'),
    effect: 'idempotent',
    irreversible: true,
    provenance: 'assumed',
    request: z.strictObject(oneBatch),
    response: batch,
  },
  updateBatch: {
    summary: 'Change members of an open batch',
    method: 'PUT',
    path: '/v1/batches/{batch_id}',
    failures: missing('batch'),
    effect: 'idempotent',
    provenance: 'assumed',
    request: newBatch.partial().extend(oneBatch),
    response: batch,
  },
} as const satisfies PaymentsCatalogue;

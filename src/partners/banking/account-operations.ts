import { z } from 'zod';
import { type Download, type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { externalActivity, financialAccounts, transactions } from './answers.js';
import { externalActivityRequest, fullStatementRequest, nothing } from './requests.js';
import { dateTime, int32, text } from './rules.js';

/** A file, see `statementFormat` in `statement.ts` for what it is. */
const file = z.custom<Download>();

/** Financial accounts, statements, transactions and external accounts. `svc` is the brand segment of the paths. */
export function accountOperations(svc: string) {
  return {
    generateFullStatement: {
      reference: 'E10',
      summary: 'A statement over several accounts, as a file',
      method: 'POST',
      path: '/api/Statement/V2/full',
      answer: 'stream',
      effect: 'read',
      provenance: 'documented',
      request: fullStatementRequest,
      response: file,
    },
    getExternalAccountActivity: {
      reference: 'E11',
      summary: 'Activity of the external accounts linked to a profile; empty when none is',
      method: 'GET',
      path: `/${svc}/externalAccountActivity/{profileId}`,
      query: ['financialAccountId', 'provider', 'dateFrom', 'dateTo'],
      statusAnswers: { 404: {} },
      effect: 'read',
      provenance: 'documented',
      deprecated: 'no replacement is named',
      request: externalActivityRequest,
      response: externalActivity,
    },
    generateStatement: {
      summary: 'A statement of one account, as a file',
      method: 'POST',
      path: '/api/Statement/V2',
      answer: 'stream',
      effect: 'read',
      provenance: 'assumed',
      request: fullStatementRequest.omit({ financialAccountIds: true }).extend({ financialAccountId: text }),
      response: file,
    },
    listTransactions: {
      summary: 'Transactions of a financial account',
      method: 'POST',
      path: '/api/Transaction/V2/list',
      effect: 'read',
      provenance: 'assumed',
      request: z.strictObject({
        financialAccountId: text,
        dateFrom: dateTime.optional(),
        dateTo: dateTime.optional(),
        skip: int32.optional(),
        take: int32.optional(),
      }),
      response: transactions,
      maxBytes: RESPONSE_BYTES.everything,
    },
    listFinancialAccounts: {
      summary: 'The financial accounts of the caller',
      method: 'GET',
      path: '/api/FinancialAccount/V2',
      effect: 'read',
      provenance: 'assumed',
      request: nothing,
      response: financialAccounts,
    },
  } as const satisfies Operations;
}

import type { Refusal } from './known-partner.js';

export const PAYMENTS_REFUSALS: readonly Refusal[] = [
  [400, 'list-terminals', 'GET /v2/terminals?limit=201'],
  [400, 'start-payment', 'POST /v3/payment', '{"terminal_id":"x","amount":1,"event_id":"e"}'],
  [400, 'create-terminal', 'POST /v2/terminals', '{"account_id":"account-1002","name":"Till"}'],
  [400, 'update-terminal', 'PUT /v2/terminals/terminal-1001', '{"account_id":"x"}'],
  [400, 'open-batch', 'POST /v1/batches', '{"account_id":"x"}'],
  [400, 'update-account', 'PUT /v1/accounts/account-1001', '{"name":""}'],
  [401, 'get-account', 'GET /v1/accounts/account-1001', undefined, 'guess'],
  [403, 'delete-terminal', 'DELETE /v2/terminals/terminal-1001', undefined, 'read-only'],
  [404, 'get-transaction', 'GET /v1/transactions/none'],
  [404, 'get-terminal', 'GET /v2/terminals/terminal-1001', undefined, 'other-partner'],
  [404, 'refund-transaction', 'POST /v3/refund', '{"transaction_id":"none","event_id":"e"}'],
];

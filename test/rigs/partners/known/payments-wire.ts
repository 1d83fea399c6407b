const ADDRESS = '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}';

/** As the contract prints it, or as docs/partner-apis.md assumes it. */
export const PAYMENTS_WIRE = {
  listAccounts: 'GET /v1/accounts?search=Corner+%26+Co&status=active&limit=10&offset=0',
  getAccount: 'GET /v1/accounts/account-1001',
  createAccountV1: `POST /v1/accounts {"type":"merchant","name":"Bakery","description":"Bread",${ADDRESS}}`,
  createAccount:
    `POST /v2/accounts {"type":"merchant","name":"Bakery","description":"Bread",${ADDRESS},` +
    `"admin_email":"ada@example.com","mcc":"5462","parent_id":"account-1001","tax_id":"000000000",` +
    `"further":{"field":1}}`,
  updateAccount: 'PUT /v1/accounts/account-1001 {"name":"Café"}',
  listApiKeys: 'GET /v5/apikeys?limit=200&offset=0',
  getApiKey: 'GET /v5/apikeys/apikey-1001',
  createApiKey: 'POST /v5/apikeys {"name":"till","permissions":["payments:write","accounts:read"]}',
  updateApiKey: 'PUT /v5/apikeys/apikey-1001 {"permissions":["refund:write"]}',
  deleteApiKey: 'DELETE /v5/apikeys/apikey-1001',
  listTerminals: 'GET /v2/terminals?search=till&account_id=account-1001&status=active&limit=1&offset=1',
  createTerminal:
    'POST /v2/terminals {"account_id":"account-1001","name":"Till","location_id":"location-1001",' +
    '"serial":9}',
  getTerminal: 'GET /v2/terminals/terminal-1001',
  updateTerminal: 'PUT /v2/terminals/terminal-1001 {"name":"Counter"}',
  deleteTerminal: 'DELETE /v2/terminals/terminal-1005',
  createLocation: `POST /v1/locations {"account_id":"account-1001","name":"Shop",${ADDRESS}}`,
  updateLocation: 'PUT /v1/locations/location-1001 {"name":"Stall"}',
  getLocation: 'GET /v1/locations/location-1001',
  listTransactions: 'GET /v1/transactions?search=captured&account_id=account-1001&status=captured',
  getTransaction: 'GET /v1/transactions/transaction-1001',
  updateTransaction: 'PUT /v1/transactions/transaction-1001 {"status":"captured","auth_code":"00"}',
  openBatch: 'POST /v1/batches {"account_id":"account-1001","name":"Monday"}',
  closeBatch: 'POST /v1/batches/batch-1001/close',
  updateBatch: 'PUT /v1/batches/batch-1001 {"name":"Tuesday"}',
  startPayment:
    'POST /v3/payment {"terminal_id":"terminal-1001","amount":1250,"event_id":"startPayment","note":"n"}',
  startPreauth: 'POST /v3/preauth {"terminal_id":"terminal-1001","amount":1250,"event_id":"startPreauth"}',
  capturePayment:
    'POST /v3/payments/transaction-1001/capture {"event_id":"e-2","amount":1000,"tip_amount":150,' +
    '"breakdown":{"tax":80,"items":[1]}}',
  incrementAuthorization: 'POST /v3/payments/transaction-1001/auth {"event_id":"e-2","amount":500}',
  refundPayment: 'POST /v3/payments/transaction-1001/refund {"event_id":"e-2","amount":null}',
  reversePayment: 'POST /v3/payments/transaction-1001/reverse {"event_id":"e-2"}',
  adjustPayment: 'POST /v3/payments/transaction-1001/adjust {"event_id":"e-2","amount":1100}',
  confirmPayment: 'POST /v3/payments/transaction-1001/confirm {"event_id":"e-2","confirm":false}',
  capturePaymentV1: 'POST /v1/payments/transaction-1001/capture {"event_id":"e-2"}',
  incrementAuthorizationV1: 'POST /v1/payments/transaction-1001/auth {"event_id":"e-2","amount":500}',
  refundPaymentV1: 'POST /v1/payments/transaction-1001/refund {"event_id":"e-2","amount":1}',
  reversePaymentV1: 'POST /v1/payments/transaction-1001/reverse {"event_id":"e-2"}',
  adjustPaymentV1: 'POST /v1/payments/transaction-1001/adjust {"event_id":"e-2","amount":1100}',
  confirmPaymentV1: 'POST /v1/payments/transaction-1001/confirm {"event_id":"e-2","confirm":true}',
  refundTransaction: 'POST /v3/refund {"transaction_id":"transaction-1001","event_id":"e-2","amount":300}',
} as const;

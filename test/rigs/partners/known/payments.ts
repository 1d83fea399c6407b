import type { ByHand } from '../../../../src/partners/by-hand.js';
import type { PaymentsClient } from '../../../../src/partners/payments/client.js';
import type { PaymentsOperations } from '../../../../src/partners/payments/operations.js';
import type { Case, KnownPartner } from './known-partner.js';
import { PAYMENTS_REFUSALS } from './payments-refusals.js';
import { PAYMENTS_WIRE } from './payments-wire.js';

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address } as const;
const account_id = 'account-1001';

/** Starts a payment. */
async function started(
  client: ByHand<PaymentsClient>,
  { key }: Case,
  kind: 'startPayment' | 'startPreauth' = 'startPayment',
) {
  const { id: transaction_id } = await client[kind]({
    terminal_id: 'terminal-1001',
    amount: 1250,
    event_id: key,
    note: 'n',
  });
  return { transaction_id, event_id: 'e-2' };
}

const idOf = async (record: Promise<{ id: string }>): Promise<string> => (await record).id;
const newKey = (client: ByHand<PaymentsClient>) =>
  idOf(client.createApiKey({ name: 'till', permissions: ['payments:write', 'accounts:read'] }));
const newLocation = (client: ByHand<PaymentsClient>) =>
  idOf(client.createLocation({ account_id, name: 'Shop', address }));
const newBatch = (client: ByHand<PaymentsClient>) => idOf(client.openBatch({ account_id, name: 'Monday' }));

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
const PAYMENTS_CALLS: Record<
  keyof PaymentsOperations,
  (client: ByHand<PaymentsClient>, test: Case) => Promise<unknown>
> = {
  listAccounts: (client) =>
    client.listAccounts({ search: 'Corner & Co', status: 'active', limit: 10, offset: 0 }),
  getAccount: (client) => client.getAccount({ account_id }),
  createAccountV1: (client) => client.createAccountV1(account),
  createAccount: (client) =>
    client.createAccount({
      ...account,
      admin_email: 'ada@example.com',
      mcc: '5462',
      parent_id: account_id,
      tax_id: '000000000',
      further: { field: 1 },
    }),
  updateAccount: (client) => client.updateAccount({ account_id, name: 'Café' }),
  listApiKeys: async (client) => {
    await newKey(client);
    await client.listApiKeys({ limit: 200, offset: 0 });
  },
  getApiKey: async (client) => client.getApiKey({ apikey_id: await newKey(client) }),
  createApiKey: newKey,
  updateApiKey: async (client) =>
    client.updateApiKey({ apikey_id: await newKey(client), permissions: ['refund:write'] }),
  deleteApiKey: async (client) => client.deleteApiKey({ apikey_id: await newKey(client) }),
  listTerminals: (client) =>
    client.listTerminals({ search: 'till', account_id, status: 'active', limit: 1, offset: 1 }),
  createTerminal: async (client) => {
    const location_id = await newLocation(client);
    await client.createTerminal({ account_id, name: 'Till', location_id, serial: 9 });
  },
  getTerminal: (client) => client.getTerminal({ terminal_id: 'terminal-1001' }),
  updateTerminal: (client) => client.updateTerminal({ terminal_id: 'terminal-1001', name: 'Counter' }),
  deleteTerminal: async (client) =>
    client.deleteTerminal({ terminal_id: await idOf(client.createTerminal({ account_id, name: 'Till' })) }),
  createLocation: newLocation,
  updateLocation: async (client) =>
    client.updateLocation({ location_id: await newLocation(client), name: 'Stall' }),
  getLocation: async (client) => client.getLocation({ location_id: await newLocation(client) }),
  listTransactions: async (client, test) => {
    await started(client, test);
    await client.listTransactions({ search: 'captured', account_id, status: 'captured' });
  },
  getTransaction: async (client, test) => {
    const { transaction_id } = await started(client, test);
    await client.getTransaction({ transaction_id });
  },
  updateTransaction: async (client, test) => {
    const { transaction_id } = await started(client, test);
    await client.updateTransaction({ transaction_id, status: 'captured', auth_code: '00' });
  },
  openBatch: newBatch,
  closeBatch: async (client) => client.closeBatch({ batch_id: await newBatch(client) }),
  updateBatch: async (client) => client.updateBatch({ batch_id: await newBatch(client), name: 'Tuesday' }),
  startPayment: (client, test) =>
    client.startPayment({ terminal_id: 'terminal-1001', amount: 1250, event_id: test.key, note: 'n' }),
  startPreauth: (client, test) =>
    client.startPreauth({ terminal_id: 'terminal-1001', amount: 1250, event_id: test.key }),
  capturePayment: async (client, test) =>
    client.capturePayment({
      ...(await started(client, test, 'startPreauth')),
      amount: 1000,
      tip_amount: 150,
      breakdown: { tax: 80, items: [1] },
    }),
  incrementAuthorization: async (client, test) =>
    client.incrementAuthorization({ ...(await started(client, test, 'startPreauth')), amount: 500 }),
  refundPayment: async (client, test) =>
    client.refundPayment({ ...(await started(client, test)), amount: null }),
  reversePayment: async (client, test) => client.reversePayment(await started(client, test, 'startPreauth')),
  adjustPayment: async (client, test) =>
    client.adjustPayment({ ...(await started(client, test, 'startPreauth')), amount: 1100 }),
  confirmPayment: async (client, test) =>
    client.confirmPayment({ ...(await started(client, test)), confirm: false }),
  capturePaymentV1: async (client, test) =>
    client.capturePaymentV1(await started(client, test, 'startPreauth')),
  incrementAuthorizationV1: async (client, test) =>
    client.incrementAuthorizationV1({ ...(await started(client, test, 'startPreauth')), amount: 500 }),
  refundPaymentV1: async (client, test) =>
    client.refundPaymentV1({ ...(await started(client, test)), amount: 1 }),
  reversePaymentV1: async (client, test) =>
    client.reversePaymentV1(await started(client, test, 'startPreauth')),
  adjustPaymentV1: async (client, test) =>
    client.adjustPaymentV1({ ...(await started(client, test, 'startPreauth')), amount: 1100 }),
  confirmPaymentV1: async (client, test) =>
    client.confirmPaymentV1({ ...(await started(client, test)), confirm: true }),
  refundTransaction: async (client, test) =>
    client.refundTransaction({ ...(await started(client, test)), amount: 300 }),
};

export const PAYMENTS: KnownPartner<'payments'> = {
  calls: PAYMENTS_CALLS,
  wire: PAYMENTS_WIRE,
  refusals: PAYMENTS_REFUSALS,
  headers: { 'x-svc-api-key': 'sandbox', accept: 'application/json' },
  credentialsOf: (caller) => ({ 'x-svc-api-key': caller }),
};

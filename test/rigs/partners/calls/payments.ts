import type { PaymentsClient } from '../../../../src/partners/payments/client.js';
import type { PaymentsOperations } from '../../../../src/partners/payments/operations.js';

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address } as const;
const account_id = 'account-1001';

/** Starts a payment at a new terminal that plays a scenario, and takes its first step. */
async function started(client: PaymentsClient, kind: 'startPayment' | 'startPreauth', scenario = 'straight') {
  const { id: terminal_id } = await client.createTerminal({ account_id, name: `Till [${scenario}]` });
  const { id: transaction_id } = await client[kind]({
    terminal_id,
    amount: 1250,
    event_id: 'e-1',
    note: 'n',
  });
  await client.getTransaction({ transaction_id });
  return { transaction_id, event_id: 'e-2' };
}

const idOf = async (made: Promise<{ id: string }>): Promise<string> => (await made).id;
const newKey = (client: PaymentsClient) =>
  idOf(client.createApiKey({ name: 'till', permissions: ['payments:write', 'accounts:read'] }));
const newLocation = (client: PaymentsClient) =>
  idOf(client.createLocation({ account_id, name: 'Shop', address }));
const newBatch = (client: PaymentsClient) => idOf(client.openBatch({ account_id, name: 'Monday' }));

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
export const PAYMENTS_CALLS: Record<keyof PaymentsOperations, (client: PaymentsClient) => Promise<unknown>> =
  {
    listAccounts: (client) =>
      client.listAccounts({ search: 'Corner', status: 'active', limit: 10, offset: 0 }),
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
    listTerminals: (client) => client.listTerminals({ account_id, limit: 1, offset: 1 }),
    createTerminal: async (client) => {
      const location_id = await newLocation(client);
      await client.createTerminal({ account_id, name: 'Till', location_id, serial: 9 });
    },
    getTerminal: (client) => client.getTerminal({ terminal_id: 'terminal-1001' }),
    updateTerminal: (client) => client.updateTerminal({ terminal_id: 'terminal-1001', name: 'Counter' }),
    deleteTerminal: (client) => client.deleteTerminal({ terminal_id: 'terminal-1001' }),
    createLocation: newLocation,
    updateLocation: async (client) =>
      client.updateLocation({ location_id: await newLocation(client), name: 'Stall' }),
    getLocation: async (client) => client.getLocation({ location_id: await newLocation(client) }),
    listTransactions: async (client) => {
      await started(client, 'startPayment');
      await client.listTransactions({ account_id, status: 'captured' });
    },
    getTransaction: (client) => started(client, 'startPayment'),
    updateTransaction: async (client) => {
      const { transaction_id } = await started(client, 'startPayment', 'passthrough');
      await client.updateTransaction({ transaction_id, status: 'captured', auth_code: '00' });
    },
    openBatch: newBatch,
    closeBatch: async (client) => client.closeBatch({ batch_id: await newBatch(client) }),
    updateBatch: async (client) => client.updateBatch({ batch_id: await newBatch(client), name: 'Tuesday' }),
    startPayment: (client) =>
      client.startPayment({ terminal_id: 'terminal-1001', amount: 1250, event_id: 'e-1' }),
    startPreauth: (client) =>
      client.startPreauth({ terminal_id: 'terminal-1001', amount: 1250, event_id: 'e-1' }),
    capturePayment: async (client) =>
      client.capturePayment({
        ...(await started(client, 'startPreauth')),
        amount: 1000,
        tip_amount: 150,
        breakdown: { tax: 80, items: [1] },
      }),
    incrementAuthorization: async (client) =>
      client.incrementAuthorization({ ...(await started(client, 'startPreauth')), amount: 500 }),
    refundPayment: async (client) =>
      client.refundPayment({ ...(await started(client, 'startPayment')), amount: null }),
    reversePayment: async (client) => client.reversePayment(await started(client, 'startPreauth')),
    adjustPayment: async (client) =>
      client.adjustPayment({ ...(await started(client, 'startPreauth')), amount: 1100 }),
    confirmPayment: async (client) =>
      client.confirmPayment({ ...(await started(client, 'startPayment', 'surcharge')), confirm: false }),
    capturePaymentV1: async (client) => client.capturePaymentV1(await started(client, 'startPreauth')),
    incrementAuthorizationV1: async (client) =>
      client.incrementAuthorizationV1({ ...(await started(client, 'startPreauth')), amount: 500 }),
    refundPaymentV1: async (client) =>
      client.refundPaymentV1({ ...(await started(client, 'startPayment')), amount: 1 }),
    reversePaymentV1: async (client) => client.reversePaymentV1(await started(client, 'startPreauth')),
    adjustPaymentV1: async (client) =>
      client.adjustPaymentV1({ ...(await started(client, 'startPreauth')), amount: 1100 }),
    confirmPaymentV1: async (client) =>
      client.confirmPaymentV1({ ...(await started(client, 'startPayment', 'surcharge')), confirm: true }),
    refundTransaction: async (client) =>
      client.refundTransaction({ ...(await started(client, 'startPayment')), amount: 300 }),
  };

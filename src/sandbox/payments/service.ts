import { operationName } from '../../partners/catalogue.js';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import type { Ledger, Signs } from '../ledger.js';
import type { Pace } from '../pace.js';
import type { Handlers } from '../routes.js';
import { Accounts } from './accounts.js';
import { ApiKeys, type KeyHolder, PAYMENTS_KEYS } from './api-keys.js';
import { Batches } from './batches.js';
import { Payments } from './payments.js';
import { Places } from './places.js';

/** Notes in the ledger that a write took effect. */
export type Recorder = (operation: keyof PaymentsOperations & string, id: string, signs?: Signs) => void;

/** The payments platform behind its API. */
export class PaymentsService {
  readonly apiKeys: ApiKeys;
  readonly payments: Payments;
  readonly handlers: Handlers<PaymentsOperations, KeyHolder>;

  constructor(ledger: Ledger, pace: () => Pace, password?: string) {
    const record: Recorder = (operation, id, signs) =>
      ledger.record({ system: 'payments', operation: operationName(operation), id, ...signs });
    this.apiKeys = new ApiKeys(record, password);
    const accounts = new Accounts(this.apiKeys, record);
    const places = new Places(accounts, record);
    this.payments = new Payments(places, pace, record);
    this.handlers = {
      ...accounts.handlers,
      ...this.apiKeys.handlers,
      ...places.handlers,
      ...this.payments.handlers,
      ...new Batches(accounts, this.payments, record).handlers,
    };
    addMerchants(accounts, places);
  }
}

/** What is there from the start: for each partner a merchant with one terminal of either flow. */
function addMerchants(accounts: Accounts, places: Places): void {
  const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
  for (const partnerId of new Set(PAYMENTS_KEYS.map((key) => key.partnerId))) {
    const description = 'Bakes bread';
    const bakery = { type: 'merchant', name: 'Corner Bakery', description, address } as const;
    const { id: account_id } = accounts.add({ partnerId }, bakery);
    for (const name of ['Counter', 'Old till [passthrough]'])
      places.addTerminal({ partnerId }, { name, account_id });
  }
}

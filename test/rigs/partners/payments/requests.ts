import { PAYMENTS_OPERATIONS } from '../../../../src/partners/payments/operations.js';

type Key = keyof typeof PAYMENTS_OPERATIONS;

/** Fields that make any request of the platform valid. Each operation takes those of its schema. */
const FIELDS = {
  account_id: 'a-1',
  apikey_id: 'k-1',
  terminal_id: 'x',
  location_id: 'l-1',
  transaction_id: 't-1',
  batch_id: 'b-1',
  event_id: 'e-1',
  type: 'merchant',
  name: 'Bakery',
  description: 'Bread',
  permissions: ['a'],
  address: { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' },
  amount: 100,
  confirm: true,
};

/** A valid request of an operation. */
export const requestOf = (key: Key) => {
  const entries = Object.keys(PAYMENTS_OPERATIONS[key].request.shape);
  return Object.fromEntries(Object.entries(FIELDS).filter(([name]) => entries.includes(name))) as never;
};

export const WRITES = (Object.keys(PAYMENTS_OPERATIONS) as Key[]).filter((key) => !/^(get|list)/.test(key));

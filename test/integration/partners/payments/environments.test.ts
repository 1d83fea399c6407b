import { describe, expect, it } from 'vitest';
import { PAYMENTS_OPERATIONS } from '../../../../src/partners/payments/operations.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { answering } from '../../../rigs/partners/servers.js';

const READS = [
  'listAccounts',
  'getAccount',
  'listApiKeys',
  'getApiKey',
  'listTerminals',
  'getTerminal',
  'getLocation',
  'listTransactions',
  'getTransaction',
];

/** Members that make any request of the platform valid, each operation taking those it knows. */
const MEMBERS = {
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

const requestOf = (key: keyof typeof PAYMENTS_OPERATIONS) => {
  const known = Object.keys(PAYMENTS_OPERATIONS[key].request.shape);
  return Object.fromEntries(Object.entries(MEMBERS).filter(([name]) => known.includes(name))) as never;
};

const KEYS = Object.keys(PAYMENTS_OPERATIONS) as (keyof typeof PAYMENTS_OPERATIONS)[];
const WRITES = KEYS.filter((key) => !READS.includes(key));

describe('production', () => {
  it.each(WRITES)('refuses %s before it is sent, unless writes are asked for', async (key) => {
    const { client, connections } = await paymentsPlatform(answering(200, ANYTHING), {
      environment: 'production',
    });
    const error = await failureOf(client[key](requestOf(key)));
    expect(error).toMatchObject({ kind: 'Rejected', status: undefined });
    expect(error.message).toMatch(
      /: Rejected, not sent: a write to production must be asked for explicitly$/,
    );
    expect(error.fields).toEqual([
      { field: '', message: 'a write to production must be asked for explicitly' },
    ]);
    expect(connections()).toBe(0);
  });

  it.each(READS)('lets %s pass', async (key) => {
    const { client, requests } = await paymentsPlatform(answering(200, ANYTHING), {
      environment: 'production',
    });
    await client[key as 'getAccount'](requestOf(key as 'getAccount'));
    expect(requests).toHaveLength(1);
  });
});

it.each([
  ['UAT takes', { environment: 'uat' }, {}],
  ['production takes, once they are asked for,', { environment: 'production' }, { toProduction: true }],
] as const)('%s every write', async (_, settings, options) => {
  const { client, requests } = await paymentsPlatform(answering(200, ANYTHING), settings);
  for (const key of WRITES) await client[key](requestOf(key), options);
  expect(requests).toHaveLength(30);
});

import { expect, it } from 'vitest';
import { PAYMENTS_OPERATIONS } from '../../../../src/partners/payments/operations.js';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { requestOf } from '../../../rigs/partners/payments/requests.js';
import { responding } from '../../../rigs/partners/servers.js';

const KEYS = Object.keys(PAYMENTS_OPERATIONS) as (keyof typeof PAYMENTS_OPERATIONS)[];

it.each([
  ['UAT takes every call', 'uat', {}, 39],
  ['production takes every call, once writes are asked for', 'production', { toProduction: true }, 39],
  ['production takes every read', 'production', {}, 9],
] as const)('%s', async (_, environment, options, count) => {
  const { client, requests } = await paymentsPlatform(responding(200, ANYTHING), { environment });
  const keys = count === 39 ? KEYS : KEYS.filter((key) => /^(get|list)/.test(key));
  for (const key of keys) await client[key](requestOf(key), options);
  expect(requests).toHaveLength(count);
});

it('an id is percent-encoded, and the key is sent in the header that the settings name', async () => {
  const settings = { apiKeyHeader: 'X-Brand-Api-Key' };
  const { client, requests } = await paymentsPlatform(responding(200, ANYTHING), settings);
  await client.getAccount({ account_id: 'a/1' });
  expect(requests.map(({ line }) => line)).toEqual(['GET /v1/accounts/a%2F1']);
  expect(requests[0]?.headers).toMatchObject({ 'x-brand-api-key': 'k3y' });
  expect(requests[0]?.headers).not.toHaveProperty('x-svc-api-key');
});

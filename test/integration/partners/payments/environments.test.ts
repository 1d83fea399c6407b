import { describe, expect, it } from 'vitest';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { READS, requestOf, WRITES } from '../../../rigs/partners/payments/requests.js';
import { responding } from '../../../rigs/partners/servers.js';

describe('production', () => {
  it.each(READS)('lets %s pass', async (key) => {
    const { client, requests } = await paymentsPlatform(responding(200, ANYTHING), {
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
  const { client, requests } = await paymentsPlatform(responding(200, ANYTHING), settings);
  for (const key of WRITES) await client[key](requestOf(key), options);
  expect(requests).toHaveLength(30);
});

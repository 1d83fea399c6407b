import { describe, it } from 'vitest';
import { BOARDING_CALLS } from '../../../rigs/partners/calls/boarding.js';
import { expectContract, runPartner } from '../../../rigs/partners/openapi/running-partners.js';

describe('client and sandbox keep to the OpenAPI document of merchant boarding', () => {
  it.each(Object.entries(BOARDING_CALLS))('%s', async (key, call) => {
    const partner = await runPartner('boarding');
    await call(partner.clients.boarding);
    await expectContract(partner, key);
  });
});

import { describe, it } from 'vitest';
import { PAYMENTS_CALLS } from '../../../rigs/partners/calls/payments.js';
import { expectContract, runPartner } from '../../../rigs/partners/openapi/running-partners.js';

describe('client and sandbox keep to the OpenAPI document of the payments platform', () => {
  it.each(Object.entries(PAYMENTS_CALLS))('%s', async (key, call) => {
    const partner = await runPartner('payments');
    await call(partner.clients.payments);
    await expectContract(partner, key);
  });
});

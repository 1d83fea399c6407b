import { describe, it } from 'vitest';
import { BANKING_CALLS } from '../../../rigs/partners/calls/banking.js';
import { expectContract, runPartner } from '../../../rigs/partners/openapi/running-partners.js';

describe('client and sandbox keep to the OpenAPI document of banking', () => {
  it.each(Object.entries(BANKING_CALLS))('%s', async (key, call) => {
    const partner = await runPartner('banking');
    await call(partner.clients.banking, partner.sandbox);
    await expectContract(partner, key);
  });
});

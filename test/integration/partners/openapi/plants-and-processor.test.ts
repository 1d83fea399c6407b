import { describe, it } from 'vitest';
import { PLANT_STORE_CALLS, PROCESSOR_CALLS } from '../../../rigs/partners/calls/plants-and-processor.js';
import { expectContract, runPartner } from '../../../rigs/partners/openapi/running-partners.js';

describe('client and sandbox keep to the OpenAPI document of', () => {
  it.each(Object.entries(PLANT_STORE_CALLS))('the plant store: %s', async (key, call) => {
    const partner = await runPartner('plant-store');
    await call(partner.clients['plant-store']);
    await expectContract(partner, key);
  });

  it.each(Object.entries(PROCESSOR_CALLS))('the processor: %s', async (key, call) => {
    const partner = await runPartner('processor');
    await call(partner.clients.processor);
    await expectContract(partner, key);
  });
});

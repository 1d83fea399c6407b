import { describe, expect, it } from 'vitest';
import { catalogue, SYSTEM_NAMES } from '../../../../src/partners/systems.js';
import { CALLS } from '../../../rigs/partners/calls/calls.js';
import { expectContract, runPartner } from '../../../rigs/partners/openapi/running-partners.js';

describe.each(SYSTEM_NAMES)('client and sandbox keep to the OpenAPI document of %s', (system) => {
  const operations = catalogue()[system];

  it('in calls of all operations', () => {
    expect(Object.keys(CALLS[system]).sort()).toEqual(Object.keys(operations).sort());
  });

  it.each(Object.keys(operations))('%s', async (key) => {
    const partner = await runPartner(system);
    await CALLS[system][key]?.(partner.clients[system] as never, partner.sandbox);
    await expectContract(partner, key);
  });
});

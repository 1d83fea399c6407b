import { describe, expect, it } from 'vitest';
import { bankingOff } from '../../../../src/partners/banking/client.js';
import { failureOf } from '../../../rigs/partners/failure.js';

describe('banking that is not set up', () => {
  it('refuses every operation with its reason, before anything is sent', async () => {
    const client = bankingOff('BANKING_URL is not set');
    client.useCode('654321');
    client.forget();
    const error = await failureOf(client.findProfileByMerchant({ merchantProfileId: 1 }));
    expect(error.details).toEqual({
      system: 'banking',
      operation: 'find-profile-by-merchant',
      kind: 'NotSent',
      fields: [],
      reason: 'BANKING_URL is not set',
    });
    await expect(client.close()).resolves.toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import { operationName } from '../../../src/partners/catalogue.js';
import { catalogue, SYSTEM_NAMES, settingsPrefix } from '../../../src/partners/systems.js';
import { failureOf } from '../../rigs/partners/failure.js';

describe.each(SYSTEM_NAMES)('%s that is not set up', (system) => {
  const client: object = partnerClients(readAccounts({}))[system];
  const call = (method: string) =>
    (Reflect.get(client, method) as (...given: unknown[]) => Promise<unknown>)({});

  it.each(Object.keys(catalogue()[system]))(
    'refuses %s with its reason, before anything is sent',
    async (key) => {
      expect((await failureOf(call(key))).details).toEqual({
        system,
        operation: operationName(key),
        kind: 'NotSent',
        fields: [],
        reason: `${settingsPrefix(system)}URL is not set`,
      });
    },
  );

  it('can be signed in and closed like any other', async () => {
    await call('useCode');
    await call('forget');
    await expect(call('close')).resolves.toBeUndefined();
  });
});

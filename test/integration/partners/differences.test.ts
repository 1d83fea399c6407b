import { describe, expect, it } from 'vitest';
import { closeAll, partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import type { Received } from '../../../src/partners/client.js';
import { differencesIn } from '../../../src/partners/differences.js';
import { SYSTEM_NAMES } from '../../../src/partners/systems.js';
import { sandboxAccount } from '../../../src/sandbox/systems.js';
import { CALLS } from '../../rigs/partners/calls/calls.js';
import { POS_NAMES } from '../../rigs/partners/openapi/documents.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { testEnds } from '../../rigs/shared.js';

describe('the sandbox responds as the catalogue describes it', () => {
  const calls = SYSTEM_NAMES.flatMap((system) =>
    Object.keys(CALLS[system]).map((key) => [system, key] as const),
  );

  it.each(calls)('%s %s', async (system, key) => {
    const sandbox = await runSandbox({ posNames: POS_NAMES });
    const settings = { ...sandboxAccount(sandbox.url), BOARDING_POS_NAMES: POS_NAMES.join(',') };
    const received: Received[] = [];
    const inspect = (each: Received) => void received.push(each);
    const clients = partnerClients(readAccounts(settings), undefined, {}, inspect);
    testEnds(() => closeAll(clients));
    await CALLS[system][key]?.(clients[system] as never, sandbox);
    expect(received.length).toBeGreaterThan(0);
    const found = received.flatMap((each) =>
      differencesIn(each).map((difference) => ({ operation: each.name, ...difference })),
    );
    // The sandbox has a status that no document names.
    const expected = key.startsWith('reversePayment') ? ['status unknown-status'] : [];
    expect(found.map(({ field, kind }) => `${field} ${kind}`)).toEqual(expected);
  });
});

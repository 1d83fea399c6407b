import { sandboxAccount } from '../../../../src/apps/sandbox/systems.js';
import { closeAll, partnerClients, readAccounts } from '../../../../src/partners/account-settings.js';
import type { Inspector } from '../../../../src/partners/client.js';
import type { PartnerClients, SystemName } from '../../../../src/partners/descriptors.js';
import { type CountingProxy, countingProxy } from '../../counting-proxy.js';
import { type RunningSandbox, runSandbox } from '../../sandbox/running-sandbox.js';
import { testEnds, type Until } from '../../shared.js';
import type { Contract } from './contract.js';
import { contractOf, POS_NAMES } from './documents.js';

export interface RunningPartner {
  readonly sandbox: RunningSandbox;
  readonly clients: PartnerClients;
  readonly proxy: CountingProxy;
  /** The OpenAPI document of the sandbox. */
  readonly contract: Contract;
}

/** A new sandbox until the running test ends, typed clients of it, and a proxy between them that records all exchanges. */
export async function runPartner(
  system: SystemName,
  until: Until = testEnds,
  inspect?: Inspector,
): Promise<RunningPartner> {
  const sandbox = await runSandbox({ posNames: POS_NAMES }, until);
  const proxy = await countingProxy(sandbox.url, until);
  const { url } = proxy;
  const clients = partnerClients(
    readAccounts({
      ...sandboxAccount(url),
      BOARDING_POS_NAMES: POS_NAMES.join(','),
      BANKING_PARTNER_ID: 'partner-1',
    }),
    undefined,
    {},
    inspect,
  );
  until(() => closeAll(clients));
  return { sandbox, clients, proxy, contract: await contractOf(system) };
}

import type { Account } from './account-settings.js';
import type { HttpLimits, PartnerObserver } from './http.js';
import { eachSystem, PARTNERS, type PartnerClients, settingsPrefix } from './systems.js';

/**
 * A client of each system. The client of a system that is off fails every call, and its failure names the missing setting.
 *
 * @param observe is called for every exchange of any client
 * @param bounds of clients whose settings have no limits
 */
export function partnerClients(
  account: Account,
  observe?: PartnerObserver,
  bounds: Partial<HttpLimits> = {},
): PartnerClients {
  return eachSystem((system) => {
    const partner = PARTNERS[system];
    const settings = account.partners[system];
    if (!settings) return partner.off(`${account.settingsPrefix}${settingsPrefix(system)}URL is not set`);
    const limits = { ...bounds, ...settings.limits };
    return partner.client({ ...settings, limits, observe }, account);
  }) as unknown as PartnerClients;
}

export async function closeAll(clients: PartnerClients): Promise<void> {
  await Promise.all(Object.values(clients).map((client) => client.close()));
}

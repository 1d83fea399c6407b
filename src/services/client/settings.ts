import { z } from 'zod';
import { accountNames, readWordings } from '../../partners/account-settings.js';
import { storeSettings, storesFrom } from '../../platform/documents/open-store.js';
import { readSettings } from '../../platform/settings/settings.js';
import { temporalClientSettings } from '../../temporal/connection.js';
import { followFeePlans } from '../../temporal/fee-plans.js';

/** The settings of the client, besides those of each account (partners/account-settings.ts) and Temporal's own. */
export const clientSettings = z.object({
  ...accountNames.shape,
  ...temporalClientSettings.shape,
  ...storeSettings.shape,
});

/** Without `payloadKeys`, payloads are not encrypted. */
export type ClientSettings = ReturnType<typeof loadClientSettings>;

/** The same from settings that are read, without the accounts. */
export function clientSettingsFrom(set: z.output<typeof clientSettings>) {
  return {
    ...storesFrom(set),
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    fourEyes: set.GANGWAY_FOUR_EYES,
    feePlans: followFeePlans(set.GANGWAY_FEE_PLANS),
    payloadKeys: set.PAYLOAD_KEYS,
  };
}

/** @throws {BadSetting} that names the first invalid setting */
export function loadClientSettings(environment: NodeJS.ProcessEnv) {
  const settings = clientSettingsFrom(readSettings(clientSettings, environment));
  return { ...readWordings(environment), ...settings };
}

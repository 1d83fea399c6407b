import { z } from 'zod';
import { type StorePlaces, storeSettings, storesFrom, storeUrls } from '../../documents/open-store.js';
import { type Accounts, accountNames, partnerUrls, readAccounts } from '../../partners/account-settings.js';
import { isLoopback, readSettings, requireCertificates, url } from '../../settings/settings.js';
import { temporalClientSettings } from '../../temporal/connection.js';
import type { PayloadKeys } from '../../temporal/payload-codec.js';

/** The settings of `gangway`, beside those of each account (partners/account-settings.ts) and Temporal's own. */
export const commandSettings = z.object({
  ...accountNames.shape,
  ...temporalClientSettings.shape,
  GANGWAY_UI_URL: url.optional().meta({
    description: 'Address of the Temporal Web UI, for the links that the command prints.',
    unset: 'for a Temporal server on this machine its port plus 1000, otherwise no links',
  }),
  ...storeSettings.shape,
});

export type CommandSettings = Accounts &
  StorePlaces & {
    readonly taskQueue: string;
    /** undefined when PAYLOAD_KEYS is not set: payloads are not encrypted. */
    readonly payloadKeys: PayloadKeys | undefined;
    /** Where the Temporal Web UI is, for links. */
    readonly uiUrl: string | undefined;
  };

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadCommandSettings(environment: NodeJS.ProcessEnv): CommandSettings {
  const set = readSettings(commandSettings, environment);
  const accounts = readAccounts(environment);
  const stores = storesFrom(set);
  requireCertificates(
    environment,
    [...partnerUrls(accounts), ...storeUrls(stores)].every((reached) => isLoopback(new URL(reached))),
  );
  return {
    ...accounts,
    ...stores,
    taskQueue: set.GANGWAY_TASK_QUEUE,
    payloadKeys: set.PAYLOAD_KEYS,
    uiUrl: set.GANGWAY_UI_URL,
  };
}

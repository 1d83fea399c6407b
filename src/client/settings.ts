import { z } from 'zod';
import { type StorePlaces, storeSettings, storesFrom } from '../documents/open-store.js';
import type { KnownAccounts } from '../messages/inputs.js';
import type { DbaForm } from '../messages/listed.js';
import { accountNames, readWordings } from '../partners/account-settings.js';
import { readSettings } from '../settings/settings.js';
import { temporalClientSettings } from '../temporal/connection.js';
import type { PayloadKeys } from '../temporal/payload-codec.js';

/** The settings of the client, besides those of each account (partners/account-settings.ts) and Temporal's own. */
export const clientSettings = z.object({
  ...accountNames.shape,
  ...temporalClientSettings.shape,
  ...storeSettings.shape,
});

export type ClientSettings = KnownAccounts &
  StorePlaces & {
    /** The task queue on which workflows start. */
    readonly taskQueue: string;
    /** The form of the dba in lists and logs. */
    readonly dbaForm: DbaForm;
    /** undefined when PAYLOAD_KEYS is not set: payloads are not encrypted. */
    readonly payloadKeys: PayloadKeys | undefined;
  };

/** The same from settings that are read, without the accounts. */
export function clientSettingsFrom(set: z.output<typeof clientSettings>) {
  return {
    ...storesFrom(set),
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    payloadKeys: set.PAYLOAD_KEYS,
  };
}

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadClientSettings(environment: NodeJS.ProcessEnv): ClientSettings {
  const settings = clientSettingsFrom(readSettings(clientSettings, environment));
  return { ...readWordings(environment), ...settings };
}

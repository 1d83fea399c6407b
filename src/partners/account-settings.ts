import { z } from 'zod';
import { shapeOf } from '../platform/schemas/shape.js';
import {
  BadSetting,
  listSetting,
  readSettings,
  secureUrl,
  withPrefix,
} from '../platform/settings/settings.js';
import { NEUTRAL_SEGMENT } from './banking/operations.js';
import { type Inspector, partnerOff } from './client.js';
import {
  eachSystem,
  PARTNERS,
  type PartnerClients,
  type SettingsOf,
  SYSTEM_NAMES,
  type SystemName,
  settingsPrefix,
  urlSetting,
  type Wording,
} from './descriptors.js';
import { observers, type PartnerObserver } from './exchange-observers.js';
import { recordingIn, recordSettings } from './har-recording.js';
import type { HttpLimits } from './http.js';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE } from './text-limits.js';

/** A partner account: the URL, credentials and limits for each system. */
export type Account = Wording & {
  readonly settingsPrefix: string;
  readonly partners: { readonly [System in SystemName]: SettingsOf<System> | undefined };
  /** The maximum number of activities that start in a second across all workers; undefined for no limit. */
  readonly activitiesPerSecond: Readonly<Partial<Record<SystemName, number | undefined>>>;
  /** The folder in which to record its exchanges; undefined for no recording. */
  readonly record?: string | undefined;
  readonly portals: Readonly<Partial<Record<SystemName, string | undefined>>>;
};

export type Accounts = Account & { readonly accounts: Readonly<Record<string, Account>> };

export const accountNames = z.object({
  GANGWAY_ACCOUNTS: listSetting
    .refine((names) => names.every((name) => ACCOUNT_NAME.test(name)), `each ${ACCOUNT_NAME_RULE}`)
    .refine((names) => new Set(names).size === names.length, 'names an account twice')
    .default([])
    .describe('Names of additional [partner accounts](#partner-accounts).'),
});

const perSecond = z
  .string()
  .regex(
    /^(?!0+(\.0*)?$)\d{1,6}(\.\d{1,3})?$/,
    'must be a number above 0 and below 1000000, such as 5 or 0.5',
  )
  .transform(Number)
  .meta({ format: 'number such as `5` or `0.5`' });

const PORTAL_ID = '{id}';

/** The settings of every system, by their names after `<SYSTEM>_`. Only a partner with a portal has the last one. */
const systemSettings = z.object({
  URL: secureUrl
    .optional()
    .meta({ description: 'URL of the partner.', unset: 'the system is off: no worker polls for it' }),
  ACTIVITIES_PER_SECOND: perSecond.optional().meta({
    description: 'Activities that may start per second, across all workers.',
    unset: 'no limit',
  }),
  PORTAL_URL: secureUrl
    .refine((text) => text.includes(PORTAL_ID), `must contain ${PORTAL_ID}`)
    .optional()
    .meta({
      description: `Page of a merchant or profile in the partner’s portal, with \`${PORTAL_ID}\` for its ID. \`gangway status\` shows it.`,
      unset: 'no link',
      format: `URL with \`${PORTAL_ID}\``,
      address: false,
    }),
});

function settingsOf(system: SystemName) {
  return PARTNERS[system].hasPortal ? systemSettings : systemSettings.omit({ PORTAL_URL: true });
}

/** Returns the page of a merchant or profile in its partner's portal; undefined without a setting. */
export function portalLink(
  { portals }: Account,
  system: SystemName,
  id: number | undefined,
): string | undefined {
  return id === undefined ? undefined : portals[system]?.replace(PORTAL_ID, String(id));
}

/** Makes the settings optional that a system that is off does not need. */
function optional({ shape }: z.ZodObject, url: string): z.ZodRawShape {
  const schemas = Object.entries(shape).map(([name, schema]) =>
    shapeOf(schema).unset === undefined && !schema.safeParse(undefined).success
      ? [name, z.optional(schema).meta({ unset: `required with \`${url}\`` })]
      : [name, schema],
  );
  return Object.fromEntries(schemas);
}

/** The settings of one account for a process that only checks inputs. */
export const wordingSettings = z.object({
  BOARDING_POS_NAMES: listSetting
    .transform((names) => names.filter(Boolean))
    .default([])
    .describe('Point-of-sale names that the boarding partner accepts besides `None` and `CustomPos`.'),
  BANKING_PATH_SEGMENT: z
    .string()
    .regex(/^[\w.~-]+$/, 'must be one path segment')
    .default(NEUTRAL_SEGMENT)
    .meta({
      description: 'Path segment for which the bank’s contract writes `svc`.',
      format: 'one path segment',
    }),
});

export function accountSettings(): z.ZodObject {
  const wordings = Object.entries(wordingSettings.shape);
  const shapes = SYSTEM_NAMES.map((system) => ({
    ...withPrefix(settingsPrefix(system), settingsOf(system)),
    ...optional(PARTNERS[system].settings, urlSetting(system)),
    ...Object.fromEntries(wordings.filter(([name]) => name.startsWith(settingsPrefix(system)))),
  }));
  return z.object(Object.assign({}, ...shapes));
}

/** @throws {BadSetting} that names the first invalid setting */
export function readAccounts(environment: NodeJS.ProcessEnv): Accounts {
  return everyAccount(environment, readAccount);
}

/** Reads only the wording of each account. @throws {BadSetting} that names the first invalid setting */
export function readWordings(
  environment: NodeJS.ProcessEnv,
): Wording & { readonly accounts: Readonly<Record<string, Wording>> } {
  return everyAccount(environment, readWording);
}

function everyAccount<T extends object>(
  environment: NodeJS.ProcessEnv,
  read: (environment: NodeJS.ProcessEnv, prefix: string) => T,
): T & { readonly accounts: Readonly<Record<string, T>> } {
  const { GANGWAY_ACCOUNTS: names } = readSettings(accountNames, environment);
  const accounts = Object.fromEntries(names.map((name) => [name, read(environment, settingsPrefix(name))]));
  return { ...read(environment, ''), accounts };
}

function readWording(environment: NodeJS.ProcessEnv, prefix: string): Wording {
  const set = readSettings(wordingSettings, environment, prefix);
  return { posNames: set.BOARDING_POS_NAMES, pathSegment: set.BANKING_PATH_SEGMENT };
}

/** Reads one account. It never uses another account's settings, above all its credentials. */
function readAccount(environment: NodeJS.ProcessEnv, prefix: string): Account {
  const set = eachSystem(
    (system): z.output<typeof systemSettings> =>
      readSettings(settingsOf(system), environment, prefix + settingsPrefix(system)),
  );
  return {
    ...readWording(environment, prefix),
    settingsPrefix: prefix,
    record: readSettings(recordSettings, environment).GANGWAY_RECORD,
    partners: eachSystem((system) =>
      readPartner(system, set[system].URL, environment, prefix),
    ) as Account['partners'],
    activitiesPerSecond: eachSystem((system) => set[system].ACTIVITIES_PER_SECOND),
    portals: eachSystem((system) => set[system].PORTAL_URL),
  };
}

/** Reads one system's settings. If the system is off, checks only those that are set. */
function readPartner(
  system: SystemName,
  url: string | undefined,
  environment: NodeJS.ProcessEnv,
  prefix: string,
) {
  const partner = PARTNERS[system];
  if (url === undefined) {
    readSettings(partner.settings.partial(), environment, prefix);
    return undefined;
  }
  return partner.clientSettings(url, readSettings(partner.settings, environment, prefix), prefix);
}

/** Returns an account by its name. Default: the unnamed account. @throws {BadSetting} */
export function accountOf(accounts: Accounts, name?: string): Account {
  const account = name === undefined ? accounts : accounts.accounts[name];
  if (!account) throw new BadSetting('GANGWAY_ACCOUNTS', `does not name ${name}`);
  return account;
}

/**
 * Returns the accounts that a process serves, by name. Omits the unnamed account if there are named ones and none of its systems is
 * on.
 */
export function servedAccounts(
  accounts: Accounts,
): readonly (readonly [name: string | undefined, account: Account])[] {
  const named = Object.entries(accounts.accounts);
  return systemsOf(accounts).length > 0 || named.length === 0 ? [[undefined, accounts], ...named] : named;
}

/** Returns the accounts that a process serves, by name, and the systems that are on in each. */
export function servedSystems(accounts: Accounts) {
  return servedAccounts(accounts).map(([name, account]) => [name, systemsOf(account)] as const);
}

/** Returns the systems of an account that are on. A worker polls a partner task queue for each. */
export function systemsOf({ partners }: Account): SystemName[] {
  return SYSTEM_NAMES.filter((system) => partners[system] !== undefined);
}

/**
 * Returns a client for each system. If a system is off, every call fails, and names the missing setting.
 *
 * @param bounds HTTP limits for clients without their own
 * @throws {BadSetting} if the folder of a recording cannot be created
 */
export function partnerClients(
  account: Account,
  observe?: PartnerObserver,
  bounds: Partial<HttpLimits> = {},
  inspect?: Inspector,
): PartnerClients {
  const all =
    account.record === undefined
      ? observe
      : observers(...(observe ? [observe] : []), recordingIn(account.record));
  return eachSystem((system) => {
    const partner = PARTNERS[system];
    const settings = account.partners[system];
    if (!settings) {
      const reason = `${account.settingsPrefix}${urlSetting(system)} is not set`;
      return partnerOff(system, partner.operations(account), reason);
    }
    const limits = { ...bounds, ...settings.limits };
    return partner.client({ ...settings, limits, observe: all, inspect }, account);
  }) as unknown as PartnerClients;
}

export async function closeAll(clients: PartnerClients): Promise<void> {
  await Promise.all(Object.values(clients).map((client) => client.close()));
}

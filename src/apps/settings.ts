/**
 * All settings of all processes and accounts: finds misspelled names, and lists the current values without secrets. A setting is
 * defined by a line in its process's schema, such as `worker/settings.ts`.
 */
import { distance } from 'fastest-levenshtein';
import type { Logger } from 'pino';
import { accountSettings } from '../partners/account-settings.js';
import { SYSTEM_NAMES, settingsPrefix } from '../partners/descriptors.js';
import { didYouMean, nearest } from '../platform/settings/did-you-mean.js';
import { type Advice, secretsOf } from '../platform/settings/settings.js';
import { workerSettings } from '../worker/settings.js';
import { codecServerSettings } from './codec-server/settings.js';
import { commandSettings } from './command/cli/command-line.js';
import { consoleSettings } from './console/settings.js';
import { linkServerSettings } from './link/settings.js';
import { receiverSettings, webhookSettings } from './receiver/settings.js';

type Environment = NodeJS.ProcessEnv;

const RECEIVER = /^(RECEIVER|API_CLIENTS)_/;
export const CONSOLE = /^(CONSOLE|OIDC)_/;
export const CODEC_SERVER = /^CODEC_/;
/** The settings of the link page. `LINK_URL` is missing because the processes that make links read it, too. */
export const LINK = /^LINK_(?:ADDRESS|API|COMPANY)/;

/** The settings of processes besides workers, and the names that only these have. */
export const PROCESSES = [
  [receiverSettings, RECEIVER],
  [webhookSettings, RECEIVER],
  [consoleSettings, CONSOLE],
  [codecServerSettings, CODEC_SERVER],
  [linkServerSettings, LINK],
] as const;

/**
 * Only Gangway reads names with these prefixes, so an unknown name is a mistake even if no setting is similar. `PROCESSOR_` begins
 * names of Windows.
 */
const OWN_PREFIXES: readonly string[] = [
  'GANGWAY_',
  'RECEIVER_',
  'CONSOLE_',
  'CODEC_',
  'LINK_',
  'OIDC_',
  'EVENTS_',
  ...SYSTEM_NAMES.filter((system) => system !== 'processor').map(settingsPrefix),
];

/** A shorter name is similar to too many settings of other programs. */
const SHORTEST = 8;

/** Names in the environment that no process reads, and that look like a setting with a typing error. */
export function misspelledSettings(env: Environment, accounts: readonly string[]): Advice[] {
  const names = settingNames(accounts);
  return Object.keys(env)
    .filter((name) => !names.has(name) && (isOurs(name, accounts) || isSimilar(name, names)))
    .sort()
    .map((name) => ({
      why: `${name} is not a setting, so nothing reads it${didYouMean(name, names)}`,
      fix: 'correct its name, or remove it',
    }));
}

/** Logs the names that {@link misspelledSettings} finds when a process starts. */
export function warnOfUnknown(logger: Logger, env: Environment, accounts: object = {}): void {
  for (const { why, fix } of misspelledSettings(env, Object.keys(accounts))) logger.warn({ fix }, why);
}

function isOurs(name: string, accounts: readonly string[]): boolean {
  const prefix = accounts.map(settingsPrefix).find((each) => name.startsWith(each)) ?? '';
  return OWN_PREFIXES.some((own) => name.startsWith(own, prefix.length));
}

function isSimilar(name: string, names: ReadonlySet<string>): boolean {
  const [prefix = ''] = name.split('_');
  const [similar] = name.length >= SHORTEST ? nearest(name, names) : [];
  if (similar === undefined) return false;
  return similar.startsWith(`${prefix}_`) || similar.length === name.length || distance(name, similar) === 1;
}

/** Temporal's own settings that name a connection, and those similar to them. */
const TEMPORAL_NAMES: readonly string[] = [
  'ADDRESS',
  'NAMESPACE',
  'API_KEY',
  'API_KEY_FILE',
  'PROFILE',
  'CONFIG_FILE',
  'CLI_PATH',
  'TLS',
  'TLS_SERVER_NAME',
  'TLS_DISABLE_HOST_VERIFICATION',
  'CODEC_ENDPOINT',
  'CODEC_AUTH',
  ...['CLIENT_CERT', 'CLIENT_KEY', 'SERVER_CA_CERT'].flatMap((of) => [`TLS_${of}_PATH`, `TLS_${of}_DATA`]),
].map((name) => `TEMPORAL_${name}`);

function schemasOf(accounts: readonly string[]) {
  const processes = [workerSettings, commandSettings, ...PROCESSES.map(([schema]) => schema)];
  return [
    ...processes.map((schema) => ['', schema] as const),
    ...['', ...accounts.map(settingsPrefix)].map((prefix) => [prefix, accountSettings()] as const),
  ];
}

/** The settings of all processes in all accounts, and the files that may hold their secrets. */
export function settingNames(accounts: readonly string[]): Set<string> {
  const names = schemasOf(accounts).flatMap(([prefix, schema]) => [
    ...Object.keys(schema.shape).map((name) => prefix + name),
    ...secretsOf(schema).map((name) => `${prefix}${name}_FILE`),
  ]);
  return new Set([...names, ...TEMPORAL_NAMES]);
}

/** Values that anyone may see: flags, durations, and those of these settings. */
const HARMLESS = /^(?:true|false|\d+(?:\.\d+)?(?:ms|s|m|h|d))$/;
const SHOWN =
  /^(?:GANGWAY_(?!RECORD|UI_URL)\w+|TEMPORAL_(?:ADDRESS|NAMESPACE|PROFILE)|\w+_(?:PER_SECOND|ENVIRONMENT)|(?:RECEIVER|CONSOLE|CODEC|LINK)_(?:METRICS_)?ADDRESS)$/;

/** The settings that are set, by name: the value where nobody could mind, and `set` in place of every other one. */
export function summarizeSettings(env: Environment, accounts: readonly string[]): Record<string, string> {
  const secrets = new Set(
    schemasOf(accounts).flatMap(([prefix, schema]) => secretsOf(schema).map((name) => prefix + name)),
  );
  const display = (name: string, value: string) =>
    !secrets.has(name) && (HARMLESS.test(value) || SHOWN.test(name)) ? value : 'set';
  const names = [...settingNames(accounts)].filter((name) => env[name]).sort();
  return Object.fromEntries(names.map((name) => [name, display(name, env[name] ?? '')]));
}

import { stat } from 'node:fs/promises';
import { distance } from 'fastest-levenshtein';
import type { Logger } from 'pino';
import { accountSettings } from '../../../../partners/account-settings.js';
import { PARTNERS, SYSTEM_NAMES, settingsPrefix, urlSetting } from '../../../../partners/systems.js';
import { didYouMean, nearest } from '../../../../platform/settings/nearest.js';
import {
  type Advice,
  adviceAbout,
  BadSetting,
  readSettings,
  secretsOf,
} from '../../../../platform/settings/settings.js';
import { isLoopback, TEMPORAL_SECRETS, temporalSettings } from '../../../../temporal/connection.js';
import { loadWorkerSettings, type WorkerSettings, workerSettings } from '../../../../worker/settings.js';
import { codecServerSettings } from '../../../codec-server/settings.js';
import { consoleSettings, loadConsoleSettings } from '../../../console/settings.js';
import { loadReceiverSettings, receiverSettings, webhookSettings } from '../../../receiver/settings.js';
import { commandSettings } from '../../cli/command-line.js';
import { type Verdict, warn, wrong } from './check.js';

type Environment = NodeJS.ProcessEnv;

/**
 * Reads all settings. One that cannot be used is left out, so that others, and what they lead to, are checked as well.
 *
 * @returns `usable` is undefined when nothing can be checked before a setting is corrected
 */
export function examineSettings(environment: Environment) {
  const env = { ...environment };
  const bad: Verdict[] = [];
  for (;;) {
    try {
      const config = loadWorkerSettings(env);
      loadReceiverSettings(env);
      if (isSet(env, CONSOLE)) loadConsoleSettings(env);
      if (isSet(env, CODEC_SERVER)) readSettings(codecServerSettings, env);
      temporalSettings(env);
      return { usable: { config, env }, bad };
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      // Two settings that contradict each other are one problem, though both are left out.
      if (bad.every(({ detail }) => detail !== error.message))
        bad.push(wrong(error.message, `correct ${error.setting}`));
      const cause = causeOf(error, env);
      if (cause === undefined) return { usable: undefined, bad };
      delete env[cause];
    }
  }
}

/** The setting without which this would not happen. That of a system which lacks another one is its URL. */
function causeOf({ setting, message }: BadSetting, env: Environment): string | undefined {
  // Without it, certificates are checked nowhere.
  if (setting === 'NODE_TLS_REJECT_UNAUTHORIZED') return undefined;
  const named = message.match(/\b[A-Z][A-Z\d]+(_[A-Z\d]+)+/g) ?? [];
  const urls = SYSTEM_NAMES.map(settingsPrefix).flatMap((system) => {
    const [account, rest] = setting.split(system);
    return rest === undefined ? [] : [`${account}${system}URL`];
  });
  return [setting, `${setting}_FILE`, ...named, ...urls].find((name) => env[name]);
}

const RECEIVER = /^(RECEIVER|API)_/;
const CONSOLE = /^(CONSOLE|OIDC)_/;
const CODEC_SERVER = /^CODEC_/;

/** The settings of processes besides workers, and the names that only these have. */
const PROCESSES = [
  [receiverSettings, RECEIVER],
  [webhookSettings, RECEIVER],
  [consoleSettings, CONSOLE],
  [codecServerSettings, CODEC_SERVER],
] as const;

/** Whether a process is probably there, because one of its settings is set. */
function isSet(env: Environment, names: RegExp): boolean {
  return Object.entries(env).some(([name, value]) => names.test(name) && value);
}

/** Settings that work but are unsafe, and names that no process reads. Names settings and files, never a secret. */
export async function weakSettings(config: WorkerSettings, env: Environment): Promise<Verdict[]> {
  const accounts = [config, ...Object.values(config.accounts)];
  const advice = [
    ...adviceAbout(workerSettings, readSettings(workerSettings, env)),
    ...weakTemporal(env),
    ...accounts.flatMap(({ settingsPrefix: prefix, partners }) =>
      SYSTEM_NAMES.flatMap((system) => {
        const { settings } = PARTNERS[system];
        const url = partners[system]?.url;
        if (url === undefined) return [];
        const set = { ...readSettings(settings, env, prefix), [urlSetting(system)]: url };
        return adviceAbout(settings, set, prefix);
      }),
    ),
    ...PROCESSES.flatMap(([schema, names]) =>
      isSet(env, names) ? adviceAbout(schema, readSettings(schema, env)) : [],
    ),
    ...(await readableByOthers(config, env)),
    ...misspelledSettings(env, Object.keys(config.accounts)),
  ];
  // Several processes have the same setting.
  return [...new Map(advice.map(({ why, fix }) => [why, warn(why, fix)])).values()];
}

function weakTemporal(env: Environment): Advice[] {
  const { address, tls, apiKey } = temporalSettings(env).connectionOptions;
  if (isLoopback(address) || tls || apiKey) return [];
  const why = 'TEMPORAL_ADDRESS is another machine and TLS is off: the network can read the traffic';
  return [{ why, fix: 'set TEMPORAL_TLS=true' }];
}

async function readableByOthers({ accounts, documentDir, statementDir }: WorkerSettings, env: Environment) {
  const secrets = [...namesOf(Object.keys(accounts)), ...TEMPORAL_SECRETS.map((name) => `${name}_FILE`)];
  const paths: Environment = {
    ...Object.fromEntries(secrets.filter((name) => name.endsWith('_FILE')).map((name) => [name, env[name]])),
    TEMPORAL_TLS_CLIENT_KEY_PATH: env['TEMPORAL_TLS_CLIENT_KEY_PATH'],
    ...{ DOCUMENT_DIR: documentDir, STATEMENT_DIR: statementDir },
  };
  const found = Object.entries(paths).map(async ([name, path = '']) => {
    const { mode } = await stat(path).catch(() => ({ mode: 0 }));
    const why = `${name}: other users of this machine can read ${path}`;
    return (mode & 0o077) === 0 ? [] : [{ why, fix: `run "chmod go= ${path}"` }];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Only Gangway reads names with these prefixes, so an unknown one is a mistake even if no setting is similar. `PROCESSOR_` begins
 * names of Windows.
 */
const OWN_PREFIXES: readonly string[] = [
  ...['GANGWAY_', 'RECEIVER_', 'CONSOLE_', 'CODEC_', 'OIDC_', 'EVENTS_'],
  ...SYSTEM_NAMES.filter((system) => system !== 'processor').map(settingsPrefix),
];

/** A shorter name is similar to too many of other programs. */
const SHORTEST = 8;

/** Names in the environment that no process reads, and that look like a setting with a typing error. */
export function misspelledSettings(env: Environment, accounts: readonly string[]): Advice[] {
  const known = namesOf(accounts);
  return Object.keys(env)
    .filter((name) => !known.has(name) && (isOurs(name, accounts) || isSimilar(name, known)))
    .sort()
    .map((name) => ({
      why: `${name} is not a setting, so nothing reads it${didYouMean(name, known)}`,
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

function isSimilar(name: string, known: ReadonlySet<string>): boolean {
  const [prefix = ''] = name.split('_');
  const [similar] = name.length >= SHORTEST ? nearest(name, known) : [];
  if (similar === undefined) return false;
  return similar.startsWith(`${prefix}_`) || similar.length === name.length || distance(name, similar) === 1;
}

/** Temporal's own settings that name a connection, and those similar to them. */
const TEMPORAL_NAMES: readonly string[] = [
  ...['ADDRESS', 'NAMESPACE', 'API_KEY', 'API_KEY_FILE', 'PROFILE', 'CONFIG_FILE', 'CLI_PATH'],
  ...['TLS', 'TLS_SERVER_NAME', 'TLS_DISABLE_HOST_VERIFICATION', 'CODEC_ENDPOINT', 'CODEC_AUTH'],
  ...['CLIENT_CERT', 'CLIENT_KEY', 'SERVER_CA_CERT'].flatMap((of) => [`TLS_${of}_PATH`, `TLS_${of}_DATA`]),
].map((name) => `TEMPORAL_${name}`);

/** The settings of all processes in all accounts: the prefix of an account, and a schema. */
function schemasOf(accounts: readonly string[]) {
  const processes = [workerSettings, commandSettings, ...PROCESSES.map(([schema]) => schema)];
  return [
    ...processes.map((schema) => ['', schema] as const),
    ...['', ...accounts.map(settingsPrefix)].map((prefix) => [prefix, accountSettings()] as const),
  ];
}

/** The settings of all processes in all accounts, and the files that may hold their secrets. */
function namesOf(accounts: readonly string[]): Set<string> {
  const names = schemasOf(accounts).flatMap(([prefix, schema]) => [
    ...Object.keys(schema.shape).map((name) => prefix + name),
    ...secretsOf(schema).map((name) => `${prefix}${name}_FILE`),
  ]);
  return new Set([...names, ...TEMPORAL_NAMES]);
}

/** Values that anyone may see: flags, durations, and those of these settings. */
const HARMLESS = /^(?:true|false|\d+(?:\.\d+)?(?:ms|s|m|h|d))$/;
const SHOWN =
  /^(?:GANGWAY_(?!RECORD|UI_URL)\w+|TEMPORAL_(?:ADDRESS|NAMESPACE|PROFILE)|\w+_(?:PER_SECOND|ENVIRONMENT)|(?:RECEIVER|CONSOLE|CODEC)_(?:METRICS_)?ADDRESS)$/;

/** The settings that are set, by name: the value where nobody could mind, and `set` in place of every other one. */
export function setInShort(env: Environment, accounts: readonly string[]): Record<string, string> {
  const secrets = new Set(
    schemasOf(accounts).flatMap(([prefix, schema]) => secretsOf(schema).map((name) => prefix + name)),
  );
  const shown = (name: string, value: string) =>
    !secrets.has(name) && (HARMLESS.test(value) || SHOWN.test(name)) ? value : 'set';
  const names = [...namesOf(accounts)].filter((name) => env[name]).sort();
  return Object.fromEntries(names.map((name) => [name, shown(name, env[name] ?? '')]));
}

import { stat } from 'node:fs/promises';
import { PARTNERS, SYSTEM_NAMES, settingsPrefix, urlSetting } from '../../../../partners/descriptors.js';
import {
  type Advice,
  adviceAbout,
  BadSetting,
  readSettings,
} from '../../../../platform/settings/settings.js';
import { isLoopback, TEMPORAL_SECRETS, temporalSettings } from '../../../../temporal/connection.js';
import { loadWorkerSettings, type WorkerSettings, workerSettings } from '../../../../worker/settings.js';
import { codecServerSettings } from '../../../codec-server/settings.js';
import { loadConsoleSettings } from '../../../console/settings.js';
import { loadLinkSettings } from '../../../link/settings.js';
import { loadReceiverSettings } from '../../../receiver/settings.js';
import {
  CODEC_SERVER,
  CONSOLE,
  LINK,
  misspelledSettings,
  PROCESSES,
  settingNames,
} from '../../../settings.js';
import { type Verdict, warn, wrong } from './check.js';

type Environment = NodeJS.ProcessEnv;

/**
 * Reads all settings. Leaves out invalid settings, so that the others, and the servers that they name, are checked, too.
 *
 * @returns `usable` is undefined if a setting must be corrected before anything can be checked
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
      if (isSet(env, LINK)) loadLinkSettings(env);
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

/** Returns the setting that causes a problem. If a system lacks a setting, that is the system's URL. */
function causeOf({ setting, message }: BadSetting, env: Environment): string | undefined {
  // This setting turns off the check of certificates everywhere.
  if (setting === 'NODE_TLS_REJECT_UNAUTHORIZED') return undefined;
  const named = message.match(/\b[A-Z][A-Z\d]+(_[A-Z\d]+)+/g) ?? [];
  const urls = SYSTEM_NAMES.map(settingsPrefix).flatMap((system) => {
    const [account, rest] = setting.split(system);
    return rest === undefined ? [] : [`${account}${system}URL`];
  });
  return [setting, `${setting}_FILE`, ...named, ...urls].find((name) => env[name]);
}

/** Reports whether a process is probably in use, because one of its settings is set. */
function isSet(env: Environment, names: RegExp): boolean {
  return Object.entries(env).some(([name, value]) => names.test(name) && value);
}

/** Returns warnings about unsafe settings, and about names that no process reads. They never contain a secret. */
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
  const secrets = [...settingNames(Object.keys(accounts)), ...TEMPORAL_SECRETS.map((name) => `${name}_FILE`)];
  const paths: Environment = {
    ...Object.fromEntries(secrets.filter((name) => name.endsWith('_FILE')).map((name) => [name, env[name]])),
    TEMPORAL_TLS_CLIENT_KEY_PATH: env['TEMPORAL_TLS_CLIENT_KEY_PATH'],
    DOCUMENT_DIR: documentDir,
    STATEMENT_DIR: statementDir,
  };
  const checks = Object.entries(paths).map(async ([name, path = '']) => {
    const { mode } = await stat(path).catch(() => ({ mode: 0 }));
    const why = `${name}: other users of this machine can read ${path}`;
    return (mode & 0o077) === 0 ? [] : [{ why, fix: `run "chmod go= ${path}"` }];
  });
  return (await Promise.all(checks)).flat();
}

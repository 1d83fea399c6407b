import { codecServerSettings } from '../../../codec-server/settings.js';
import { consoleSettings } from '../../../console/settings.js';
import { accountPrefix, accountSettings } from '../../../partners/account-settings.js';
import { receiverSettings, webhookSettings } from '../../../receiver/settings.js';
import { didYouMean, nearest } from '../../../settings/nearest.js';
import { secretsOf } from '../../../settings/settings.js';
import { workerSettings } from '../../../worker/settings.js';
import { commandSettings } from '../../cli/command-line.js';

/** Only Gangway reads names with this prefix, so an unknown one is a mistake even if no setting is similar. */
const OWN_PREFIX = 'GANGWAY_';

/** A shorter name is similar to too many of other programs. */
const SHORTEST = 8;

/** Names in the environment that no process reads, and that look like a setting with a typing error: one sentence each. */
export function misspelledSettings(environment: NodeJS.ProcessEnv, accounts: readonly string[]): string[] {
  const known = knownSettings(accounts);
  return Object.keys(environment)
    .filter((name) => !known.has(name) && isMeantForUs(name, known))
    .sort()
    .map((name) => `${name} is not a setting, so nothing reads it${didYouMean(name, known)}`);
}

function isMeantForUs(name: string, known: ReadonlySet<string>): boolean {
  if (name.startsWith(OWN_PREFIX)) return true;
  const [prefix = ''] = name.split('_');
  const [similar] = name.length >= SHORTEST ? nearest(name, known) : [];
  // A name with the same first word, or one letter of difference.
  return similar !== undefined && (similar.startsWith(`${prefix}_`) || similar.length === name.length);
}

/** The settings of all processes in all accounts. */
function knownSettings(accounts: readonly string[]): Set<string> {
  const ofAccount = accountSettings();
  const processes = [
    workerSettings,
    commandSettings,
    receiverSettings,
    webhookSettings,
    consoleSettings,
    codecServerSettings,
  ];
  const prefixes = ['', ...accounts.map(accountPrefix)];
  const names = [
    ...processes.flatMap(({ shape }) => Object.keys(shape)),
    ...processes.flatMap(secretsOf).map((name) => `${name}_FILE`),
    ...prefixes.flatMap((prefix) => [
      ...Object.keys(ofAccount.shape).map((name) => prefix + name),
      ...secretsOf(ofAccount).map((name) => `${prefix}${name}_FILE`),
    ]),
  ];
  return new Set(names);
}

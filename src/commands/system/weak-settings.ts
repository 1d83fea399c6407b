import { stat } from 'node:fs/promises';
import { type Account, accountSecrets } from '../../partners/account-settings.js';
import {
  authSetting,
  loadReceiverSettings,
  receiverSettings,
  type SenderRule,
  WEBHOOK_PARTNERS,
  webhookSettings,
} from '../../receiver/settings.js';
import { secretsOf } from '../../settings/settings.js';
import { isLoopback, TEMPORAL_SECRETS, temporalSettings } from '../../temporal/connection.js';
import { type WorkerSettings, workerSettings } from '../../worker/settings.js';
import { misspelledSettings } from './misspelled-settings.js';

/**
 * Settings that work but are unsafe, and names that no process reads: one sentence each, with the risk and the remedy. Names
 * settings and files, never a secret.
 */
export async function weakSettings(
  config: WorkerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const secrets = new Set([
    ...accountSecrets(Object.keys(config.accounts)),
    ...[workerSettings, receiverSettings, webhookSettings].flatMap(secretsOf),
    ...TEMPORAL_SECRETS,
  ]);
  const readable = await Promise.all([
    ...[...secrets].map((name) => readableByOthers(`${name}_FILE`, environment[`${name}_FILE`])),
    readableByOthers('TEMPORAL_TLS_CLIENT_KEY_PATH', environment['TEMPORAL_TLS_CLIENT_KEY_PATH']),
    readableByOthers('DOCUMENT_DIR', config.documentDir),
    readableByOthers('STATEMENT_DIR', config.statementDir),
  ]);
  return [
    ...weakTemporal(config, environment),
    ...weakPartners(config),
    ...Object.values(config.accounts).flatMap(weakPartners),
    ...weakProcess(config),
    ...weakReceiver(environment),
    ...readable.flat(),
    ...misspelledSettings(environment, Object.keys(config.accounts)),
  ];
}

function weakTemporal({ payloadKeys }: WorkerSettings, environment: NodeJS.ProcessEnv): string[] {
  const { address, tls, apiKey } = temporalSettings(environment).connectionOptions;
  const isRemote = !isLoopback(address);
  return [
    ...(payloadKeys
      ? []
      : [
          'PAYLOAD_KEYS is not set: anyone with access to the namespace can read private data; set it ("gangway keys new")',
        ]),
    ...(isRemote && !tls && !apiKey
      ? [
          'TEMPORAL_ADDRESS is another machine and TLS is off: the network can read the traffic; set TEMPORAL_TLS',
        ]
      : []),
  ];
}

function weakPartners({ settingsPrefix, partners: { boarding, banking } }: Account): string[] {
  return [
    ...weakCredentials(`${settingsPrefix}BOARDING`, boarding),
    ...weakCredentials(`${settingsPrefix}BANKING`, banking),
    ...(banking && !banking.totpSecret && banking.form === 'user'
      ? [
          `${settingsPrefix}BANKING_TOTP_SECRET is not set: if the account has a second factor, every sign-in needs a person; set it`,
        ]
      : []),
  ];
}

const SHORTEST_PASSWORD = 12;

function weakCredentials(
  name: string,
  account: { readonly url: string; readonly username: string; readonly password: string } | undefined,
): string[] {
  if (!account?.url.startsWith('https:')) return [];
  const { username, password } = account;
  const isWeak = password.length < SHORTEST_PASSWORD || password === username;
  return isWeak
    ? [`${name}_PASSWORD is shorter than ${SHORTEST_PASSWORD} characters, or the user name: choose another`]
    : [];
}

const REACHABLE =
  'accepts connections from other machines: restrict them by a firewall, or use a loopback address';

function weakProcess({ logLevel, healthAddress, metricsAddress }: WorkerSettings): string[] {
  const isOpen = (address: { host: string } | undefined) => address && !isLoopback(address.host);
  return [
    ...(logLevel === 'trace' || logLevel === 'debug'
      ? [`GANGWAY_LOG_LEVEL is ${logLevel}: logs hold more than production needs; set it to info`]
      : []),
    ...(isOpen(healthAddress) ? [`GANGWAY_HEALTH_ADDRESS ${REACHABLE}`] : []),
    ...(isOpen(metricsAddress) ? [`GANGWAY_METRICS_ADDRESS ${REACHABLE}`] : []),
  ];
}

/** Empty when no setting of the receiver is set, because then there is probably no receiver. */
function weakReceiver(environment: NodeJS.ProcessEnv): string[] {
  if (!Object.entries(environment).some(([name, value]) => name.startsWith('RECEIVER_') && value)) return [];
  const { host, secrets, webhooks } = loadReceiverSettings(environment);
  return [
    ...(secrets.length === 0
      ? ['RECEIVER_SECRETS is not set: anyone who reaches the receiver can send events; set it']
      : []),
    ...(isLoopback(host)
      ? []
      : ['RECEIVER_ADDRESS accepts connections from other machines: put TLS in front of it']),
    ...WEBHOOK_PARTNERS.flatMap((partner) =>
      (webhooks[partner]?.senders ?? []).flatMap((rule) => weakSender(authSetting(partner), rule)),
    ),
  ];
}

/** Shortest safe value, in characters, for a header that a partner chooses. */
const SHORTEST_HEADER = 32;

function weakSender(name: string, rule: SenderRule): string[] {
  if (rule.kind === 'none')
    return [`${name} is none: anyone who reaches the receiver can send webhooks; authenticate the partner`];
  const isWeak = rule.kind === 'header' && rule.value.length < SHORTEST_HEADER;
  return isWeak
    ? [
        `${name}: the value of ${rule.name} is shorter than ${SHORTEST_HEADER} characters: choose a longer one`,
      ]
    : [];
}

async function readableByOthers(name: string, path: string | undefined): Promise<string[]> {
  if (!path) return [];
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & 0o077) === 0
    ? []
    : [`${name}: other users of this machine can read ${path}; run chmod go= on it`];
}

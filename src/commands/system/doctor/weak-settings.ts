import { stat } from 'node:fs/promises';
import { consoleSettings, loadConsoleSettings } from '../../../console/settings.js';
import { type Account, accountSecrets } from '../../../partners/account-settings.js';
import {
  authSetting,
  loadReceiverSettings,
  receiverSettings,
  type SenderRule,
  WEBHOOK_PARTNERS,
  webhookSettings,
} from '../../../receiver/settings.js';
import { secretsOf } from '../../../settings/settings.js';
import { isLoopback, TEMPORAL_SECRETS, temporalSettings } from '../../../temporal/connection.js';
import { type WorkerSettings, workerSettings } from '../../../worker/settings.js';
import { type Verdict, warn } from './check.js';
import { misspelledSettings } from './misspelled-settings.js';

/** Settings that work but are unsafe, and names that no process reads. Names settings and files, never a secret. */
export async function weakSettings(
  config: WorkerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Verdict[]> {
  const secrets = new Set([
    ...accountSecrets(Object.keys(config.accounts)),
    ...[workerSettings, receiverSettings, webhookSettings, consoleSettings].flatMap(secretsOf),
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
    ...weakConsole(environment),
    ...readable.flat(),
    ...misspelledSettings(environment, Object.keys(config.accounts)).map((problem) =>
      warn(problem, 'correct its name, or remove it'),
    ),
  ];
}

function weakTemporal({ payloadKeys }: WorkerSettings, environment: NodeJS.ProcessEnv): Verdict[] {
  const { address, tls, apiKey } = temporalSettings(environment).connectionOptions;
  const isRemote = !isLoopback(address);
  return [
    ...(payloadKeys
      ? []
      : [
          warn(
            'PAYLOAD_KEYS is not set: anyone with access to the namespace can read private data',
            'set PAYLOAD_KEYS to the key that "gangway keys new" prints',
          ),
        ]),
    ...(isRemote && !tls && !apiKey
      ? [
          warn(
            'TEMPORAL_ADDRESS is another machine and TLS is off: the network can read the traffic',
            'set TEMPORAL_TLS=true',
          ),
        ]
      : []),
  ];
}

function weakPartners({ settingsPrefix, partners: { boarding, banking } }: Account): Verdict[] {
  return [
    ...weakCredentials(`${settingsPrefix}BOARDING`, boarding),
    ...weakCredentials(`${settingsPrefix}BANKING`, banking),
    ...(banking && !banking.totpSecret && banking.form === 'user'
      ? [
          warn(
            `${settingsPrefix}BANKING_TOTP_SECRET is not set: if the account has a second factor, every sign-in needs a person`,
            `set ${settingsPrefix}BANKING_TOTP_SECRET, if the account has a second factor`,
          ),
        ]
      : []),
  ];
}

const SHORTEST_PASSWORD = 12;

function weakCredentials(
  name: string,
  account: { readonly url: string; readonly username: string; readonly password: string } | undefined,
): Verdict[] {
  if (!account?.url.startsWith('https:')) return [];
  const { username, password } = account;
  const isWeak = password.length < SHORTEST_PASSWORD || password === username;
  return isWeak
    ? [
        warn(
          `${name}_PASSWORD is shorter than ${SHORTEST_PASSWORD} characters, or equals the user name`,
          `choose another password at the partner, and set ${name}_PASSWORD to it`,
        ),
      ]
    : [];
}

const reachable = (setting: string) =>
  warn(
    `${setting} accepts connections from other machines`,
    `restrict them with a firewall, or set ${setting} to a loopback address`,
  );

const reachableUnlessLoopback = (setting: string, address: { readonly host: string } | undefined) =>
  address && !isLoopback(address.host) ? [reachable(setting)] : [];

function weakProcess({ logLevel, healthAddress, metricsAddress }: WorkerSettings): Verdict[] {
  return [
    ...(logLevel === 'trace' || logLevel === 'debug'
      ? [
          warn(
            `GANGWAY_LOG_LEVEL is ${logLevel}: logs hold more than production needs`,
            'set GANGWAY_LOG_LEVEL=info',
          ),
        ]
      : []),
    ...reachableUnlessLoopback('GANGWAY_HEALTH_ADDRESS', healthAddress),
    ...reachableUnlessLoopback('GANGWAY_METRICS_ADDRESS', metricsAddress),
  ];
}

/** Empty when no setting of the receiver is set, because then there is probably no receiver. */
function weakReceiver(environment: NodeJS.ProcessEnv): Verdict[] {
  if (!Object.entries(environment).some(([name, value]) => name.startsWith('RECEIVER_') && value)) return [];
  const { host, metricsAddress, secrets, webhooks } = loadReceiverSettings(environment);
  return [
    ...(secrets.length === 0
      ? [
          warn(
            'RECEIVER_SECRETS is not set: anyone who reaches the receiver can send events',
            'set RECEIVER_SECRETS to what echo "whsec_$(openssl rand -base64 32)" prints',
          ),
        ]
      : []),
    ...(isLoopback(host)
      ? []
      : [
          warn(
            'RECEIVER_ADDRESS accepts connections from other machines',
            'put a proxy with TLS in front of it (docs/deployment.md)',
          ),
        ]),
    ...reachableUnlessLoopback('RECEIVER_METRICS_ADDRESS', metricsAddress),
    ...WEBHOOK_PARTNERS.flatMap((partner) =>
      (webhooks[partner]?.senders ?? []).flatMap((rule) => weakSender(authSetting(partner), rule)),
    ),
  ];
}

/** Shortest safe value, in characters, for a header that a partner chooses. */
const SHORTEST_HEADER = 32;

function weakSender(name: string, rule: SenderRule): Verdict[] {
  if (rule.kind === 'none')
    return [
      warn(
        `${name} is none: anyone who reaches the receiver can send webhooks`,
        `set ${name} to signature:..., header:... or path:... (docs/events.md)`,
      ),
    ];
  const isWeak = rule.kind === 'header' && rule.value.length < SHORTEST_HEADER;
  return isWeak
    ? [
        warn(
          `${name}: the value of ${rule.name} is shorter than ${SHORTEST_HEADER} characters`,
          `set ${name} to a longer value, here and at the partner`,
        ),
      ]
    : [];
}

/** Log levels that leave the audit log out. */
const WITHOUT_AUDIT: readonly string[] = ['warn', 'error'];

/** Empty when no setting of the console is set, because then there is probably no console. */
function weakConsole(environment: NodeJS.ProcessEnv): Verdict[] {
  const isSet = ([name, value]: [string, string | undefined]) => /^(CONSOLE|OIDC)_/.test(name) && value;
  if (!Object.entries(environment).some(isSet)) return [];
  const { host, metricsAddress, oidc, url, logLevel } = loadConsoleSettings(environment);
  return [
    ...(oidc
      ? []
      : [
          warn(
            'OIDC_ISSUER is not set: anyone on this machine can use the console as an admin',
            'set OIDC_ISSUER and OIDC_CLIENT_ID (docs/deployment.md)',
          ),
        ]),
    ...(isLoopback(host) || url?.startsWith('https:')
      ? []
      : [
          warn(
            'CONSOLE_ADDRESS accepts connections from other machines, and CONSOLE_URL is not https',
            'put a proxy with TLS in front of it, and set CONSOLE_URL to its address (docs/deployment.md)',
          ),
        ]),
    ...reachableUnlessLoopback('CONSOLE_METRICS_ADDRESS', metricsAddress),
    ...(WITHOUT_AUDIT.includes(logLevel)
      ? [
          warn(
            `GANGWAY_LOG_LEVEL is ${logLevel}: the console writes no audit log`,
            'set GANGWAY_LOG_LEVEL=info for the console',
          ),
        ]
      : []),
  ];
}

async function readableByOthers(name: string, path: string | undefined): Promise<Verdict[]> {
  if (!path) return [];
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & 0o077) === 0
    ? []
    : [warn(`${name}: other users of this machine can read ${path}`, `run "chmod go= ${path}"`)];
}

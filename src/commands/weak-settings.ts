import { stat } from 'node:fs/promises';
import { type Config, SECRETS } from '../config.js';
import { isLoopback, temporalSettings } from '../temporal/connection.js';

/** What works and is unwise, a sentence each. Names settings and files, never a value. */
export async function weakSettings(
  config: Config,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string[]> {
  const readable = await Promise.all([
    ...SECRETS.map((name) => readableByOthers(`${name}_FILE`, environment[`${name}_FILE`])),
    readableByOthers('DOCUMENT_DIR', config.documentDir),
    readableByOthers('STATEMENT_DIR', config.statementDir),
  ]);
  return [...weakTemporal(config), ...weakPartners(config), ...weakProcess(config), ...readable.flat()];
}

function weakTemporal({ payloadKeys }: Config): string[] {
  const { address, tls, apiKey } = temporalSettings().connectionOptions;
  const isRemote = !isLoopback(address);
  return [
    ...(payloadKeys ? [] : ['PAYLOAD_KEYS is not set: whoever reads the namespace reads private data']),
    ...(isRemote && !tls && !apiKey ? ['TEMPORAL_ADDRESS is another machine, and TLS is off'] : []),
  ];
}

function weakPartners({ boarding, banking }: Config): string[] {
  return [
    ...weakAccount('BOARDING', boarding),
    ...weakAccount('BANKING', banking),
    ...(banking && !banking.totpSecret && banking.form === 'user'
      ? [
          'BANKING_TOTP_SECRET is not set: if the account has a second factor, a person is asked for each sign-in',
        ]
      : []),
  ];
}

const SHORTEST_PASSWORD = 12;

function weakAccount(
  name: string,
  account: { readonly url: string; readonly username: string; readonly password: string } | undefined,
): string[] {
  if (!account?.url.startsWith('https:')) return [];
  const { username, password } = account;
  const isWeak = password.length < SHORTEST_PASSWORD || password === username;
  return isWeak ? [`${name}_PASSWORD is short, or the user name`] : [];
}

function weakProcess({ logLevel, healthAddress, metricsAddress }: Config): string[] {
  const isOpen = (address: { host: string } | undefined) => address && !isLoopback(address.host);
  return [
    ...(logLevel === 'trace' || logLevel === 'debug' ? [`GANGWAY_LOG_LEVEL is ${logLevel}`] : []),
    ...(isOpen(healthAddress) ? ['GANGWAY_HEALTH_ADDRESS listens to other machines'] : []),
    ...(isOpen(metricsAddress) ? ['GANGWAY_METRICS_ADDRESS listens to other machines'] : []),
  ];
}

async function readableByOthers(name: string, path: string | undefined): Promise<string[]> {
  if (!path) return [];
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & 0o077) === 0 ? [] : [`${name}: ${path} can be read by other users of this machine`];
}

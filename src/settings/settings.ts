import { readFileSync } from 'node:fs';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { z } from 'zod';
import { bucketAddress } from '../documents/file-store.js';
import { type Destination, destinationOf, type SenderOptions } from '../events/sender.js';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE, DEFAULT_TASK_QUEUE } from '../messages/ids.js';
import { ACCOUNT_SECRETS, type Account, accountSettings, url } from '../partners/account-settings.js';
import { isLoopback, isSecureOrLoopback } from '../partners/http.js';
import { type PayloadKeys, payloadKeys } from '../temporal/payload-codec.js';

/** A setting that cannot be used. Its message is one line that names it, and never its value. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
  constructor(setting: string, rule: string) {
    super(`${setting}: ${rule}`);
  }
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `200ms`, `1m`, `1h`, in milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'must be a duration such as 200ms, 1m or 1h')
  .transform((text) => Number.parseFloat(text) * UNITS[text.replace(/[\d.]/g, '') as keyof typeof UNITS])
  .meta({ format: 'duration such as `200ms`, `1m` or `1h`' });

/** `host:port` to listen on. */
export const listenAddress = z
  .string()
  .regex(/^[^:\s]+:\d{1,5}$/, 'must be host:port, such as 127.0.0.1:8081')
  .transform((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  })
  .meta({ format: '`host:port`' });

/** A token opens everything, so it must be one that nobody guesses. */
const TOKEN = /^[\w.~+/=-]{32,}$/;

/** Off unless it says `true`. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .default(false);

/** Values that are separated by commas. */
export const list = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .meta({ format: 'list with commas' });

/** Bearer tokens of callers, separated by commas. */
export const bearerTokens = list
  .refine(
    (tokens) => tokens.every((token) => TOKEN.test(token)),
    'each token must be 32 or more letters, digits or signs of "._~+/=-", such as openssl rand -hex 32 makes',
  )
  .meta({ format: 'list of tokens of 32 or more characters' });

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = { min: 24, max: 64 };

/** Secrets that sign events, separated by commas. */
export const signingSecrets = list
  .refine(
    (secrets) => secrets.every(isSigningSecret),
    'each secret must be whsec_ and 24 to 64 bytes in base64, such as echo "whsec_$(openssl rand -base64 32)" makes',
  )
  .meta({ format: 'list of `whsec_<base64>`' });

/** Whether it is a secret to sign with: `whsec_` and base64. */
export function isSigningSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(base64, 'base64');
  const { min, max } = SECRET_BYTES;
  return bytes.toString('base64') === base64 && bytes.length >= min && bytes.length <= max;
}

/** How often one caller may ask in a minute. */
export const requestsPerMinute = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a number from 1 to 9999999')
  .transform(Number)
  .meta({ format: 'number from 1 to 9999999' })
  .default(3_000);

/** Where files are kept. */
const storePlace = z
  .string()
  .refine((place) => bucketAddress(place) !== 'malformed', 'must be a folder, or s3://bucket/prefix')
  .meta({ format: 'folder, or `s3://bucket/prefix`' });

const accountNames = list
  .refine((names) => names.every((name) => ACCOUNT_NAME.test(name)), `each ${ACCOUNT_NAME_RULE}`)
  .refine((names) => new Set(names).size === names.length, 'names an account twice')
  .default([]);

/** Temporal joins and splits names of deployments and build ids at colons, and keeps leading underscores for itself. */
const versionPart = z
  .string()
  .regex(
    /^(?!__)[\w./-]{1,100}$/,
    'must be 1 to 100 letters, digits or signs of "._/-", and not begin with __',
  )
  .meta({ format: '1 to 100 letters, digits or signs of `._/-`' });

/** The settings of Gangway itself. docs/configuration.md is made from their descriptions. */
export const gangwaySettings = z.object({
  GANGWAY_ACCOUNTS: accountNames.describe(
    'Names of further partner accounts. Each setting of a partner account exists once more for each name, with the name in capitals as its prefix.',
  ),
  GANGWAY_TASK_QUEUE: z
    .string()
    .default(DEFAULT_TASK_QUEUE)
    .describe(
      'Task queue that workers poll and that workflows start on. The partner task queues have it as their prefix.',
    ),
  GANGWAY_BUILD_ID: versionPart.optional().meta({
    description: 'Build that a worker runs. With it, the worker takes part in worker versioning.',
    unset: 'workers are not versioned',
  }),
  GANGWAY_DEPLOYMENT_NAME: versionPart.optional().meta({
    description: 'Worker deployment that `GANGWAY_BUILD_ID` is a build of.',
    unset: '`GANGWAY_TASK_QUEUE`',
  }),
  GANGWAY_POLL_MIN: duration.prefault('1m').describe('Shortest wait between two reads of a status.'),
  GANGWAY_POLL_MAX: duration
    .prefault('1h')
    .describe('Longest wait between two reads of a status that does not change.'),
  GANGWAY_RETRY_AFTER_MAX: duration
    .prefault('1h')
    .describe("Longest wait that a partner's `Retry-After` can ask for."),
  GANGWAY_WAIT_MAX: duration
    .prefault('24h')
    .describe('A person is asked about a step that has waited for its partner for longer than this.'),
  GANGWAY_UNREADABLE_MAX: duration
    .prefault('1h')
    .describe('A person is asked when the responses of a partner are unreadable for longer than this.'),
  PAYLOAD_KEYS: payloadKeys.optional().meta({
    description:
      'Keys that encrypt payloads: the first encrypts, each decrypts. `gangway keys new` makes one. Required unless Temporal runs on this machine.',
    unset: 'payloads are not encrypted',
  }),
  GANGWAY_HEALTH_ADDRESS: listenAddress
    .prefault('127.0.0.1:8081')
    .describe('Where the worker serves `/healthz` and `/readyz`.'),
  GANGWAY_METRICS_ADDRESS: listenAddress.optional().meta({
    description: 'Where the worker serves metrics to Prometheus.',
    unset: 'no metrics',
  }),
  GANGWAY_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('Lowest level that is logged, as JSON lines on standard error.'),
  GANGWAY_UI_URL: url.optional().meta({
    description: 'Address of the Temporal Web UI, for the links that the command prints.',
    unset: 'for a Temporal server on this machine its port plus 1000, otherwise no links',
  }),
  EVENTS_URLS: list
    .refine((urls) => urls.every((text) => URL.canParse(text)), 'each must be a URL')
    .default([])
    .describe('Where outbound events go: https, or http to this machine with `EVENTS_TO_LOOPBACK=true`.'),
  EVENTS_SECRETS: signingSecrets
    .default([])
    .describe(
      'Secrets that sign outbound events; several while they are rotated. Required with `EVENTS_URLS`.',
    ),
  EVENTS_TO_LOOPBACK: flag.describe(
    'Allows outbound events to this machine. Other private addresses are always rejected.',
  ),
  DOCUMENT_DIR: storePlace
    .default('documents')
    .describe('Documents that wait to be sent to a partner. Workers and the command share it.'),
  STATEMENT_DIR: storePlace
    .default('statements')
    .describe('Statements that workers save, and files that `gangway call` receives.'),
  S3_ENDPOINT: url
    .refine((text) => isSecureOrLoopback(new URL(text)), 'must be https (http only to loopback)')
    .optional()
    .meta({ description: 'Server of the buckets, if it is not AWS.', unset: 'AWS' }),
});

/** What the settings of an account begin with: `NORTH_ISO_`. */
function prefixOf(account: string): string {
  return `${account.toUpperCase().replaceAll('-', '_')}_`;
}

/** Settings that may come from the file that `<NAME>_FILE` names, instead of the environment. */
export function secretSettings(accounts: readonly string[]): string[] {
  const ofAccounts = ['', ...accounts.map(prefixOf)].flatMap((prefix) =>
    ACCOUNT_SECRETS.map((secret) => prefix + secret),
  );
  return ['PAYLOAD_KEYS', 'EVENTS_URLS', 'EVENTS_SECRETS', ...ofAccounts];
}

/** How long partners may have us wait, in milliseconds. */
export interface Patience {
  /** What counts of a `Retry-After` at most. */
  readonly retryAfterMaxMs: number;
  /** A person is asked about a step that has waited for longer. */
  readonly stepMs: number;
  /** A person is asked about responses that could not be read for longer. */
  readonly unreadableMs: number;
}

/** What a process is set to; the account at the partners that has no name is in it itself. */
export interface Config extends Account {
  /** The named ones, by name. */
  readonly accounts: Readonly<Record<string, Account>>;
  readonly taskQueue: string;
  /** The build that this process runs; undefined when its workers are not versioned. */
  readonly version: WorkerDeploymentVersion | undefined;
  /** Bounds of the wait between two status reads, in milliseconds. */
  readonly poll: { readonly minMs: number; readonly maxMs: number };
  /** How long partners may have us wait, and after how long a person hears of it; in milliseconds. */
  readonly patience: Patience;
  /** undefined when PAYLOAD_KEYS is not set: payloads are in the clear. */
  readonly payloadKeys: PayloadKeys | undefined;
  readonly healthAddress: { readonly host: string; readonly port: number };
  /** undefined when nobody is to read metrics. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: string;
  /** Where the Temporal Web UI is, for links. */
  readonly uiUrl: string | undefined;
  /** Who is told of news. */
  readonly events: SenderOptions & { readonly destinations: readonly Destination[] };
  /** Where documents wait to be sent: a folder, or `s3://bucket/prefix`. */
  readonly documentDir: string;
  /** Where statements are saved: likewise. */
  readonly statementDir: string;
  /** The server of the buckets; AWS's own unless given. */
  readonly s3Endpoint?: string | undefined;
}

/**
 * Reads the settings. Temporal's own are not among them: see temporal/connection.ts.
 *
 * @throws {BadSetting} naming the first setting that cannot be used
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const { GANGWAY_ACCOUNTS: names } = readSettings(z.object({ GANGWAY_ACCOUNTS: accountNames }), environment);
  const values = withSecretFiles(environment, secretSettings(names));
  const set = readSettings(gangwaySettings, values);
  if (set.GANGWAY_POLL_MIN > set.GANGWAY_POLL_MAX) {
    throw new BadSetting('GANGWAY_POLL_MIN', 'must not be longer than GANGWAY_POLL_MAX');
  }
  const own = accountFrom(values, '');
  const accounts = Object.fromEntries(names.map((name) => [name, accountFrom(values, prefixOf(name))]));
  const places = [set.DOCUMENT_DIR, set.STATEMENT_DIR].filter(bucketAddress);
  const others = [...set.EVENTS_URLS, ...(set.S3_ENDPOINT === undefined ? places : [set.S3_ENDPOINT])];
  const reached = [...[own, ...Object.values(accounts)].flatMap(urlsOf), ...others];
  requireCertificates(
    environment,
    reached.every((at) => isLoopback(new URL(at))),
  );
  return {
    taskQueue: set.GANGWAY_TASK_QUEUE,
    version: versionFrom(set),
    poll: { minMs: set.GANGWAY_POLL_MIN, maxMs: set.GANGWAY_POLL_MAX },
    patience: {
      retryAfterMaxMs: set.GANGWAY_RETRY_AFTER_MAX,
      stepMs: set.GANGWAY_WAIT_MAX,
      unreadableMs: set.GANGWAY_UNREADABLE_MAX,
    },
    payloadKeys: set.PAYLOAD_KEYS,
    healthAddress: set.GANGWAY_HEALTH_ADDRESS,
    metricsAddress: set.GANGWAY_METRICS_ADDRESS,
    logLevel: set.GANGWAY_LOG_LEVEL,
    uiUrl: set.GANGWAY_UI_URL,
    ...own,
    accounts,
    events: eventsFrom(set),
    documentDir: set.DOCUMENT_DIR,
    statementDir: set.STATEMENT_DIR,
    s3Endpoint: set.S3_ENDPOINT,
  };
}

/** All that polls a task queue is one deployment, unless another name is given. */
function versionFrom(set: z.output<typeof gangwaySettings>): Config['version'] {
  const { GANGWAY_BUILD_ID: buildId, GANGWAY_TASK_QUEUE: taskQueue } = set;
  if (buildId === undefined) return undefined;
  const { GANGWAY_DEPLOYMENT_NAME: deploymentName = taskQueue } = set;
  if (!versionPart.safeParse(deploymentName).success) {
    throw new BadSetting(
      'GANGWAY_DEPLOYMENT_NAME',
      'is needed, for GANGWAY_TASK_QUEUE cannot be the name of a deployment',
    );
  }
  return { deploymentName, buildId };
}

/** News is signed, and goes to https only, or to this very machine where that was chosen. */
function eventsFrom(set: z.output<typeof gangwaySettings>): Config['events'] {
  const { EVENTS_URLS: urls, EVENTS_SECRETS: secrets, EVENTS_TO_LOOPBACK: toLoopback } = set;
  const isFit = (url: URL) => url.protocol === 'https:' || (toLoopback && isSecureOrLoopback(url));
  if (!urls.every((url) => isFit(new URL(url)))) {
    throw new BadSetting(
      'EVENTS_URLS',
      'each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)',
    );
  }
  if (urls.length > 0 && secrets.length === 0) throw new BadSetting('EVENTS_SECRETS', 'is not set');
  return { secrets, toLoopback, destinations: urls.map(destinationOf) };
}

/** Where the partners of an account are. */
function urlsOf({ boarding, banking, plantStore, payments, processor }: Account): string[] {
  return [boarding, banking, plantStore, payments, processor].flatMap((partner) => partner?.url ?? []);
}

/**
 * With `NODE_TLS_REJECT_UNAUTHORIZED=0` Node accepts any certificate, so that whoever poses as one we connect to gets our
 * credentials.
 *
 * @param isLocal whether all that a process connects to is on this machine
 * @throws {BadSetting}
 */
export function requireCertificates(environment: NodeJS.ProcessEnv, isLocal: boolean): void {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || isLocal) return;
  const why = 'is 0, so whoever poses as a partner would get our credentials; it is for loopback only';
  throw new BadSetting('NODE_TLS_REJECT_UNAUTHORIZED', `${why}. Name the CA in NODE_EXTRA_CA_CERTS instead`);
}

/** An account has nothing of another one, least of all its credentials. */
function accountFrom(values: Readonly<Record<string, string>>, prefix: string): Account {
  const own = Object.entries(values).filter(([name]) => name.startsWith(prefix));
  const unprefixed = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
  return readSettings(accountSettings(prefix), unprefixed, prefix);
}

/** An account at the partners; the one without a name unless a name is given. @throws {BadSetting} */
export function accountOf(config: Pick<Config, 'accounts'> & Account, name?: string): Account {
  const account = name === undefined ? config : config.accounts[name];
  if (!account) throw new BadSetting('GANGWAY_ACCOUNTS', `does not name ${name}`);
  return account;
}

/**
 * The accounts that a process works for, by name: those that it is told the names of, and the one without a name. That
 * one is left out where others are named and no partner of its own is set, for such a process is theirs alone.
 */
export function servedAccounts(
  config: Pick<Config, 'accounts'> & Account,
): readonly (readonly [name: string | undefined, account: Account])[] {
  const named = Object.entries(config.accounts);
  const { boarding, banking, plantStore, payments, processor } = config;
  const isSet = [boarding, banking, plantStore, payments, processor].some((partner) => partner !== undefined);
  return isSet || named.length === 0 ? [[undefined, config], ...named] : named;
}

/**
 * @param prefix what the names of the settings begin with outside of the schema
 * @throws {BadSetting} naming the first setting that breaks its rule
 */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
  prefix = '',
): z.output<Schema> {
  const parsed = schema.safeParse(withoutEmpty(environment));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadSetting(prefix + String(issue?.path[0]), issue?.message ?? 'is not valid');
}

/** Empty settings count as not set, as in a `.env` file whose lines were left blank. */
export function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string> {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(set);
}

/**
 * The settings, those named in `secrets` taken from the file that `<NAME>_FILE` names, where it is set.
 *
 * @throws {BadSetting} when the file cannot be read, or the setting is given twice
 */
export function withSecretFiles(
  environment: NodeJS.ProcessEnv,
  secrets: readonly string[],
): Record<string, string> {
  const values = withoutEmpty(environment);
  for (const name of secrets) {
    const file = values[`${name}_FILE`];
    if (file === undefined) continue;
    if (values[name] !== undefined)
      throw new BadSetting(`${name}_FILE`, `is set beside ${name}; set one of the two`);
    try {
      values[name] = readFileSync(file, 'utf8').trimEnd();
    } catch (error) {
      throw new BadSetting(`${name}_FILE`, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return values;
}

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { bucketAddress } from './documents/address.js';
import { defined } from './messages/defined.js';
import { DEFAULT_TASK_QUEUE } from './messages/ids.js';
import type { Lane } from './messages/task-queues.js';
import { type Destination, destinationOf } from './news/destinations.js';
import type { SenderOptions } from './news/sender.js';
import type { BankingSettings } from './partners/banking/client.js';
import { NEUTRAL_SEGMENT } from './partners/banking/operations.js';
import type { PartnerSettings } from './partners/clients.js';
import { isLoopback, isSecureOrLoopback } from './partners/http.js';
import { NEUTRAL_KEY_HEADER, type PaymentsSettings } from './partners/payments/client.js';
import { type PayloadKeys, payloadKeys } from './temporal/payload-keys.js';

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
  .transform((text) => Number.parseFloat(text) * UNITS[text.replace(/[\d.]/g, '') as keyof typeof UNITS]);

const url = z.string().refine((text) => URL.canParse(text), { error: 'must be a URL', abort: true });

const partnerUrl = url.refine(
  (text) => isSecureOrLoopback(new URL(text)),
  'must be https (http only to loopback)',
);

const names = z.string().transform((list) =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);

/** `host:port` to listen on. */
export const listenAddress = z
  .string()
  .regex(/^[^:\s]+:\d{1,5}$/, 'must be host:port, such as 127.0.0.1:8081')
  .transform((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  });

/** A token opens everything, so it must be one that nobody guesses. */
const TOKEN = /^[\w.~+/=-]{32,}$/;

/** Off unless it says `true`. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .default(false);

/** Values that are separated by commas. */
export const list = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));

/** Bearer tokens of callers, separated by commas. */
export const bearerTokens = list.refine(
  (tokens) => tokens.every((token) => TOKEN.test(token)),
  'each token must be 32 or more letters, digits or signs of "._~+/=-", such as openssl rand -hex 32 makes',
);

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = { min: 24, max: 64 };

/** Secrets that sign events, separated by commas. */
export const signingSecrets = list.refine(
  (secrets) => secrets.every(isSigningSecret),
  'each secret must be whsec_ and 24 to 64 bytes in base64, such as echo "whsec_$(openssl rand -base64 32)" makes',
);

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
  .default(3_000);

/** Where files are kept. */
const storePlace = z
  .string()
  .refine((place) => bucketAddress(place) !== 'malformed', 'must be a folder, or s3://bucket/prefix');

/** A rate, which may be less than one. */
const perSecond = z
  .string()
  .regex(
    /^(?!0+(\.0*)?$)\d{1,6}(\.\d{1,3})?$/,
    'must be a number above 0 and below 1000000, such as 5 or 0.5',
  )
  .transform(Number);

const settings = z.object({
  GANGWAY_TASK_QUEUE: z.string().default(DEFAULT_TASK_QUEUE),
  GANGWAY_POLL_MIN: duration.default(60_000),
  GANGWAY_POLL_MAX: duration.default(3_600_000),
  PAYLOAD_KEYS: payloadKeys.optional(),
  GANGWAY_HEALTH_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 8081 }),
  GANGWAY_METRICS_ADDRESS: listenAddress.optional(),
  GANGWAY_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  GANGWAY_UI_URL: url.optional(),
  BOARDING_URL: partnerUrl.optional(),
  BOARDING_USERNAME: z.string().optional(),
  BOARDING_PASSWORD: z.string().optional(),
  BOARDING_POS_NAMES: names.default([]),
  BOARDING_ACTIVITIES_PER_SECOND: perSecond.optional(),
  BANKING_URL: partnerUrl.optional(),
  BANKING_USERNAME: z.string().optional(),
  BANKING_PASSWORD: z.string().optional(),
  BANKING_DEVICE_TOKEN: z.string().optional(),
  BANKING_DEVICE_NAME: z.string().default('gangway'),
  BANKING_TOTP_SECRET: z
    .string()
    .regex(/^[A-Za-z2-7\s-]+=*$/, 'must be base32')
    .optional(),
  BANKING_PARTNER_ID: z.string().optional(),
  BANKING_PATH_SEGMENT: z
    .string()
    .regex(/^[\w.~-]+$/, 'must be one path segment')
    .default(NEUTRAL_SEGMENT),
  BANKING_ACTIVITIES_PER_SECOND: perSecond.optional(),
  EVENTS_URLS: list
    .refine((urls) => urls.every((text) => URL.canParse(text)), 'each must be a URL')
    .default([]),
  EVENTS_SECRETS: signingSecrets.default([]),
  EVENTS_TO_LOOPBACK: flag,
  PLANT_STORE_URL: partnerUrl.optional(),
  PLANT_STORE_TOKEN: z.string().optional(),
  PLANT_STORE_ACTIVITIES_PER_SECOND: perSecond.optional(),
  PAYMENTS_URL: partnerUrl.optional(),
  PAYMENTS_ENVIRONMENT: z.enum(['uat', 'production'], 'must be uat or production').optional(),
  PAYMENTS_API_KEY: z.string().optional(),
  PAYMENTS_API_KEY_HEADER: z
    .string()
    .regex(/^[\w.~+-]+$/, 'must be the name of a header')
    .default(NEUTRAL_KEY_HEADER),
  PAYMENTS_ACTIVITIES_PER_SECOND: perSecond.optional(),
  PROCESSOR_URL: partnerUrl.optional(),
  PROCESSOR_API_KEY: z.string().optional(),
  PROCESSOR_ACTIVITIES_PER_SECOND: perSecond.optional(),
  DOCUMENT_DIR: storePlace.default('documents'),
  STATEMENT_DIR: storePlace.default('statements'),
  S3_ENDPOINT: partnerUrl.optional(),
});

/** Settings that may come from the file that `<NAME>_FILE` names, instead of the environment. */
export const SECRETS: readonly string[] = [
  'PAYLOAD_KEYS',
  'BOARDING_PASSWORD',
  'BANKING_PASSWORD',
  'BANKING_DEVICE_TOKEN',
  'BANKING_TOTP_SECRET',
  'EVENTS_URLS',
  'EVENTS_SECRETS',
  'PLANT_STORE_TOKEN',
  'PAYMENTS_API_KEY',
  'PROCESSOR_API_KEY',
];

export interface Config extends PartnerSettings {
  readonly taskQueue: string;
  /** Bounds of the wait between two status reads, in milliseconds. */
  readonly poll: { readonly minMs: number; readonly maxMs: number };
  /** undefined when PAYLOAD_KEYS is not set: payloads are in the clear. */
  readonly payloadKeys: PayloadKeys | undefined;
  readonly healthAddress: { readonly host: string; readonly port: number };
  /** undefined when nobody is to read metrics. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: string;
  /** Where the Temporal Web UI is, for links. */
  readonly uiUrl: string | undefined;
  /** How many activities may begin in a second over all workers, by lane; one that is left out has no limit. */
  readonly activitiesPerSecond: Readonly<Partial<Record<Lane, number>>>;
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
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const set = readSettings(settings, withSecretFiles(environment, SECRETS));
  if (set.GANGWAY_POLL_MIN > set.GANGWAY_POLL_MAX) {
    throw new BadSetting('GANGWAY_POLL_MIN', 'must not be longer than GANGWAY_POLL_MAX');
  }
  return {
    taskQueue: set.GANGWAY_TASK_QUEUE,
    poll: { minMs: set.GANGWAY_POLL_MIN, maxMs: set.GANGWAY_POLL_MAX },
    payloadKeys: set.PAYLOAD_KEYS,
    healthAddress: set.GANGWAY_HEALTH_ADDRESS,
    metricsAddress: set.GANGWAY_METRICS_ADDRESS,
    logLevel: set.GANGWAY_LOG_LEVEL,
    uiUrl: set.GANGWAY_UI_URL,
    boarding: set.BOARDING_URL
      ? {
          url: set.BOARDING_URL,
          username: required('BOARDING_USERNAME', set.BOARDING_USERNAME),
          password: required('BOARDING_PASSWORD', set.BOARDING_PASSWORD),
        }
      : undefined,
    banking: set.BANKING_URL ? bankingFrom(set.BANKING_URL, set) : undefined,
    activitiesPerSecond: defined({
      boarding: set.BOARDING_ACTIVITIES_PER_SECOND,
      banking: set.BANKING_ACTIVITIES_PER_SECOND,
      'plant-store': set.PLANT_STORE_ACTIVITIES_PER_SECOND,
      payments: set.PAYMENTS_ACTIVITIES_PER_SECOND,
      processor: set.PROCESSOR_ACTIVITIES_PER_SECOND,
    }),
    plantStore: set.PLANT_STORE_URL
      ? { url: set.PLANT_STORE_URL, token: required('PLANT_STORE_TOKEN', set.PLANT_STORE_TOKEN) }
      : undefined,
    payments: set.PAYMENTS_URL ? paymentsFrom(set.PAYMENTS_URL, set) : undefined,
    processor: set.PROCESSOR_URL
      ? { url: set.PROCESSOR_URL, apiKey: required('PROCESSOR_API_KEY', set.PROCESSOR_API_KEY) }
      : undefined,
    posNames: set.BOARDING_POS_NAMES,
    events: eventsFrom(set),
    documentDir: set.DOCUMENT_DIR,
    statementDir: set.STATEMENT_DIR,
    s3Endpoint: set.S3_ENDPOINT,
  };
}

/** News is signed, and goes to https only, or to this very machine where that was chosen. */
function eventsFrom(set: z.output<typeof settings>): Config['events'] {
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

/** A partner ID makes us a partner, who asks for tokens in a form of its own (apis/1, Token request). */
function bankingFrom(url: string, set: z.output<typeof settings>): BankingSettings {
  const { BANKING_TOTP_SECRET: totpSecret, BANKING_PARTNER_ID: partnerId } = set;
  return {
    url,
    username: required('BANKING_USERNAME', set.BANKING_USERNAME),
    password: required('BANKING_PASSWORD', set.BANKING_PASSWORD),
    deviceToken: required('BANKING_DEVICE_TOKEN', set.BANKING_DEVICE_TOKEN),
    deviceName: set.BANKING_DEVICE_NAME,
    pathSegment: set.BANKING_PATH_SEGMENT,
    form: partnerId === undefined ? 'user' : 'partner',
    ...defined({ totpSecret, partnerId }),
  };
}

/** How host names speak of the one environment, where the other one was meant. */
const SPEAKS_OF_THE_OTHER = {
  uat: /(^|[.-])(prod|production|live)([.-]|$)/i,
  production: /(^|[.-])(uat|sandbox|test|staging)([.-]|$)/i,
} as const;

/**
 * The contract has a URL for UAT and one for production, and nothing in them that tells which is which. So it is said
 * beside the URL; a URL of this machine is taken for UAT.
 */
function paymentsFrom(text: string, set: z.output<typeof settings>): PaymentsSettings {
  const url = new URL(text);
  const environment = isLoopback(url)
    ? (set.PAYMENTS_ENVIRONMENT ?? 'uat')
    : required('PAYMENTS_ENVIRONMENT', set.PAYMENTS_ENVIRONMENT);
  if (SPEAKS_OF_THE_OTHER[environment].test(url.hostname)) {
    throw new BadSetting('PAYMENTS_ENVIRONMENT', `is ${environment}, and the host of PAYMENTS_URL is not`);
  }
  return {
    url: text,
    environment,
    apiKey: required('PAYMENTS_API_KEY', set.PAYMENTS_API_KEY),
    apiKeyHeader: set.PAYMENTS_API_KEY_HEADER,
  };
}

/** @throws {BadSetting} naming the first setting that breaks its rule */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  const parsed = schema.safeParse(withoutEmpty(environment));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadSetting(String(issue?.path[0]), issue?.message ?? 'is not valid');
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

function required<Value>(setting: string, value: Value | undefined): Value {
  if (value === undefined) throw new BadSetting(setting, 'is not set');
  return value;
}

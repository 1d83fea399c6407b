import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { shapeOf } from '../schemas/shape.js';

/**
 * The parts of all settings: formats, and the way to read them. Each folder declares the settings that it uses, and each process
 * composes them. The `meta` of a schema has what docs/configuration.md shows: `description`, `format`, `unset` (the effect of
 * omitting the setting, if that is not its default), and `secret`. It also has `address`: whether the process connects to the
 * value. Of a bucket, it names the setting with another endpoint.
 */

// Keeps B1.
/**
 * Thrown for an invalid setting. The message is one line that names the setting, never its value.
 * @example new BadSetting('BOARDING_URL', 'must be an https URL').message // 'BOARDING_URL: must be an https URL'
 */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
  constructor(
    readonly setting: string,
    rule: string,
  ) {
    super(`${setting}: ${rule}`);
  }
}

/** Why a value is unsafe although it works, to follow the setting's name, and what to do about it. */
export interface Advice {
  readonly why: string;
  readonly fix: string;
}

/** @param set all values of the schema, by setting */
type Advise = (
  value: never,
  name: string,
  set: Readonly<Record<string, unknown>>,
) => Advice | false | undefined;

const advised = z.registry<{ readonly advise: Advise }>();

/** Adds advice about unsafe values to a setting, for `gangway doctor`. */
export function withAdvice<Schema extends z.ZodType>(
  schema: Schema,
  advise: (value: z.output<Schema>, ...rest: Tail<Parameters<Advise>>) => ReturnType<Advise>,
): Schema {
  const copy: z.ZodType = schema.clone();
  return copy.register(advised, { advise: advise as Advise }) as unknown as Schema;
}

type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;

export function adviceAbout({ shape }: z.ZodObject, set: Readonly<Record<string, unknown>>, prefix = '') {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const advice = advised.get(schema as z.ZodType)?.advise(set[name] as never, prefix + name, set);
    return advice ? [{ ...advice, why: `${prefix}${name} ${advice.why}` }] : [];
  });
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `200ms`, `1m`, `1h`, in milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'must be a duration such as 200ms, 1m or 1h')
  .transform((text) => Number.parseFloat(text) * UNITS[text.replace(/[\d.]/g, '') as keyof typeof UNITS])
  .meta({ format: 'duration: `200ms`, `1m`, `1h`' });

export const listenAddress = z
  .string()
  .regex(/^[^:\s]+:\d{1,5}$/, 'must be host:port, such as 127.0.0.1:8081')
  .transform((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  })
  .meta({ format: '`host:port`', address: false });

/** Returns advice about an address without a token. */
export function unlessLoopback(address: { readonly host: string } | undefined, name: string): Advice | false {
  return (
    address !== undefined &&
    !isLoopbackHost(address.host) && {
      why: 'accepts connections from other machines',
      fix: `restrict them with a firewall, or set ${name} to a loopback address`,
    }
  );
}

export const metricsAddress = (process: string) =>
  withAdvice(
    listenAddress.optional().meta({
      description: `Where the ${process} serves \`/metrics\`.`,
      unset: 'no metrics',
    }),
    unlessLoopback,
  );

/** A token gives full access, so it must be too long to guess. */
const TOKEN = /^[\w.~+/=-]{32,}$/;

export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .prefault('false')
  .transform((text) => text === 'true');

export const listSetting = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .meta({ format: 'comma-separated list' });

export const bearerTokens = listSetting
  .refine(
    (tokens) => tokens.every((token) => TOKEN.test(token)),
    'each token must be 32 or more letters, digits or signs of "._~+/=-", such as the output of: openssl rand -hex 32',
  )
  .meta({ format: 'list of tokens with at least 32 characters', secret: true });

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = { min: 24, max: 64 };

export const signingSecrets = listSetting
  .refine(
    (secrets) => secrets.every(isSigningSecret),
    'each secret must be whsec_ and 24 to 64 bytes in base64, such as the output of: echo "whsec_$(openssl rand -base64 32)"',
  )
  .meta({ format: 'list of `whsec_<base64>`', secret: true });

export function isSigningSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(base64, 'base64');
  const { min, max } = SECRET_BYTES;
  return bytes.toString('base64') === base64 && bytes.length >= min && bytes.length <= max;
}

/** An address, or a network as CIDR, except /0, which would be everyone. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith('/0'));

export const trustedProxies = listSetting
  .refine(
    (networks) => networks.every((text) => network.safeParse(text).success),
    'each must be an address or a network, such as 10.0.0.7 or 10.0.0.0/24',
  )
  .default([])
  .meta({
    description: 'Proxies whose `X-Forwarded-For` is trusted.',
    format: 'list of addresses and networks',
    address: false,
  });

/** A process connects to it, unless the setting has `address: false`. */
export const url = z
  .string('is not set')
  .refine((text) => URL.canParse(text), { error: 'must be a URL', abort: true })
  .meta({ format: 'URL', address: true });

/** A URL that credentials and private data may be sent to. */
export const secureUrl = url
  .refine((text) => isSecureOrLoopback(new URL(text)), 'must be https (http only to loopback)')
  .meta({ format: 'https URL', address: true });

/** The public address of the merchant's page, for the page itself and for processes that create links. */
export const linkUrl = secureUrl
  .refine((text) => new URL(text).href === `${new URL(text).origin}/`, 'must be an address without a path')
  .transform((text) => new URL(text).origin)
  .meta({
    description: 'Public address of the merchant’s page (docs/links.md). Links begin with it.',
    unset: 'nobody can ask a merchant',
    address: false,
  });

/** Reports whether nobody on the way can read the traffic: https, or http to this machine. */
export function isSecureOrLoopback(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/**
 * With `NODE_TLS_REJECT_UNAUTHORIZED=0`, Node accepts any certificate, so an impostor could get our credentials or sign people in.
 * Only a process that connects only to this machine may run with it.
 *
 * @param setting the setting with the server's address
 * @param isLocal whether the server is on this machine
 * @throws {BadSetting}
 */
export function requireCertificates(environment: NodeJS.ProcessEnv, setting: string, isLocal: boolean): void {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || isLocal) return;
  const why = `is 0, so anyone could pose as the server of ${setting}; it is for loopback only`;
  throw new BadSetting('NODE_TLS_REJECT_UNAUTHORIZED', `${why}. Name the CA in NODE_EXTRA_CA_CERTS instead`);
}

function addressesIn(schema: z.ZodObject, set: Readonly<Record<string, unknown>>): [string, unknown][] {
  return [...shapeOf(schema).fields].flatMap(([name, { address }]): [string, unknown][] => {
    const isReplaced = typeof address === 'string' && set[address] !== undefined;
    return address && !isReplaced ? [set[name]].flat().map((value) => [name, value]) : [];
  });
}

/** Reports whether a value leads to this machine, as a folder or a missing value does. */
function isHere(value: unknown): boolean {
  const address = URL.parse(String(value));
  return address === null || (/^https?:$/.test(address.protocol) && isLoopbackHost(address.hostname));
}

/** Returns the settings of a schema that are secrets. Each may come from a file, `<NAME>_FILE`. */
export function secretsOf(schema: z.ZodObject): string[] {
  return [...shapeOf(schema).fields].flatMap(([name, { secret }]) => (secret ? [name] : []));
}

export function withPrefix(prefix: string, { shape }: z.ZodObject): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [prefix + name, schema]));
}

/**
 * Reads settings, and the files with secrets. In the environment, each name begins with the prefix. @throws {BadSetting}
 * @example readSettings(z.object({ RETRIES: z.coerce.number() }), { RETRIES: '3' }).RETRIES // 3
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
  prefix = '',
): z.output<Schema> {
  const secrets = secretsOf(schema).map((name) => prefix + name);
  const values = Object.entries(withSecretFiles(environment, secrets)).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
  );
  const parsed = schema.safeParse(Object.fromEntries(values));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadSetting(prefix + String(issue?.path[0]), issue?.message ?? 'is not valid');
  }
  for (const [name, value] of addressesIn(schema, parsed.data))
    requireCertificates(environment, prefix + name, isHere(value));
  return parsed.data;
}

/**
 * Returns the environment with each secret from the file that `<NAME>_FILE` names. Empty settings count as not set, as in a `.env`
 * file with blank values. Checks secrets here, because a partner may lock an account after a few wrong passwords.
 *
 * @throws {BadSetting} if the file is unreadable, the secret itself is also set, or it is obviously wrong
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv, secrets: readonly string[]) {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const values = Object.fromEntries(set);
  for (const name of secrets) {
    const [file, value] = [values[`${name}_FILE`], values[name]];
    if (file !== undefined && value !== undefined)
      throw new BadSetting(`${name}_FILE`, `is set as well as ${name}; set one of the two`);
    if (file !== undefined) values[name] = secretIn(`${name}_FILE`, file);
    // `echo` and editors add a line end, even to a secret that Kubernetes makes a variable.
    else if (value !== undefined) values[name] = requirePlain(name, value.replace(/\r?\n$/, ''));
  }
  return values;
}

/** Reads a secret from a file, without trailing white space. @throws {BadSetting} with the problem of the file */
export function secretIn(setting: string, file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new BadSetting(setting, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!isUtf8(bytes)) throw new BadSetting(setting, 'is not UTF-8');
  return requirePlain(setting, bytes.toString().trimEnd());
}

/** Rejects a secret that looks empty, or contains an invisible character that nobody types. */
function requirePlain(setting: string, secret: string): string {
  if (secret.trim() === '') throw new BadSetting(setting, 'is empty');
  // Keyboards of some languages have the joiners.
  if (/(?![\t\r\n\u200c\u200d])[\p{Cc}\p{Cf}]/u.test(secret))
    throw new BadSetting(setting, 'has an invisible character, such as a byte order mark');
  return secret;
}

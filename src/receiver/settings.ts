import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { knownSecrets } from '../http/bearer.js';
import { type KnownAccounts, knownAccounts } from '../messages/inputs.js';
import { isSecureOrLoopback } from '../partners/http.js';
import {
  BadSetting,
  bearerTokens,
  isSigningSecret,
  list,
  listenAddress,
  loadConfig,
  readSettings,
  requestsPerMinute,
  signingSecrets,
  withSecretFiles,
} from '../settings/settings.js';
import type { PayloadKeys } from '../temporal/payload-codec.js';
import { Problem } from './problems.js';
import { type IdField, idFields } from './webhook-ids.js';

/** A visible id of reasonable length, as its sender makes it up. */
const MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;

/** Seconds since 1970. The library would take what merely begins with a number. */
const TIMESTAMP = /^\d{1,12}$/;

/**
 * Checks the signature of a body.
 *
 * @throws {Problem} `bad-signature`
 */
export type CheckSignature = (headers: IncomingHttpHeaders, body: string) => void;

/**
 * Signatures by Standard Webhooks: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, at most five minutes
 * old. Any of the secrets will do, so that they can be changed without a gap.
 *
 * @param secrets `whsec_<base64>` each
 */
export function signatureCheck(secrets: readonly string[]): CheckSignature {
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return (headers, body) => {
    const given = signatureHeaders(headers);
    // Each is tried, so that time does not tell which one it was.
    const matching = webhooks.filter((webhook) => verifies(webhook, body, given));
    if (matching.length === 0) throw refused('no signature fits, or the timestamp is five minutes off');
  };
}

function signatureHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const given = names.map((name) => [name, headers[name]] as const);
  const missing = given.filter(([, value]) => typeof value !== 'string' || value === '');
  if (missing.length > 0) throw refused(`missing: ${missing.map(([name]) => name).join(', ')}`);
  const set = Object.fromEntries(given) as Record<string, string>;
  if (!MESSAGE_ID.test(set['webhook-id'] ?? '')) throw refused('webhook-id is not an id');
  if (!TIMESTAMP.test(set['webhook-timestamp'] ?? '')) throw refused('webhook-timestamp is not in seconds');
  return set;
}

function verifies(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

function refused(detail: string): Problem {
  return new Problem('bad-signature', detail);
}

/** The partners whose webhooks are taken. */
export const WEBHOOK_PARTNERS = ['banking', 'boarding', 'processor'] as const;

export type WebhookPartner = (typeof WEBHOOK_PARTNERS)[number];

/** The setting that says how a partner's deliveries show that they are the partner's. */
export function authSetting<Partner extends WebhookPartner>(partner: Partner) {
  return `RECEIVER_${partner.toUpperCase() as Uppercase<Partner>}_AUTH` as const;
}

export interface WebhookRules {
  /** How deliveries show that they are the partner's; none to take no deliveries. */
  readonly senders: readonly SenderRule[];
  readonly idFields: readonly IdField[];
}

/** How a partner's deliveries show that they are the partner's. */
export type SenderRule =
  | { readonly kind: 'signature'; readonly secret: string }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'path'; readonly secret: string }
  | { readonly kind: 'none' };

export interface SentDelivery {
  readonly headers: IncomingHttpHeaders;
  /** What stands behind the name of the partner in the path. */
  readonly secret: string | undefined;
  readonly body: string;
}

/**
 * `signature:whsec_<base64>`, `header:<name>:<value>`, `path:<secret>`, several with commas, of which any will do; or
 * `none` alone.
 */
export const senderRules = list
  .refine(
    (entries) => entries.every((entry) => ruleFrom(entry) !== undefined),
    'each must be signature:whsec_<base64>, header:<name>:<16 or more characters>, ' +
      'path:<32 or more letters, digits or signs of "._~-">, or none',
  )
  .transform((entries) => entries.map(ruleFrom).filter((rule) => rule !== undefined))
  .refine((rules) => rules.length === 1 || !takesAnyone(rules), 'none goes with nothing else');

function ruleFrom(entry: string): SenderRule | undefined {
  if (entry === 'none') return { kind: 'none' };
  const [, kind, rest = ''] = /^(signature|header|path):(.*)$/.exec(entry) ?? [];
  if (kind === 'signature' && isSigningSecret(rest)) return { kind, secret: rest };
  if (kind === 'path' && /^[\w.~-]{32,200}$/.test(rest)) return { kind, secret: rest };
  const [, name, value] = /^([\w-]+):([\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e])$/.exec(rest) ?? [];
  if (kind === 'header' && name && value) return { kind, name: name.toLowerCase(), value };
  return undefined;
}

/** Whether deliveries are taken from whoever sends them. */
export function takesAnyone(rules: readonly SenderRule[]): boolean {
  return rules.some(({ kind }) => kind === 'none');
}

/** Tells the deliveries that fit one of the rules. Each rule is tried, so that time does not tell which one it was. */
export function senderCheck(rules: readonly SenderRule[]): (delivery: SentDelivery) => boolean {
  const checks = rules.map(checkOf);
  return (delivery) => checks.map((fits) => fits(delivery)).includes(true);
}

function checkOf(rule: SenderRule): (delivery: SentDelivery) => boolean {
  switch (rule.kind) {
    case 'signature': {
      const check = signatureCheck([rule.secret]);
      return ({ headers, body }) => {
        try {
          check(headers, body);
          return true;
        } catch {
          return false;
        }
      };
    }
    case 'header': {
      const position = knownSecrets([rule.value]);
      return ({ headers }) => position(String(headers[rule.name])) === 0;
    }
    case 'path': {
      const position = knownSecrets([rule.secret]);
      return ({ secret = '' }) => position(secret) === 0;
    }
    case 'none':
      return () => true;
  }
}

/** Settings of the receiver that may come from the file that `<NAME>_FILE` names. */
export const RECEIVER_SECRETS: readonly string[] = [
  'RECEIVER_SECRETS',
  'RECEIVER_TOKENS',
  ...WEBHOOK_PARTNERS.map(authSetting),
];

/** An address, or a network as CIDR. One of /0 would be everyone. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith('/0'));

const settings = z.object({
  RECEIVER_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 8082 }),
  RECEIVER_SECRETS: signingSecrets.default([]),
  RECEIVER_TOKENS: bearerTokens.default([]),
  RECEIVER_REQUESTS_PER_MINUTE: requestsPerMinute,
  RECEIVER_TRUSTED_PROXIES: list
    .refine(
      (networks) => networks.every((text) => network.safeParse(text).success),
      'each must be an address or a network, such as 10.0.0.7 or 10.0.0.0/24',
    )
    .default([]),
  RECEIVER_BANKING_AUTH: senderRules.default([]),
  RECEIVER_BOARDING_AUTH: senderRules.default([]),
  RECEIVER_PROCESSOR_AUTH: senderRules.default([]),
  RECEIVER_BANKING_ID_FIELDS: idFields.prefault(
    'profileId:BankingProfileId,merchantProfileId:MerchantProfileId',
  ),
  RECEIVER_BOARDING_ID_FIELDS: idFields.prefault(
    'merchantProfileId:MerchantProfileId,mid:Mid,guid:externalId',
  ),
  RECEIVER_PROCESSOR_ID_FIELDS: idFields.prefault('client_reference_id:externalId'),
});

export interface ReceiverSettings extends KnownAccounts {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** `whsec_<base64>`; none to take events that nobody has signed. */
  readonly secrets: readonly string[];
  /** Bearer tokens of those who may call `/onboardings`; none to let nobody. */
  readonly tokens: readonly string[];
  /** Of one token, or of one address without; webhooks of each partner are counted by themselves. */
  readonly requestsPerMinute: number;
  /** Addresses and networks of proxies in front, which are believed when they say who asks. */
  readonly trustedProxies: readonly string[];
  /** Whose webhooks are taken, and what of them is looked at. */
  readonly hints: Readonly<Record<WebhookPartner, WebhookRules>>;
  readonly payloadKeys: PayloadKeys | undefined;
  readonly taskQueue: string;
  readonly logLevel: string;
}

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadReceiverSettings(environment: NodeJS.ProcessEnv): ReceiverSettings {
  const set = readSettings(settings, withSecretFiles(environment, RECEIVER_SECRETS));
  const { host, port } = set.RECEIVER_ADDRESS;
  const isOpen = !isSecureOrLoopback(new URL(`http://${host}`));
  if (isOpen && set.RECEIVER_SECRETS.length === 0) {
    const why = 'anyone could start onboardings; only a receiver on loopback takes unsigned events';
    throw new BadSetting('RECEIVER_SECRETS', `is not set: ${why}`);
  }
  for (const name of WEBHOOK_PARTNERS.map(authSetting)) {
    if (isOpen && takesAnyone(set[name]))
      throw new BadSetting(name, 'none is for a receiver on loopback only');
  }
  const { payloadKeys, taskQueue, logLevel, ...config } = loadConfig(environment);
  return {
    host,
    port,
    secrets: set.RECEIVER_SECRETS,
    tokens: set.RECEIVER_TOKENS,
    requestsPerMinute: set.RECEIVER_REQUESTS_PER_MINUTE,
    trustedProxies: set.RECEIVER_TRUSTED_PROXIES,
    hints: {
      banking: { senders: set.RECEIVER_BANKING_AUTH, idFields: set.RECEIVER_BANKING_ID_FIELDS },
      boarding: { senders: set.RECEIVER_BOARDING_AUTH, idFields: set.RECEIVER_BOARDING_ID_FIELDS },
      processor: { senders: set.RECEIVER_PROCESSOR_AUTH, idFields: set.RECEIVER_PROCESSOR_ID_FIELDS },
    },
    ...{ payloadKeys, taskQueue, logLevel },
    ...knownAccounts(config),
  };
}

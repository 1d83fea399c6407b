import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { knownAccounts } from '../../messages/inputs.js';
import { accountNames, readWordings } from '../../partners/account-settings.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName, settingsPrefix } from '../../partners/descriptors.js';
import type { IdField } from '../../partners/partner.js';
import { storeSettings } from '../../platform/documents/open-store.js';
import { knownSecrets, REQUESTS_PER_MINUTE } from '../../platform/http/server.js';
import { logSettings } from '../../platform/process/logging.js';
import {
  type Advice,
  BadSetting,
  isLoopbackHost,
  isSecureOrLoopback,
  isSigningSecret,
  listenAddress,
  listSetting,
  metricsAddress,
  readSettings,
  signingSecrets,
  trustedProxies,
  withAdvice,
  withPrefix,
} from '../../platform/settings/settings.js';
import { followPeople, peopleSettings } from '../../services/inbox/people.js';
import { linkCreationSettings, linksFrom, readTemplates } from '../../services/links/create-link.js';
import { temporalClientSettings } from '../../temporal/connection.js';
import { followFeePlans } from '../../temporal/fee-plans.js';
import { clientList } from './clients.js';
import { Problem } from './problems.js';

/** An ID that the sender chooses: visible characters, of reasonable length. */
const MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;

/** Seconds since 1970. The library would accept any text that begins with a number. */
const TIMESTAMP = /^\d{1,12}$/;

/**
 * Checks the signature of a body.
 *
 * @throws {Problem} `bad-signature`
 */
export type CheckSignature = (headers: IncomingHttpHeaders, body: string) => void;

/**
 * Signatures by Standard Webhooks: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, at most five minutes old. A
 * signature with any of the secrets is valid, so that secrets can be rotated without a gap.
 *
 * @param secrets `whsec_<base64>` each
 */
export function signatureCheck(secrets: readonly string[]): CheckSignature {
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return (headers, body) => {
    const signature = signatureHeaders(headers);
    // Try each secret, so that the time does not reveal which one matched.
    const matching = webhooks.filter((webhook) => verifies(webhook, body, signature));
    if (matching.length === 0)
      throw badSignature('no signature is valid, or the timestamp is more than five minutes off');
  };
}

function signatureHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const pairs = names.map((name) => [name, headers[name]] as const);
  const missing = pairs.filter(([, value]) => typeof value !== 'string' || value === '');
  if (missing.length > 0) throw badSignature(`missing: ${missing.map(([name]) => name).join(', ')}`);
  const set = Object.fromEntries(pairs) as Record<string, string>;
  if (!MESSAGE_ID.test(set['webhook-id'] ?? '')) throw badSignature('webhook-id is not an id');
  if (!TIMESTAMP.test(set['webhook-timestamp'] ?? ''))
    throw badSignature('webhook-timestamp is not in seconds');
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

function badSignature(detail: string): Problem {
  return new Problem('bad-signature', detail);
}

export const WEBHOOK_PARTNERS = SYSTEM_NAMES.filter((system) => PARTNERS[system].webhooks !== undefined);

export function authSetting(partner: SystemName): string {
  return `${webhookPrefix(partner)}AUTH`;
}

function webhookPrefix(partner: SystemName): string {
  return `RECEIVER_${settingsPrefix(partner)}`;
}

export interface WebhookRules {
  /** The ways in which webhooks authenticate. Empty: webhooks of this partner are off. */
  readonly senders: readonly SenderRule[];
  readonly idFields: readonly IdField[];
}

export type SenderRule =
  | { readonly kind: 'signature'; readonly secret: string }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'path'; readonly secret: string }
  | { readonly kind: 'none' };

/**
 * `signature:whsec_<base64>`, `header:<name>:<value>`, `path:<secret>`, or several with commas, each of which is enough; or
 * `none` alone.
 */
const senderRules = listSetting
  .refine(
    (entries) => entries.every((entry) => ruleFrom(entry) !== undefined),
    'each must be signature:whsec_<base64>, header:<name>:<16 or more characters>, ' +
      'path:<32 or more letters, digits or signs of "._~-">, or none',
  )
  .transform((entries) => entries.map(ruleFrom).filter((rule) => rule !== undefined))
  .refine((rules) => rules.length === 1 || !acceptsAnyone(rules), 'none cannot be combined with other forms')
  .meta({
    format:
      'list of `signature:whsec_<base64>`, `header:<name>:<value>` and `path:<secret of 32 or more characters>`, or `none`',
  });

function ruleFrom(entry: string): SenderRule | undefined {
  if (entry === 'none') return { kind: 'none' };
  const [, kind, rest = ''] = /^(signature|header|path):(.*)$/.exec(entry) ?? [];
  if (kind === 'signature' && isSigningSecret(rest)) return { kind, secret: rest };
  if (kind === 'path' && /^[\w.~-]{32,200}$/.test(rest)) return { kind, secret: rest };
  const [, name, value] = /^([\w-]+):([\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e])$/.exec(rest) ?? [];
  if (kind === 'header' && name && value) return { kind, name: name.toLowerCase(), value };
  return undefined;
}

export function acceptsAnyone(rules: readonly SenderRule[]): boolean {
  return rules.some(({ kind }) => kind === 'none');
}

/** A rule as a check of headers, body, and the part of the path after the partner's name. */
type FitsWebhook = (headers: IncomingHttpHeaders, body: string, secret?: string) => boolean;

/** Checks webhooks against the rules. Each rule is tried, so that the time does not reveal which one it was. */
export function senderCheck(rules: readonly SenderRule[]): FitsWebhook {
  const checks = rules.map(checkOf);
  return (...webhook) => checks.map((fits) => fits(...webhook)).includes(true);
}

function checkOf(rule: SenderRule): FitsWebhook {
  if (rule.kind === 'none') return () => true;
  if (rule.kind === 'signature') {
    const check = signatureCheck([rule.secret]);
    return (headers, body) => {
      try {
        check(headers, body);
        return true;
      } catch {
        return false;
      }
    };
  }
  const position = knownSecrets([rule.kind === 'header' ? rule.value : rule.secret]);
  return (headers, _, secret = '') =>
    position(rule.kind === 'header' ? String(headers[rule.name]) : secret) === 0;
}

const partnerWebhookSettings = z.object({
  AUTH: withAdvice(
    senderRules.default([]).meta({
      description:
        'How a webhook proves that this partner sent it. Any entry suffices. `none` is for loopback only.',
      unset: 'webhooks are rejected',
      secret: true,
    }),
    weakSender,
  ),
});

/** Shortest safe value, in characters, for a header that a partner chooses. */
const MIN_HEADER = 32;

function weakSender(rules: readonly SenderRule[], name: string): Advice | false {
  if (acceptsAnyone(rules))
    return {
      why: 'is none: anyone who reaches the receiver can send webhooks',
      fix: `set ${name} to signature:..., header:... or path:... (docs/events.md)`,
    };
  const weak = rules.find((rule) => rule.kind === 'header' && rule.value.length < MIN_HEADER);
  return (
    weak?.kind === 'header' && {
      why: `has a value of ${weak.name} that is shorter than ${MIN_HEADER} characters`,
      fix: `set ${name} to a longer value, here and at the partner`,
    }
  );
}

function webhookRules(partner: SystemName, environment: NodeJS.ProcessEnv): WebhookRules {
  const set = readSettings(partnerWebhookSettings, environment, webhookPrefix(partner));
  return { senders: set.AUTH, idFields: PARTNERS[partner].webhooks?.idFields ?? [] };
}

export const webhookSettings: z.ZodObject = z.object(
  Object.assign({}, ...WEBHOOK_PARTNERS.map((one) => withPrefix(webhookPrefix(one), partnerWebhookSettings))),
);

export const receiverSettings = z.object({
  ...accountNames.shape,
  ...temporalClientSettings.shape,
  ...logSettings.shape,
  DOCUMENT_DIR: storeSettings.shape.DOCUMENT_DIR,
  AWS_ENDPOINT_URL_S3: storeSettings.shape.AWS_ENDPOINT_URL_S3,
  RECEIVER_ADDRESS: withAdvice(
    listenAddress
      .prefault('127.0.0.1:8082')
      .describe(
        'Where the receiver listens. Outside loopback, it requires `RECEIVER_SECRETS` and a TLS proxy in front.',
      ),
    ({ host }) =>
      !isLoopbackHost(host) && {
        why: 'accepts connections from other machines',
        fix: 'put a proxy with TLS in front of it (docs/deployment.md)',
      },
  ),
  RECEIVER_METRICS_ADDRESS: metricsAddress('receiver'),
  RECEIVER_SECRETS: withAdvice(
    signingSecrets.default([]).describe('Secrets that sign onboarding events. List several to rotate them.'),
    (secrets, name) =>
      secrets.length === 0 && {
        why: 'is not set: anyone who reaches the receiver can send events',
        fix: `set ${name} to what echo "whsec_$(openssl rand -base64 32)" prints`,
      },
  ),
  ...linkCreationSettings.shape,
  API_CLIENTS_FILE: z.string().optional().meta({
    description: 'File with the [clients](api.md#clients) of the HTTP API. Read again when it changes.',
    format: 'path',
    unset: 'the API refuses everybody',
  }),
  ...peopleSettings.shape,
  RECEIVER_TRUSTED_PROXIES: trustedProxies,
});

export type ReceiverSettings = Readonly<ReturnType<typeof loadReceiverSettings>>;

/** @throws {BadSetting} with the first invalid setting */
export function loadReceiverSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(receiverSettings, environment);
  const { host, port } = set.RECEIVER_ADDRESS;
  const isOpen = !isSecureOrLoopback(new URL(`http://${host}`));
  if (isOpen && set.RECEIVER_SECRETS.length === 0) {
    const why = 'anyone could start onboardings; only a receiver on loopback accepts unsigned events';
    throw new BadSetting('RECEIVER_SECRETS', `is not set: ${why}`);
  }
  const webhooks = WEBHOOK_PARTNERS.map((partner) => [partner, webhookRules(partner, environment)] as const);
  const open = webhooks.find(([, { senders }]) => acceptsAnyone(senders));
  if (isOpen && open) throw new BadSetting(authSetting(open[0]), 'none is allowed only on loopback');
  const accounts = knownAccounts(readWordings(environment));
  const names = Object.keys(accounts.accounts);
  if (set.API_CLIENTS_FILE !== undefined) clientList(set.API_CLIENTS_FILE, names).lastGood();
  readTemplates(set.LINK_TEMPLATES_FILE);
  return {
    host,
    port,
    secrets: set.RECEIVER_SECRETS,
    clientsFile: set.API_CLIENTS_FILE,
    people: followPeople(set.GANGWAY_PEOPLE_FILE, names),
    ...linksFrom(set),
    documentDir: set.DOCUMENT_DIR,
    metricsAddress: set.RECEIVER_METRICS_ADDRESS,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    trustedProxies: set.RECEIVER_TRUSTED_PROXIES,
    webhooks: Object.fromEntries(webhooks) as Partial<Record<SystemName, WebhookRules>>,
    payloadKeys: set.PAYLOAD_KEYS,
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    fourEyes: set.GANGWAY_FOUR_EYES,
    logLevel: set.GANGWAY_LOG_LEVEL,
    ...accounts,
    feePlans: followFeePlans(set.GANGWAY_FEE_PLANS),
  };
}

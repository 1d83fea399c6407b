import type { IncomingHttpHeaders } from 'node:http';
import { isSigningSecret, list } from '../config.js';
import { knownSecrets } from '../http/known-secrets.js';
import type { IdField } from './hint-ids.js';
import { signatureCheck } from './signatures.js';

/** The partners whose webhooks are taken. */
export const HINTING_PARTNERS = ['banking', 'boarding', 'processor'] as const;

export type HintingPartner = (typeof HINTING_PARTNERS)[number];

/** The setting that says how a partner's deliveries show that they are the partner's. */
export function authSetting<Partner extends HintingPartner>(partner: Partner) {
  return `RECEIVER_${partner.toUpperCase() as Uppercase<Partner>}_AUTH` as const;
}

export interface HintRules {
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

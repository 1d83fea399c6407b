import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Problem } from './problems.js';

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

import { hash } from 'node:crypto';
import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { Deadline, retryAfterMs } from '../http/deadline.js';
import { connectorFor } from '../http/proxy.js';
import { BadSetting, flag, isSecureOrLoopback, listSetting, signingSecrets } from '../settings/settings.js';

export const eventSettings = z.object({
  EVENTS_URLS: listSetting
    .refine((urls) => urls.every((text) => URL.canParse(text)), 'each must be a URL')
    .default([])
    .meta({
      description: 'Where [outbound events](events.md#outbound-events) go: https URLs.',
      secret: true,
      address: true,
    }),
  EVENTS_SECRETS: signingSecrets
    .default([])
    .describe('Secrets that sign outbound events. List several to rotate them. Required with `EVENTS_URLS`.'),
  EVENTS_TO_LOOPBACK: flag.describe('Allows `EVENTS_URLS` on this machine, with http as well.'),
});

export type EventSettings = Readonly<ReturnType<typeof createEventSender>>;

/** Creates a sender of signed events, only to https or, if allowed, to this machine. @throws {BadSetting} */
export function createEventSender(set: z.output<typeof eventSettings>) {
  const { EVENTS_URLS: urls, EVENTS_SECRETS: secrets, EVENTS_TO_LOOPBACK: toLoopback } = set;
  const isAllowed = (url: URL) => url.protocol === 'https:' || (toLoopback && isSecureOrLoopback(url));
  const rule = 'each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)';
  if (!urls.every((url) => isAllowed(new URL(url)))) throw new BadSetting('EVENTS_URLS', rule);
  if (urls.length > 0 && secrets.length === 0) throw new BadSetting('EVENTS_SECRETS', 'is not set');
  return { secrets, toLoopback, destinations: urls.map(destinationOf) };
}

/** Standard Webhooks recommends 15 to 30 seconds. */
const TIMEOUT_MS = 20_000;

/** The body of a response is not used. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Sends outbound events to subscribers: CloudEvents in structured mode, signed by Standard Webhooks. Follows no redirects. */
export class EventSender {
  readonly #webhooks: readonly Webhook[];
  readonly #toLoopback: boolean;
  readonly #agent: Agent;

  /** Each secret signs, so subscribers can rotate theirs without a gap. */
  constructor({ secrets, toLoopback }: Pick<EventSettings, 'secrets' | 'toLoopback'>) {
    this.#webhooks = secrets.map((secret) => new Webhook(secret));
    this.#toLoopback = toLoopback;
    this.#agent = new Agent({
      connect: connectorFor({ lookup: guardedLookup(toLoopback), timeout: TIMEOUT_MS }),
      maxResponseSize: MAX_RESPONSE_BYTES,
    });
  }

  /** @throws {ForbiddenAddress}, or the error of a request without a response */
  async send(event: { readonly id: string }, url: string, signal?: AbortSignal) {
    this.#refuseForbidden(new URL(url));
    const body = JSON.stringify(event);
    const deadline = new Deadline({ ms: TIMEOUT_MS, until: signal });
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents+json', ...this.#signed(event.id, body) },
        body,
        dispatcher: this.#agent,
        signal: deadline.signal,
      });
      await response.body.dump();
      const { statusCode: status, headers } = response;
      const wait = retryAfterMs(headers['retry-after']);
      return { status, ...(wait && { retryAfterMs: wait }) };
    } finally {
      deadline.release();
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** An address in the URL itself is never looked up. */
  #refuseForbidden({ hostname }: URL): void {
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !isAllowed(address, this.#toLoopback)) throw new ForbiddenAddress();
  }

  #signed(id: string, body: string): Record<string, string> {
    const now = new Date();
    return {
      'webhook-id': id,
      'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}`,
      'webhook-signature': this.#webhooks.map((webhook) => webhook.sign(id, now, body)).join(' '),
    };
  }
}

export type Destination = Readonly<ReturnType<typeof destinationOf>>;

/**
 * Returns an ID for a URL, for Temporal, logs and output: short, and without a secret that the URL may contain. The same URL always
 * has the same ID.
 */
export function destinationOf(url: string) {
  const { hostname } = new URL(url);
  return { id: `${hostname.replace(/[^\w.-]/g, '')}-${hash('sha256', url).slice(0, 8)}`, url };
}

/** Thrown for an address in a private network, to which nobody outside may make us send anything. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor() {
    super('the subscriber has a private address');
  }
}

/**
 * Reports whether events may be sent to an IP address: public ones, and loopback if allowed. An address that contains another one
 * (IPv4 in IPv6, NAT64) does not count as public.
 */
export function isAllowed(address: string, toLoopback: boolean): boolean {
  const range = ipaddr.process(address).range();
  return range === 'unicast' || (range === 'loopback' && toLoopback);
}

/**
 * Looks up names, and rejects those that resolve to a forbidden address. It checks the address that is then used, so a name cannot
 * resolve to another one in between. A proxy looks names up itself, and decides where to connect.
 */
function guardedLookup(toLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (addresses.some(({ address }) => !isAllowed(address, toLoopback)))
        return callback(new ForbiddenAddress(), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

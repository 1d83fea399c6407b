import { createHash } from 'node:crypto';
import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { Deadline } from '../http/deadline.js';
import type { OutboundEvent } from '../messages/outbound-events.js';

export interface SenderOptions {
  /** `whsec_<base64>`. Each signs, so that receivers can change theirs without a gap. */
  readonly secrets: readonly string[];
  /** Whether news may go to this very machine. */
  readonly toLoopback: boolean;
}

/** What a receiver answered. */
export interface Receipt {
  readonly status: number;
  /** How long it wants to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Standard Webhooks wants 15 to 30 seconds. */
const TIMEOUT_MS = 20_000;

/** Nobody reads the answer's body. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends events to receivers: CloudEvents in structured mode, signed by Standard Webhooks. Follows no redirects. */
export class EventSender {
  readonly #webhooks: readonly Webhook[];
  readonly #toLoopback: boolean;
  readonly #agent: Agent;

  constructor({ secrets, toLoopback }: SenderOptions) {
    this.#webhooks = secrets.map((secret) => new Webhook(secret));
    this.#toLoopback = toLoopback;
    this.#agent = new Agent({
      connect: { lookup: guardedLookup(toLoopback), timeout: TIMEOUT_MS },
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  /** @throws {ForbiddenAddress}, or whatever kept the receiver from answering */
  async send(news: OutboundEvent, url: string, signal?: AbortSignal): Promise<Receipt> {
    this.#refuseForbidden(new URL(url));
    const body = JSON.stringify(news);
    const deadline = new Deadline({ ms: TIMEOUT_MS, until: signal });
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents+json', ...this.#signed(news.id, body) },
        body,
        dispatcher: this.#agent,
        signal: deadline.signal,
      });
      await answer.body.dump();
      const { statusCode: status, headers } = answer;
      const seconds = Number(headers['retry-after']);
      return { status, ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }) };
    } finally {
      deadline.release();
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** An address that is written in the URL itself is never looked up. */
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

/** Where news goes. */
export interface Destination {
  /** What Temporal, logs and people call it: short, and without what a URL may hide. */
  readonly id: string;
  readonly url: string;
}

/** The same URL always has the same id. */
export function destinationOf(url: string): Destination {
  const { hostname } = new URL(url);
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8);
  return { id: `${hostname.replace(/[^\w.-]/g, '')}-${hash}`, url };
}

/** A receiver is at an address of our own network, where nobody outside may send us. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor() {
    super('the receiver is at a private address');
  }
}

/**
 * Whether news may go to an IP address: public ones, and loopback where that was chosen. Addresses that carry another
 * one inside (IPv4 in IPv6, NAT64) do not count as public.
 */
export function isAllowed(address: string, toLoopback: boolean): boolean {
  const range = ipaddr.process(address).range();
  return range === 'unicast' || (range === 'loopback' && toLoopback);
}

/**
 * Looks names up and refuses those that lead to a forbidden address. The check is on the very address that is connected
 * to, so a name cannot change its mind in between.
 */
export function guardedLookup(toLoopback: boolean): LookupFunction {
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

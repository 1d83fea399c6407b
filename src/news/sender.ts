import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { Deadline } from '../http/deadline.js';
import type { News } from '../messages/news.js';
import { ForbiddenAddress, guardedLookup, isAllowed } from './address-guard.js';

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
export class NewsSender {
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
  async send(news: News, url: string, signal?: AbortSignal): Promise<Receipt> {
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

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { News } from '../messages/news.js';

/** Plays the system beside Gangway: it asks for onboardings by events, and is told by events how they get on. */
export interface Crm {
  /** Each event once, however often it was told. */
  readonly told: ReadonlyMap<string, News>;
  /** Has the receiver take someone aboard. @throws {Error} when it does not answer 202 */
  ask(receiverUrl: string, type: string, data: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** @param secret `whsec_<base64>`, which signs both ways */
export async function startCrm(port: number, secret: string): Promise<Crm> {
  const webhook = new Webhook(secret);
  const told = new Map<string, News>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      const news = webhook.verify(body, request.headers as Record<string, string>) as News;
      told.set(news.id, news);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    told,
    async ask(receiverUrl, type, data) {
      const now = new Date();
      const id = `crm-${now.getTime()}`;
      const body = JSON.stringify({ specversion: '1.0', id, source: 'crm', type, data });
      const { status } = await fetch(`${receiverUrl}/events`, {
        method: 'POST',
        headers: {
          'content-type': 'application/cloudevents+json',
          'webhook-id': id,
          'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}`,
          'webhook-signature': webhook.sign(id, now, body),
        },
        body,
      });
      if (status !== 202) throw new Error(`the receiver answered ${status}; see .cache/demo/receiver.log`);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

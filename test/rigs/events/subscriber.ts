import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { listening } from '../listening.js';
import type { Until } from '../shared.js';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** An event as it arrived, checked by the packages that subscribers use. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Subscriber {
  readonly url: string;
  /** The events in the order in which they arrived. */
  readonly received: readonly Received[];
  /** The response from now on. */
  response: { status: number; headers?: Record<string, string> };
}

/** Receives outbound events over HTTP. The response to a request that is not a signed CloudEvent is 401. */
export async function subscriber(secret = SECRET, until?: Until): Promise<Subscriber> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { headers } = request;
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      const event = HTTP.toEvent<Record<string, unknown>>({ headers, body });
      if (Array.isArray(event)) throw new Error('a batch');
      new CloudEvent(event, true);
      received.push({
        id: event.id,
        type: event.type,
        data: event.data ?? {},
        body,
        headers,
        at: Date.now(),
      });
    } catch {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(it.response.status, it.response.headers).end();
  });
  const url = `http://${await listening(server, until)}/events`;
  const it: Subscriber = { url, received, response: { status: 204 } };
  return it;
}

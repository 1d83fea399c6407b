import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import type { OutboundEvent } from '../../../../src/messages/outbound-events.js';
import { EventSender } from '../../../../src/platform/events/sender.js';
import { listening } from '../../../rigs/listening.js';
import { testEnds } from '../../../rigs/shared.js';
import { machineIn, ZONES } from '../../../rigs/zones.js';

const SECRETS = [7, 8, 9].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);

it.each(ZONES)(
  'each attempt of a machine in %s has all headers, and is signed with every secret',
  async (zone) => {
    machineIn(zone);
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ headers: request.headers, body });
      response.writeHead(received.length === 1 ? 503 : 204, { 'retry-after': '7' }).end();
    });
    const sender = new EventSender({ secrets: SECRETS, toLoopback: true });
    testEnds(() => sender.close());
    const url = `http://${await listening(server)}/events`;
    const events = ['run-1.1', 'run-1.1', 'run-1.2'].map(
      (id) => ({ id, type: 'requirement.raised.v1' }) as OutboundEvent,
    );
    const replies = [];
    for (const event of events) replies.push(await sender.send(event, url));
    expect(replies).toEqual([503, 204, 204].map((status) => ({ status, retryAfterMs: 7_000 })));
    for (const [place, { headers, body }] of received.entries()) {
      expect(headers).toMatchObject({
        'content-type': 'application/cloudevents+json',
        'webhook-id': events[place]?.id,
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      });
      // A receiver refuses a signature whose time differs from its own by five minutes.
      const signatures = String(headers['webhook-signature']).split(' ');
      expect(signatures).toHaveLength(SECRETS.length);
      for (const [index, secret] of SECRETS.entries()) {
        const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
        const signed = {
          'webhook-id': String(id),
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatures[index] ?? '',
        };
        expect(new Webhook(secret).verify(body, signed)).toEqual(events[place]);
      }
    }
  },
);

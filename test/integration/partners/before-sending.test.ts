import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpLimits, PartnerHttp, type TransportError } from '../../../src/partners/http.js';
import { closedPort, recordingServer, responding, socketServer } from '../../rigs/partners/servers.js';

const WRITE = { method: 'POST', path: '/', headers: {}, body: '{}', ownConnection: true } as const;

function httpOf(url: string, limits: Partial<HttpLimits> = {}): PartnerHttp {
  const http = new PartnerHttp(url, limits);
  onTestFinished(() => http.close());
  return http;
}

const failureOf = (call: Promise<unknown>) => call.catch((error: TransportError) => error);

/** A partner that only listens, and the bytes that it received. */
async function listener() {
  let bytes = 0;
  let open!: () => void;
  let close!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const { url } = await socketServer((socket) => {
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.once('close', close);
    open();
  });
  return { url, opened, closed, bytes: () => bytes };
}

describe('what a write does before it is sent', () => {
  it('happens on an established connection, before the first byte', async () => {
    const partner = await recordingServer(responding(200, '{}'));
    const seen: number[] = [];
    const beforeSending = async () => {
      seen.push(partner.requests.length);
      // A byte that did not wait has arrived by then.
      await fetch(partner.url);
      seen.push(partner.requests.filter(({ line }) => line.startsWith('POST')).length);
    };
    const { status } = await httpOf(partner.url).send({ ...WRITE, beforeSending });
    expect(status).toBe(200);
    expect(seen).toEqual([0, 0]);
  });

  it('may refuse the write, and then no byte is sent', async () => {
    const { url, opened, closed, bytes } = await listener();
    const beforeSending = async () => {
      await opened;
      throw new Error('no');
    };
    const failure = await failureOf(httpOf(url).send({ ...WRITE, beforeSending }));
    expect(failure).toMatchObject({ sent: false });
    await closed;
    expect(bytes()).toBe(0);
  });

  it('does not happen when the partner cannot be reached', async () => {
    let happened = 0;
    const beforeSending = async () => {
      happened += 1;
    };
    const url = `http://127.0.0.1:${await closedPort()}`;
    const failure = await failureOf(httpOf(url).send({ ...WRITE, beforeSending }));
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', sent: false });
    expect(happened).toBe(0);
  });

  it.each(['end', 'resetAndDestroy'] as const)(
    'sees that the partner has closed the connection meanwhile (%s): the write goes out once, on a new one',
    async (how) => {
      const connections: Socket[] = [];
      const requests: string[] = [];
      const { url } = await socketServer((socket) => {
        const isFirst = connections.push(socket) === 1;
        socket.on('error', () => {});
        socket.on('data', (chunk) => {
          requests.push(String(chunk).split(' ')[0] ?? '');
          if (!isFirst) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        });
      });
      const beforeSending = async () => {
        const [first] = connections;
        first?.[how]();
      };
      const { status } = await httpOf(url).send({ ...WRITE, beforeSending });
      expect(status).toBe(200);
      expect(connections).toHaveLength(2);
      expect(requests).toEqual(['POST']);
    },
  );

  it('happens for two writes at a time, so that no more are marked without being sent', async () => {
    const partner = await recordingServer(responding(200, '{}'));
    const http = httpOf(partner.url);
    const waiting: (() => void)[] = [];
    let most = 0;
    const beforeSending = () =>
      new Promise<void>((resolve) => {
        most = Math.max(most, waiting.push(resolve));
      });
    const writes = Array.from({ length: 5 }, () => http.send({ ...WRITE, beforeSending }));
    for (let sent = 0; sent < 5; sent += 1) {
      await expect.poll(() => waiting.length).toBe(Math.min(2, 5 - sent));
      waiting.shift()?.();
    }
    for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
    expect(most).toBe(2);
  });

  it('may take longer than a connection may be idle: the write goes out once, on a new one', async () => {
    const partner = await recordingServer(responding(200, '{}'));
    const beforeSending = async () => undefined;
    const http = httpOf(partner.url, { idleTimeoutMs: 0 });
    await http.send({ ...WRITE, beforeSending });
    // The connection is replaced before and after it.
    expect(partner.requests).toMatchObject([{ connection: 3 }]);
  });
});

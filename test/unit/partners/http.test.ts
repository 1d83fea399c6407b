import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { observers } from '../../../src/partners/exchange-observers.js';
import {
  type HttpDownload,
  type HttpResponse,
  type PartnerHttp,
  TransportError,
} from '../../../src/partners/http.js';
import { stoppedAt } from '../../rigs/clock.js';
import { failureOf as errorOf } from '../../rigs/partners/failure.js';
import {
  isClosed,
  type MemoryOptions,
  memoryPartner,
  response,
  settled,
} from '../../rigs/partners/memory.js';

const READ = { method: 'GET', path: '/', headers: {}, ownConnection: false } as const;
const WRITE = { method: 'POST', path: '/', headers: {}, body: '{}', ownConnection: true } as const;
const BOTH = [['read', READ] as const, ['write', WRITE] as const];

const failureOf = (call: Promise<unknown>) => errorOf(call, TransportError);

/** Time that only the test moves, except that of headers and of bodies, for which undici has a timer of its own. */
const stoppedClock = () => stoppedAt(0, ['setTimeout', 'clearTimeout', 'performance']);

/** A promise that the test resolves. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Writes whose step before sending ends when the test opens its gate, and the places of those that have begun it. */
function gated(http: PartnerHttp, gates: readonly ReturnType<typeof gate>[]) {
  const start: number[] = [];
  const before = (place: number, { opened }: ReturnType<typeof gate>) => {
    start.push(place);
    return opened;
  };
  const calls = gates.map((each, place) => http.send({ ...WRITE, beforeSending: () => before(place, each) }));
  return { start, calls };
}

const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

type Respond = NonNullable<MemoryOptions['respond']>;

const silent: Respond = () => undefined;
const saying =
  (...parts: (string | Buffer)[]): Respond =>
  (connection) =>
    parts.map((part) => connection.write(part));

async function downloaded(started: Promise<HttpResponse | HttpDownload>): Promise<HttpDownload> {
  const download = await started;
  if (!('chunks' in download)) throw new Error('expected a body that has not arrived yet');
  return download;
}

async function textOf({ chunks }: HttpDownload): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

describe('the address of a partner', () => {
  it.each([
    ['http://127.0.0.1:1', '/'],
    ['http://127.0.0.1:1/', '/'],
    ['http://127.0.0.1:1/base', '/base/'],
    ['http://127.0.0.1:1/a//b//', '/a//b/'],
  ])('%s is where requests go, below its path', async (url, path) => {
    const { http, requests, targets } = memoryPartner({ url });
    await http.send(READ);
    expect(requests[0]).toMatch(new RegExp(`^GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:1\r\n`));
    expect(targets).toEqual([{ hostname: '127.0.0.1', protocol: 'http:', port: '1' }]);
  });
});

describe('a request', () => {
  const POSTED = { ...WRITE, path: '/cards?id=7', headers: { 'x-key': 'k' }, body: '{"name":"é"}' };
  it.each([
    ['write', 2, POSTED, 'POST /cards?id=7', 'close\r\nx-key: k\r\ncontent-length: 13', '{"name":"é"}'],
    ['read', 1, READ, 'GET /', 'keep-alive', ''],
  ] as const)(
    'of a %s is sent byte for byte, twice on %i connections',
    async (_, count, request, ...told) => {
      const { http, requests, connections } = memoryPartner({ limits: { connections: 1 } });
      for (const _ of [1, 2]) await http.send(request);
      const [line, head, body] = told;
      const sent = `${line} HTTP/1.1\r\nhost: 127.0.0.1:1\r\nconnection: ${head}\r\n\r\n${body}`;
      expect([requests, connections.length]).toEqual([[sent, sent], count]);
    },
  );

  it.each(BOTH)('of a %s resolves with the response, whatever its status', async (_, request) => {
    const said = response('no', 'HTTP/1.1 503 Unavailable\r\nRetry-After: 7\r\nx: 1\r\nx: 2');
    const { http } = memoryPartner({ respond: saying(said.subarray(0, 90), said.subarray(90)) });
    const { status, headers, body } = await http.send(request);
    expect([status, String(body)]).toEqual([503, 'no']);
    expect(headers).toEqual({ 'retry-after': '7', x: ['1', '2'], 'content-length': '2' });
  });

  // Catches a create whose outcome is unknown because a proxy sends an interim response that nobody asked for (RFC 9110, 15.2).
  it.each([
    ['alone', ['HTTP/1.1 100 Continue\r\n\r\n', response('{"id":7}')]],
    ['with headers', ['HTTP/1.1 100 Continue\r\nvia: 1.1 proxy\r\n\r\n', response('{"id":7}')]],
    ['in one packet with the response', [`HTTP/1.1 100 Continue\r\n\r\n${response('{"id":7}')}`]],
  ])('that writes may get 100 Continue before its response: %s', async (_, parts) => {
    const { http } = memoryPartner({
      respond: async (connection) => {
        for (const part of parts) {
          connection.write(part);
          await settled();
        }
      },
    });
    const { status, body } = await http.send(WRITE);
    expect([status, body.toString()]).toEqual([200, '{"id":7}']);
  });

  it('connects within the time for that, reads by any protocol, and writes by HTTP/1.1', async () => {
    const { http, connectors } = memoryPartner({ limits: { connectTimeoutMs: 70 } });
    await http.send(WRITE);
    expect(connectors).toEqual([{ timeout: 70 }, { timeout: 70, allowH2: false }]);
  });

  it.each(BOTH)('of a %s waits while as many as allowed are under way', async (_, request) => {
    const { http, requests, connections } = memoryPartner({ respond: silent, limits: { connections: 1 } });
    const calls = [1, 2].map(() => http.send(request));
    await settled();
    expect(requests).toHaveLength(1);
    connections[0]?.write(response('{}'));
    await calls[0];
    await settled();
    expect(requests).toHaveLength(2);
    connections.at(-1)?.write(response('{}'));
    await calls[1];
  });

  it('that gets a 429 waits for an hour at most unless another limit is given', () => {
    expect(memoryPartner().http.maxRetryAfterMs).toBe(3_600_000);
    expect(memoryPartner({ limits: { maxRetryAfterMs: 5 } }).http.maxRetryAfterMs).toBe(5);
  });
});

describe('a response may be as large as allowed', () => {
  const TOO_LARGE = { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE', sent: true };

  describe.each(BOTH)('to a %s', (_, request) => {
    it.each<[string, number | undefined, number, boolean]>([
      ['by the client', undefined, 10, true],
      ['by the client', undefined, 11, false],
      ['by the operation', 5, 5, true],
      ['by the operation', 5, 6, false],
      ['by the client, where the operation allows more', 20, 11, false],
    ])('%s (%s), and has %i bytes: %s', async (_by, maxBytes, bytes, fits) => {
      const { http } = memoryPartner({
        respond: saying(response('x'.repeat(bytes))),
        limits: { maxBodyBytes: 10 },
      });
      const call = http.send({ ...request, ...(maxBytes !== undefined && { maxBytes }) });
      if (fits) expect((await call).body).toHaveLength(bytes);
      else expect(await failureOf(call)).toMatchObject(TOO_LARGE);
    });
  });

  it('and a chunked one counts as a whole', async () => {
    const chunk = '4\r\nxxxx\r\n';
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const { http } = memoryPartner({ respond: saying(head, chunk, chunk, '0\r\n\r\n') });
    expect((await http.send({ ...WRITE, maxBytes: 8 })).body).toHaveLength(8);
    expect(await failureOf(http.send({ ...WRITE, maxBytes: 7 }))).toMatchObject(TOO_LARGE);
  });
});

describe('a failed call', () => {
  it.each(BOTH)('of a %s was not sent if there was no connection', async (_, request) => {
    const { http } = memoryPartner({ connect: (connected) => queueMicrotask(() => connected(REFUSED)) });
    expect(await failureOf(http.send(request))).toMatchObject({
      name: 'TransportError',
      message: 'ECONNREFUSED',
      code: 'ECONNREFUSED',
      sent: false,
      cause: REFUSED,
    });
  });

  const HALF = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{';
  const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
  const LATER: [string, Respond, object][] = [
    ['the connection was cut later', (connection) => connection.destroy(), { code: 'UND_ERR_SOCKET' }],
    ['its body is not complete', (connection) => connection.end(HALF), {}],
    ['the partner switches protocols', saying(UPGRADE), {}],
  ];
  it.each(BOTH.flatMap((each) => LATER.map((later) => [...each, ...later] as const)))(
    'of a %s was sent if %s',
    async (_, request, __, respond, failure) => {
      const { http } = memoryPartner({ respond });
      expect(await failureOf(http.send(request))).toMatchObject({ ...failure, sent: true });
    },
  );

  it.each<[unknown, string]>([
    [new RangeError('no'), 'RangeError'],
    [Object.assign(new Error('no'), { code: 'E_OWN' }), 'E_OWN'],
    [Object.assign(new Error('no'), { code: 7 }), 'Error'],
    [new DOMException('no', 'AbortError'), 'AbortError'],
    ['no', 'unknown'],
  ])('has the code, or else the name, of its cause: %s', async (cause, code) => {
    const { http } = memoryPartner();
    const beforeSending = () => Promise.reject(cause);
    expect(await failureOf(http.send({ ...WRITE, beforeSending }))).toMatchObject({
      code,
      sent: false,
      cause,
    });
  });

  it.each(BOTH)('of a %s leaves no timer and no listener, and neither does a success', async (_, request) => {
    stoppedClock();
    const { signal } = new AbortController();
    const fine = memoryPartner({ respond: (connection) => connection.end(response('{}')) });
    await fine.http.send({ ...request, signal });
    const bad = memoryPartner({ respond: (connection) => connection.destroy() });
    await failureOf(bad.http.send({ ...request, signal }));
    await settled();
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    for (const { connections } of [fine, bad]) expect(connections.map(isClosed)).toEqual([true]);
  });
});

describe('the time of a call', () => {
  it('ends at its limit even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const { http } = memoryPartner({ respond: collectGarbage, limits: { totalTimeoutMs: 20 } });
    const { signal } = new AbortController();
    const failures = [{}, { signal }].map((more) => failureOf(http.send({ ...READ, ...more })));
    for (const failure of failures) expect(await failure).toMatchObject({ code: 'TimeoutError', sent: true });
  });

  it.each(BOTH)('of a %s ends at its limit, and not sooner', async (_, request) => {
    stoppedClock();
    const { http, connections } = memoryPartner({ respond: silent, limits: { totalTimeoutMs: 400 } });
    let failure: TransportError | undefined;
    const call = failureOf(http.send({ ...request, body: null } as never)).then((error) => {
      failure = error;
    });
    await settled();
    vi.advanceTimersByTime(399);
    await settled();
    expect(failure).toBeUndefined();
    vi.advanceTimersByTime(1);
    await call;
    expect(failure).toMatchObject({ code: 'TimeoutError', sent: true });
    await settled();
    expect(isClosed(connections[0])).toBe(true);
  });

  it.each(BOTH)('of a %s includes its body', async (_, request) => {
    stoppedClock();
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{';
    const { http } = memoryPartner({ respond: saying(half), limits: { totalTimeoutMs: 400 } });
    const failure = failureOf(http.send(request));
    await settled();
    vi.advanceTimersByTime(400);
    expect(await failure).toMatchObject({ code: 'TimeoutError', sent: true });
  });

  it.each([
    ['headers', 'headersTimeoutMs', '', 'UND_ERR_HEADERS_TIMEOUT'],
    ['body', 'bodyTimeoutMs', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', 'UND_ERR_BODY_TIMEOUT'],
  ])('until the %s come has a limit of its own', async (_, limit, said, code) => {
    const limits = { [limit]: 1 };
    const failures = [READ, WRITE].map((request) =>
      failureOf(memoryPartner({ respond: saying(said), limits }).http.send(request)),
    );
    for (const failure of failures) expect(await failure).toMatchObject({ code, sent: true });
  });
});

describe('a caller that gives up', () => {
  const GAVE_UP = { code: 'AbortError', sent: false };

  it.each(BOTH)('before the call makes no connection for a %s', async (_, request) => {
    const { http, targets } = memoryPartner();
    expect(await failureOf(http.send({ ...request, signal: AbortSignal.abort() }))).toMatchObject(GAVE_UP);
    await settled();
    expect(targets).toEqual([]);
  });

  it.each(BOTH)('while a %s waits for others never sends it', async (_, request) => {
    const caller = new AbortController();
    const { http, requests, connections } = memoryPartner({ respond: silent, limits: { connections: 1 } });
    const first = http.send({ ...request, path: '/first' });
    const second = failureOf(http.send({ ...request, path: '/second', signal: caller.signal }));
    await settled();
    caller.abort();
    expect(await second).toMatchObject(GAVE_UP);
    connections[0]?.write(response('{}'));
    await first;
    await settled();
    expect(requests.map((one) => one.split(' ')[1])).toEqual(['/first']);
    expect(connections).toHaveLength(1);
  });

  it.each(BOTH)('while a %s is connecting never sends it', async (_, request) => {
    const caller = new AbortController();
    let connect = () => {};
    const { http, requests, connections } = memoryPartner({
      connect: (connected) => {
        connect = () => connected(null);
      },
    });
    const failure = failureOf(http.send({ ...request, signal: caller.signal }));
    await settled();
    caller.abort();
    expect(await failure).toMatchObject(GAVE_UP);
    connect();
    await settled();
    expect(requests).toEqual([]);
    if (request === WRITE) expect(isClosed(connections[0])).toBe(true);
  });

  it.each(BOTH)('of a %s that was sent disconnects', async (_, request) => {
    const caller = new AbortController();
    const { http, connections } = memoryPartner({ respond: () => caller.abort() });
    const failure = await failureOf(http.send({ ...request, signal: caller.signal }));
    expect(failure).toMatchObject({ code: 'AbortError', sent: true });
    await settled();
    expect(isClosed(connections[0])).toBe(true);
  });
});

describe('what a write does before it is sent', () => {
  it('happens on its connection, before the first byte', async () => {
    const { http, requests, connections } = memoryPartner();
    const { open, opened } = gate();
    let connected = 0;
    const beforeSending = () => {
      connected = connections.length;
      return opened;
    };
    const call = http.send({ ...WRITE, beforeSending });
    await settled();
    expect([connected, requests]).toEqual([1, []]);
    open();
    expect((await call).status).toBe(200);
    expect([connections.length, requests.length]).toEqual([1, 1]);
  });

  it('may refuse the write: no byte is sent, and the connection is closed', async () => {
    const { http, requests, connections } = memoryPartner();
    const beforeSending = () => Promise.reject(new Error('no'));
    expect(await failureOf(http.send({ ...WRITE, beforeSending }))).toMatchObject({ sent: false });
    await settled();
    expect([requests, connections.map(isClosed)]).toEqual([[], [true]]);
  });

  it('does not happen without a connection', async () => {
    const beforeSending = vi.fn(async () => undefined);
    const { http } = memoryPartner({ connect: (connected) => queueMicrotask(() => connected(REFUSED)) });
    expect(await failureOf(http.send({ ...WRITE, beforeSending }))).toMatchObject({ sent: false });
    expect(beforeSending).not.toHaveBeenCalled();
  });

  it('happens for two writes at a time, so that no more have an intent without being sent', async () => {
    const { http, requests, connections } = memoryPartner();
    const gates = [gate(), gate(), gate()];
    const { start, calls } = gated(http, gates);
    await settled();
    expect([start, connections.length]).toEqual([[0, 1], 3]);
    // A write without such a step waits for none of them.
    await http.send(WRITE);
    gates[1]?.open();
    await settled();
    expect([start, requests.length]).toEqual([[0, 1, 2], 2]);
    for (const { open } of gates) open();
    await Promise.all(calls);
  });

  it('waits for its turn as long as it takes, and then has all the time of a call', async () => {
    stoppedClock();
    const { http, requests } = memoryPartner({ limits: { totalTimeoutMs: 400 } });
    const gates = [gate(), gate(), gate()];
    const { calls } = gated(http, gates);
    await settled();
    vi.advanceTimersByTime(399);
    for (const { open } of gates.slice(0, 2)) open();
    await settled();
    vi.advanceTimersByTime(399);
    gates[2]?.open();
    await Promise.all(calls);
    expect(requests).toHaveLength(3);
  });

  it.each([
    ['its time limit, which counts from its turn on', 'TimeoutError', () => void vi.advanceTimersByTime(400)],
    ['its caller gave up', 'AbortError', (caller: AbortController) => caller.abort()],
  ])('may end after %s: no byte is sent, and the connection is closed', async (_, code, end) => {
    stoppedClock();
    const { http, requests, connections } = memoryPartner({ limits: { totalTimeoutMs: 400 } });
    const { open, opened } = gate();
    const caller = new AbortController();
    const failure = failureOf(http.send({ ...WRITE, beforeSending: () => opened, signal: caller.signal }));
    await settled();
    end(caller);
    expect(await failure).toMatchObject({ code, sent: false });
    open();
    await settled();
    expect([requests, connections.map(isClosed)]).toEqual([[], [true]]);
  });

  /** A hundred writes whose step before sending takes this long. */
  async function taking(http: PartnerHttp, ms: number): Promise<void> {
    for (let write = 0; write < 100; write += 1)
      await http.send({ ...WRITE, beforeSending: async () => void vi.advanceTimersByTime(ms) });
  }

  it.each([
    [2, [0]],
    [2, [20]],
    [4, [40]],
    [8, [80]],
    [8, [60_000]],
    // It gets fast again.
    [2, [80, 10]],
  ])(
    'happens for %i writes at a time, first come, first served, after it took %j ms',
    async (places, took) => {
      stoppedClock();
      const { http } = memoryPartner({ limits: { totalTimeoutMs: 100_000 } });
      for (const ms of took) await taking(http, ms);
      const one = gate();
      const { start, calls } = gated(http, Array(12).fill(one));
      await settled();
      expect(start).toEqual([0, 1, 2, 3, 4, 5, 6, 7].slice(0, places));
      one.open();
      await Promise.all(calls);
      expect(start).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    },
  );

  it('does not happen for a caller that gave up while others were about to be sent', async () => {
    const { http, connections } = memoryPartner();
    const { open, opened } = gate();
    const calls = [1, 2].map(() => http.send({ ...WRITE, beforeSending: () => opened }));
    const caller = new AbortController();
    const beforeSending = vi.fn(async () => undefined);
    const failure = failureOf(http.send({ ...WRITE, beforeSending, signal: caller.signal }));
    await settled();
    caller.abort();
    expect(await failure).toMatchObject({ code: 'AbortError', sent: false });
    open();
    await Promise.all(calls);
    await settled();
    expect(beforeSending).not.toHaveBeenCalled();
    expect(isClosed(connections[2])).toBe(true);
  });

  describe.each(['end', 'destroy'] as const)('a connection that the partner has closed (%s)', (how) => {
    it('meanwhile is replaced, and the write is sent once', async () => {
      const { http, requests, connections } = memoryPartner();
      const beforeSending = async () => void connections[0]?.[how]();
      expect((await http.send({ ...WRITE, beforeSending })).status).toBe(200);
      expect([connections.length, requests.length]).toEqual([2, 1]);
    });

    it('while others were about to be sent is replaced before, and not after', async () => {
      const { http, requests, connections } = memoryPartner();
      const { open, opened } = gate();
      const calls = [1, 2].map(() => http.send({ ...WRITE, beforeSending: () => opened }));
      let connected = 0;
      const beforeSending = async () => {
        connected = connections.length;
      };
      const third = http.send({ ...WRITE, beforeSending });
      await settled();
      connections[2]?.[how]();
      await settled();
      open();
      await Promise.all([...calls, third]);
      expect([connected, connections.length, requests.length]).toEqual([4, 4, 3]);
    });
  });

  it.each([
    [999, 1],
    [1_000, 2],
  ])('may take %i ms, and is sent on connection %i', async (milliseconds, connection) => {
    stoppedClock();
    const { http, requests, connections } = memoryPartner();
    const beforeSending = async () => void vi.advanceTimersByTime(milliseconds);
    await http.send({ ...WRITE, beforeSending });
    await settled();
    expect([connections.length, requests.length]).toEqual([connection, 1]);
    expect(connections.map(isClosed)).toEqual(Array(connection).fill(true));
  });
});

describe('a download', () => {
  const head = (bytes: number, status = '200 OK') => `HTTP/1.1 ${status}\r\ncontent-length: ${bytes}\r\n\r\n`;
  const LIMITS = { maxBodyBytes: 4, maxDownloadBytes: 8 };

  it.each([200, 299])('of a %i begins before its end, on a connection of its own', async (status) => {
    const { http, requests, connections } = memoryPartner({
      respond: saying(head(8, `${status} x`), 'half'),
    });
    const download = await downloaded(http.download(READ));
    expect(download).toMatchObject({ status, headers: { 'content-length': '8' } });
    connections[0]?.write(' and');
    expect(await textOf(download)).toBe('half and');
    expect(requests[0]).toContain('connection: close');
  });

  const TOO_LARGE = { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE', sent: true };
  it.each([300, 404])('of a %i is a whole response, of the usual size', async (status) => {
    const responding = (body: string) =>
      memoryPartner({ respond: saying(response(body, `HTTP/1.1 ${status} x`)), limits: LIMITS }).http;
    const headers = { 'content-length': '4' };
    expect(await responding('four').download(READ)).toEqual({ status, headers, body: Buffer.from('four') });
    expect(await failureOf(responding('fives').download(READ))).toMatchObject(TOO_LARGE);
  });

  it('may be larger than other responses, up to its own limit', async () => {
    const { http } = memoryPartner({ respond: saying(response('12345678')), limits: LIMITS });
    expect(await textOf(await downloaded(http.download(READ)))).toBe('12345678');
    const chunked = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789\r\n0\r\n\r\n`;
    const large = memoryPartner({ respond: saying(chunked), limits: LIMITS });
    const failure = failureOf(large.http.download(READ).then((one) => textOf(one as HttpDownload)));
    expect(await failure).toMatchObject(TOO_LARGE);
  });

  it('that is cut fails, and its readers hear of the end', async () => {
    const { http, connections } = memoryPartner({ respond: saying(head(8), 'half') });
    const download = await downloaded(http.download(READ));
    const heard: unknown[][] = [[], []];
    for (const each of heard) download.eachChunk((chunk) => void each.push(chunk?.toString()));
    const text = textOf(download);
    await settled();
    connections[0]?.destroy();
    expect(await failureOf(text)).toMatchObject({ code: 'UND_ERR_SOCKET', sent: true });
    expect(heard).toEqual(Array(2).fill(['half', undefined]));
  });

  it('ends at the limit of the whole call', async () => {
    stoppedClock();
    const limits = { totalTimeoutMs: 400 };
    const { http } = memoryPartner({ respond: saying(head(8), 'half'), limits });
    const download = await downloaded(http.download(READ));
    const text = failureOf(textOf(download));
    await settled();
    vi.advanceTimersByTime(400);
    expect(await text).toMatchObject({ code: 'TimeoutError', sent: true });
  });

  it.each([
    ['before its end', saying(head(8), 'half'), false],
    ['after its end, which leaves no timer', undefined, true],
  ])('that is canceled %s closes its connection', async (_, respond, isWhole) => {
    stoppedClock();
    const { http, connections } = memoryPartner(respond && { respond });
    const download = await downloaded(http.download(READ));
    if (isWhole) expect(await textOf(download)).toBe('{}');
    download.cancel();
    await settled();
    expect([vi.getTimerCount(), isClosed(connections[0])]).toEqual([0, true]);
  });
});

it('a client that is closed reads no more', async () => {
  const { http } = memoryPartner();
  await http.send(READ);
  await http.close();
  expect(await failureOf(http.send(READ))).toMatchObject({ code: 'UND_ERR_DESTROYED', sent: false });
});

it('each of several observers sees the beginning and the end', () => {
  const ends = [vi.fn(), vi.fn()];
  const begins = ends.map((end) => vi.fn(() => end));
  const exchange = { system: 'boarding', operation: 'get-status', method: 'GET' };
  const call = { request: {} } as never;
  const received: HttpResponse = { status: 200, headers: {}, body: Buffer.alloc(0) };
  observers(...begins)(exchange, call)({ status: 200 }, received);
  for (const begin of begins) expect(begin.mock.calls).toEqual([[exchange, call]]);
  for (const end of ends) expect(end.mock.calls).toEqual([[{ status: 200 }, received]]);
});

describe('a response that is encoded', () => {
  const JSON_TEXT = '{"name":"Café"}';
  const sent = async (body: Buffer, headers: string, limits = {}) => {
    const { http } = memoryPartner({
      respond: saying(response(body, `HTTP/1.1 200 x\r\n${headers}`)),
      limits,
    });
    return (await http.send(READ)).body;
  };
  const text = Buffer.from(JSON_TEXT);
  const encoded = (name: string) => `content-encoding: ${name}`;

  it.each<[string, Buffer, string]>([
    ['gzip', gzipSync(text), encoded('gzip')],
    ['x-gzip in capitals', gzipSync(text), encoded('X-GZIP')],
    ['deflate', deflateSync(text), encoded('deflate')],
    ['deflate without its header', deflateRawSync(text), encoded('deflate')],
    ['brotli', brotliCompressSync(text), encoded('br')],
    ['zstd', zstdCompressSync(text), encoded('zstd')],
    ['gzip of brotli', gzipSync(brotliCompressSync(text)), encoded('br, gzip')],
    ['identity', text, encoded('identity')],
    ['a byte order mark', Buffer.from(`\ufeff${JSON_TEXT}`), 'content-type: application/json'],
    ['latin1', Buffer.from(JSON_TEXT, 'latin1'), 'content-type: application/json; charset=ISO-8859-1'],
    ['latin1 without a word', Buffer.from(JSON_TEXT, 'latin1'), 'content-type: application/json'],
    ['UTF-16', Buffer.from(JSON_TEXT, 'utf16le'), 'content-type: application/json;charset="utf-16le"'],
    ['a charset of no name', text, 'content-type: application/json; charset=utf8mb4'],
  ])('(%s) arrives as UTF-8', async (_, body, headers) => {
    expect((await sent(body, headers)).toString()).toBe(JSON_TEXT);
  });

  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip, gzip, gzip, gzip, gzip', 'rot13'])(
    'in another way than it says (%s) arrives as it is',
    async (name) => {
      expect((await sent(text, encoded(name))).toString()).toBe(JSON_TEXT);
    },
  );

  it('has the usual size when it is decoded', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000)));
    for (const each of [bomb, gzipSync(Buffer.alloc(100_001))]) {
      const decoding = sent(each, encoded(each === bomb ? 'gzip, gzip' : 'gzip'), { maxBodyBytes: 100_000 });
      expect(await failureOf(decoding)).toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE', sent: true });
    }
    expect(
      await sent(gzipSync(Buffer.alloc(100_000)), encoded('gzip'), { maxBodyBytes: 100_000 }),
    ).toHaveLength(100_000);
  });
});

import { describe, expect, it } from 'vitest';
import { failureOf } from '../../rigs/partners/failure.js';
import {
  clientOf,
  closedPort,
  recordingServer,
  responding,
  socketServer,
} from '../../rigs/partners/servers.js';

/** The error of a create by a client at this URL. */
const failureAt = (url: string, limits = {}) =>
  failureOf(
    clientOf(url, { limits }).createMerchant({
      cashDiscount: 'No',
      firstName: 'Ada',
      lastName: 'Baker',
      dba: 'Corner Bakery',
      pos: 'None',
      agentProfileId: 101,
      email: 'ada@example.com',
    }),
  );

// Proves P2.
describe('the status of a response decides', () => {
  it.each([
    [400, 'Rejected'],
    [404, 'Rejected'],
    [409, 'Rejected'],
    [422, 'Rejected'],
    [401, 'Unauthorized', { refusesReads: true }],
    [403, 'Forbidden', { refusesReads: true }],
    [429, 'RateLimited'],
    [408, 'Uncertain'],
    [500, 'Uncertain'],
    [502, 'Uncertain'],
    [503, 'Uncertain'],
    [504, 'Uncertain'],
    [301, 'Uncertain', { unreadable: 'create-merchant' }],
    [304, 'Uncertain', { unreadable: 'create-merchant' }],
  ])('%i is %s', async (status, kind, more: object = {}) => {
    const { url } = await recordingServer(responding(status, ''));
    const error = await failureAt(url);
    expect(error.details).toEqual({
      system: 'boarding',
      operation: 'create-merchant',
      kind,
      status,
      fields: [],
      reason: `HTTP ${status}`,
      ...more,
    });
    expect(error.message).toBe(`boarding create-merchant: ${kind}, HTTP ${status}`);
  });

  // Catches a 403 that limits the rate of calls, as GitHub's, and that would be asked about as a missing permission.
  it('403 with Retry-After is RateLimited, and pauses the account', async () => {
    const { url, requests } = await recordingServer(responding(403, '', { 'retry-after': '60' }));
    const client = clientOf(url, {});
    const read = () => failureOf(client.getStatus({ id: 1 }));
    expect((await read()).details).toMatchObject({ kind: 'RateLimited', status: 403, retryAfterMs: 60_000 });
    expect((await read()).details).toMatchObject({
      kind: 'RateLimited',
      reason: 'not sent: get-status got HTTP 403',
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [302, 'Uncertain'],
    [307, 'NotSent'],
    [308, 'NotSent'],
  ])('a redirect (%i) is not followed', async (status, kind) => {
    const other = await recordingServer(responding(200, '{"data":{"merchantProfileId":1}}'));
    const { url } = await recordingServer(responding(status, '', { location: `${other.url}/elsewhere` }));
    expect(await failureAt(url)).toMatchObject({ kind, status });
    expect(other.connections()).toBe(0);
  });

  it('and the request is sent once: the client does not retry', async () => {
    const { url, requests } = await recordingServer(responding(503, '', { 'retry-after': '0' }));
    await failureAt(url);
    expect(requests).toHaveLength(1);
  });
});

/** All forms of the header: test/unit/platform/http/deadline.test.ts. */
it.each([
  ['120', 429, 120_000],
  ['30', 503, 30_000],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 429, 0],
  ['soon', 429, undefined],
  [undefined, 429, undefined],
])('a Retry-After of %s at a %i is %s ms', async (value, status, expected) => {
  const { url } = await recordingServer(responding(status, '', value ? { 'retry-after': value } : {}));
  expect((await failureAt(url)).details.retryAfterMs).toBe(expected);
});

describe('NotSent: nothing left this machine', () => {
  it('when the connection is refused', async () => {
    const error = await failureAt(`http://127.0.0.1:${await closedPort()}`);
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'ECONNREFUSED', fields: [] });
    expect(error.status).toBeUndefined();
  });

  it('when the name cannot be resolved', async () => {
    const error = await failureAt('https://partner.invalid');
    expect(error.kind).toBe('NotSent');
    expect(error.details.reason).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it('when there is no TLS at the other end', async () => {
    const { port } = await socketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const error = await failureAt(`https://127.0.0.1:${port}`);
    expect(error.kind).toBe('NotSent');
    expect(error.details.reason).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
  });

  it('when the TLS handshake takes longer than connecting may', async () => {
    const { port } = await socketServer(() => undefined);
    const error = await failureAt(`https://127.0.0.1:${port}`, { connectTimeoutMs: 50 });
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'UND_ERR_CONNECT_TIMEOUT' });
  });
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { merchant } from '../../../rigs/inputs.js';
import {
  BATCHED,
  event,
  problemOf,
  runReceiver,
  STRUCTURED,
  signed,
  TOKEN,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

const inStructured = { 'content-type': STRUCTURED };
const inBinary = { 'content-type': 'application/json' };

function problem(status: number, kind: string, title: string, detail: string, errors?: object[]) {
  return { type: `urn:gangway:problem:${kind}`, title, status, detail, ...(errors && { errors }) };
}

const unreadable = (detail: string) => problem(400, 'unreadable', 'The request cannot be read', detail);
const unsupported = (detail: string) =>
  problem(415, 'unsupported-media-type', 'The content type is not supported', detail);
const invalid = (...errors: object[]) =>
  problem(422, 'invalid', 'Fields are missing or wrong', 'the request had no effect', errors);

const inBatch = { 'content-type': BATCHED };
const gzip = { ...inStructured, 'content-encoding': 'gzip' };
const latin = { 'content-type': 'application/json; charset=iso-8859-1' };
const xml = { 'content-type': 'application/cloudevents+xml' };
const UNSUITABLE = 'the content type is missing, or this path does not accept it';
const NOT_ONE = 'this is not a CloudEvent 1.0';
const withAttribute = (more: object) =>
  JSON.stringify(event('merchant.boarding.requested.v1', merchant(), { ...more }));

describe('a signed event that cannot be read is rejected:', () => {
  it.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, object]>([
    ['not JSON', '{"id": ', inStructured, unreadable('the body must be JSON')],
    ['an empty body', '', inStructured, unreadable('the body must be JSON')],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), inStructured, unreadable('the body must be in UTF-8')],
    ['not an object', '[]', inStructured, unreadable('an event must be an object')],
    ['not a batch', '{}', inBatch, unreadable('a batch must be an array of events')],
    ['not events', '[null]', inBatch, unreadable('an event must be an object')],
    [
      'a header that is not an attribute',
      '{}',
      { ...inBinary, 'ce-data_base64': 'e30=' },
      unreadable('attribute names may have only letters and digits'),
    ],
    [
      'a header that is not percent-encoded',
      '{}',
      { ...inBinary, 'ce-id': '%E0%A4%A' },
      unreadable('the values of ce- headers must be percent-encoded UTF-8'),
    ],
    ['a forbidden attribute', withAttribute({ Upper: 1 }), inStructured, unreadable(NOT_ONE)],
    ['the name of a method', withAttribute({ validate: 'x' }), inStructured, unreadable(NOT_ONE)],
    ['another format of events', '<event/>', xml, unsupported(UNSUITABLE)],
    ['another charset', '{}', latin, unsupported('the body must be in UTF-8')],
    ['a compressed body', '{}', gzip, unsupported('the body must not be compressed')],
    [
      'too large a body',
      ' '.repeat(1024 * 1024 + 1),
      inStructured,
      problem(413, 'too-large', 'The body is too large', 'send a smaller body'),
    ],
  ])('%s', async (_, body, headers, expected) => {
    const { post } = await runReceiver(rig);
    expect(problemOf(await post(body, headers))).toEqual(expected);
  });
});

describe('an event with wrong fields is rejected, and the problem names each field:', () => {
  const { externalId, ...rest } = merchant();
  const value =
    'known types: merchant.boarding.requested.v1, business.onboarding.requested.v1, ' +
    'customer.onboarding.requested.v1, requirement.resolved.v1, documents.received.v1; the request had no effect';

  it.each<[string, unknown, object]>([
    [
      'an unknown type',
      event('merchant.boarding.requested.v2', {}),
      problem(422, 'unknown-event-type', 'The event type is unknown', value, [
        { field: 'type', message: 'is not a known type' },
      ]),
    ],
    [
      'no data',
      event('merchant.boarding.requested.v1', undefined),
      invalid({ field: 'data', message: 'is required' }),
    ],
    [
      'other data',
      event('merchant.boarding.requested.v1', {
        ...rest,
        externalId: '123-45-6789',
        merchant: { ...rest.merchant, dba: '', pos: 'ada@example.com' },
        ssn: '123-45-6789',
        agent: 'Ada',
      }),
      invalid(
        { field: 'data.externalId', message: 'contains what looks like a social security number' },
        { field: 'data.merchant.dba', message: 'must not be empty' },
        { field: 'data.merchant.pos', message: 'must be one of None, CustomPos' },
        { field: 'data.ssn', message: 'is not a known field' },
      ),
    ],
    [
      'data that is not base64 of JSON',
      { specversion: '1.0', id: 'e', source: '/crm', type: 'requirement.resolved.v1', data_base64: 'YWRh' },
      invalid({ field: 'data_base64', message: 'must be JSON in base64' }),
    ],
  ])('%s', async (_, body, expected) => {
    const { post } = await runReceiver(rig);
    expect(problemOf(await post(JSON.stringify(body), inStructured))).toEqual(expected);
  });

  it('in binary mode as well', async () => {
    const { post } = await runReceiver(rig);
    const typed = { ...inBinary, 'ce-type': 'requirement.resolved.v1' };
    for (const reply of [await post('"ada@example.com"', typed), await post('{}', inBinary)])
      expect(problemOf(reply)).toEqual(unreadable('this is not a CloudEvent'));
  });
});

describe('other requests are rejected:', () => {
  it.each([
    ['GET /events', 'OPTIONS, POST'],
    ['DELETE /v1/onboardings/m-1', 'GET, HEAD, PUT'],
    ['POST /openapi.json', 'GET, HEAD'],
  ])('%s', async (line, allow) => {
    const { call } = await runReceiver(rig);
    const reply = await call(line);
    expect(problemOf(reply)).toEqual(
      problem(405, 'wrong-method', 'The method is not allowed', `use ${allow}`),
    );
    expect(reply.headers.get('allow')).toBe(allow);
  });

  it.each(['GET /', 'POST /event', 'GET /onboardings', 'PUT /v1/onboardings/a/b'])('%s', async (line) => {
    const { call } = await runReceiver(rig);
    const reply = await call(line);
    const detail = '/openapi.json lists all paths';
    expect(problemOf(reply)).toEqual(problem(404, 'unknown-path', 'The path is unknown', detail));
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('a path that cannot be decoded', async () => {
    const { call } = await runReceiver(rig);
    expect(problemOf(await call('GET /v1/onboardings/%zz'))).toEqual(unreadable('the path is malformed'));
  });

  it('too many requests, with the time to wait; health checks are not limited', async () => {
    const { call } = await runReceiver(rig, { requestsPerMinute: 2 });
    for (let count = 0; count < 2; count++) expect((await call('GET /openapi.json')).status).toBe(200);
    const reply = await call('POST /events', '{}', { ...inStructured, ...signed('{}') });
    const detail = 'wait for the seconds in Retry-After';
    expect(problemOf(reply)).toEqual(problem(429, 'too-many-requests', 'Too many requests', detail));
    const seconds = Number(reply.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await call('GET /healthz')).status).toBe(200);
    const facts = await call('GET /v1/onboardings/nobody', undefined, { authorization: `Bearer ${TOKEN}` });
    expect(facts.status).toBe(404);
  });

  const POST = 'POST /events HTTP/1.1\r\nhost: x\r\n';
  const HALF = `${POST}content-type: ${STRUCTURED}\r\ncontent-length: 9\r\n\r\n{`;
  const LARGE = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`;
  it.each([
    ['headers that never end', POST, 408, 'too-slow'],
    ['a body that never ends', HALF, 408, 'too-slow'],
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'unreadable'],
    ['headers that are too large', LARGE, 431, 'headers-too-large'],
  ])('%s', async (_, sent, status, kind) => {
    // Only the requests that must be too slow get a short limit.
    const limits = { headersMs: 200, requestMs: 400 };
    const { url } = await runReceiver(rig, status === 408 ? { limits } : {});
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(sent);
    const response = await text(socket);
    expect(response.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toContain('content-type: application/problem+json');
    expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({
      status,
      type: `urn:gangway:problem:${kind}`,
    });
  });
});

it('nothing that was sent is logged or repeated in a response', async () => {
  const { call, post, log } = await runReceiver(rig);
  const input = merchant();
  const person = { ...input.merchant, dba: 7, email: 'ada@example.com' };
  const secret = { ...input, merchant: person, ssn: '123456789' };
  const replies = [
    await post(JSON.stringify(event('merchant.boarding.requested.v1', input)), inStructured),
    await post(JSON.stringify(event('merchant.boarding.requested.v1', secret)), inStructured),
    await post('{"ssn": 123456789', inStructured),
    await call('GET /v1/onboardings/123456789', undefined, { authorization: `Bearer ${TOKEN}` }),
    await call('GET /123456789?ssn=123456789'),
    await call('PUT /v1/onboardings/123456789', '{}', inBinary),
  ];
  expect(replies.map(({ status }) => status)).toEqual([202, 422, 400, 404, 404, 401]);
  const completed = { level: 30, time: expect.any(String), msg: 'request completed' };
  const entries = log().split('\n').filter(Boolean);
  expect(entries.map((line) => JSON.parse(line))).toEqual([
    { ...completed, method: 'POST', path: '/events', status: 202 },
    { ...completed, method: 'POST', path: '/events', status: 422 },
    { ...completed, method: 'POST', path: '/events', status: 400 },
    { ...completed, method: 'GET', path: '/v1/onboardings/:onboarding', status: 404 },
    { ...completed, method: 'GET', path: 'unknown', status: 404 },
    { ...completed, method: 'PUT', path: '/v1/onboardings/:onboarding', status: 401 },
  ]);
  for (const secret of ['ada@', 'Ada', '123456789', 'Corner', TOKEN]) {
    expect(log()).not.toContain(secret);
    for (const { text: response } of replies) expect(response).not.toContain(secret);
  }
});

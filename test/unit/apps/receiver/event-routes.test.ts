import Fastify from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type EventTypes, eventRoutes, eventSchemas } from '../../../../src/apps/receiver/event-routes.js';
import { documentRoutes } from '../../../../src/apps/receiver/openapi.js';
import { handleProblems, Problem } from '../../../../src/apps/receiver/problems.js';
import type { CheckSignature } from '../../../../src/apps/receiver/settings.js';
import { createLogger } from '../../../../src/platform/process/logging.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { answering, grpcError } from '../../../rigs/temporal/answering-service.js';

const [STRUCTURED, BATCHED, BINARY] = [
  'application/cloudevents+json',
  'application/cloudevents-batch+json',
  'application/json',
];

/** Attributes that the sender of an event writes, and its data. */
const event = (data: unknown) => ({ specversion: '1.0', type: 'x.v1', source: '/crm', id: 'e-1', data });

/** The receiver of events with one type, which the test applies by the data of the event. */
async function receiver(
  apply: (data: unknown) => Promise<string>,
  checkSignature?: CheckSignature,
  identify: (identity: string | undefined) => void = () => undefined,
) {
  const data = z.unknown();
  const callback = (of: Readonly<Record<string, unknown>>, identity?: string) => {
    identify(identity);
    return () => apply(of['data']);
  };
  const types: EventTypes = { 'x.v1': { data, event: z.looseObject({ data }), prepare: callback } };
  const { client, deadlines } = answering({});
  const backend = { client, taskQueue: 'gangway', dbaForm: 'shown', fourEyes: [], accounts: [] } as const;
  const server = Fastify();
  server.removeAllContentTypeParsers();
  const log: { readonly msg: string; readonly kind?: string }[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line)) });
  handleProblems(server, logger, () => undefined);
  await documentRoutes(server, { events: eventSchemas(types), bodies: {} });
  await server.register(eventRoutes({ types, backend, checkSignature, requestsPerMinute: 1_000 }));
  const post = async (type: string, payload: unknown, more: Record<string, string> = {}) => {
    const headers = { 'content-type': type, ...more };
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const reply = await server.inject({ method: 'POST', url: '/events', headers, body });
    return { status: reply.statusCode, json: reply.json(), retryAfter: reply.headers['retry-after'] };
  };
  const ask = (headers: Record<string, string>) =>
    server.inject({ method: 'OPTIONS', url: '/events', headers });
  const document = async () => {
    await server.ready();
    return server.swagger() as OpenAPIV3_1.Document;
  };
  return { post, ask, deadlines, document, logger, log };
}

/** What applying an event leads to, by its data. */
const FAILURES: Readonly<Record<string, () => Error>> = {
  refused: () => new Problem('not-open', 'the onboarding has ended'),
  broken: () => new TypeError('secret'),
  unavailable: () => grpcError('UNAVAILABLE'),
  denied: () => grpcError('PERMISSION_DENIED'),
  later: () => new Problem('not-applied', 'later'),
};

async function applied(data: unknown): Promise<string> {
  const failure = FAILURES[String(data)];
  if (failure) throw failure();
  return `w-${data}`;
}

const problem = (kind: string, title: string, status: number, detail: string, more = {}) => ({
  type: `urn:gangway:problem:${kind}`,
  title,
  status,
  detail,
  ...more,
});
const DONE = { status: 202, workflowId: 'w-1' };
const REFUSED = problem('not-open', 'The requirement is not open', 409, 'the onboarding has ended');
const DETAIL = 'see the log of the receiver';
const BROKEN = problem('internal-error', 'The receiver has an internal error', 500, DETAIL);
const AGAIN =
  'send the same request again after Retry-After seconds: nothing is lost, and nothing happens twice';
const UNAVAILABLE = problem('temporal-unavailable', 'Temporal is unavailable', 503, AGAIN);
const LATER = problem('not-applied', 'It is not known whether the request took effect', 503, 'later');
const NOT_ALL = 'not all events of the batch were accepted: send the same batch again';
const resend = ({ type, title, status }: typeof BROKEN, events: unknown[]) => ({
  type,
  title,
  status,
  detail: NOT_ALL,
  events,
});

/** What the log has of a batch with an internal error. */
const DEFECT = 'Problem: Problem: TypeError';

describe('a batch', () => {
  it.each<[given: string[], status: number, json: unknown, retryAfter?: string, logged?: string]>([
    [[], 202, []],
    [['1'], 202, [DONE]],
    [['1', '1'], 202, [DONE, DONE]],
    [['refused'], 207, [REFUSED]],
    [['1', 'refused', '1'], 207, [DONE, REFUSED, DONE]],
    [['1', 'broken'], 500, resend(BROKEN, [DONE, BROKEN]), '5', DEFECT],
    [['refused', 'broken', '1'], 500, resend(BROKEN, [REFUSED, BROKEN, DONE]), '5', DEFECT],
    [['1', 'unavailable'], 503, resend(UNAVAILABLE, [DONE, UNAVAILABLE]), '5', 'Problem: Problem: 14'],
    [['later', 'refused'], 503, resend(UNAVAILABLE, [LATER, REFUSED]), '5', 'Problem: Problem'],
    [['broken', 'unavailable'], 503, resend(UNAVAILABLE, [BROKEN, UNAVAILABLE]), '5', DEFECT],
  ])('of %j gets %i', async (values, status, json, retryAfter, logged) => {
    const { post, log } = await receiver(applied);
    expect(await post(BATCHED, values.map(event))).toEqual({ status, json, retryAfter });
    expect(log.map(({ kind }) => kind)).toEqual(logged === undefined ? [] : [logged]);
  });

  it('is applied event by event, in its order', async () => {
    const seen: string[] = [];
    const { post } = await receiver(async (data) => {
      seen.push(`begin ${data}`);
      await new Promise(setImmediate);
      seen.push(`end ${data}`);
      return 'w';
    });
    await post(BATCHED, ['1', '2'].map(event));
    expect(seen).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('has twenty seconds, and each of its events five', async () => {
    const now = Date.parse('2026-02-01T00:00:00Z');
    stoppedAt(now);
    const seen: unknown[] = [];
    const { post, deadlines } = await receiver(async (data) => {
      seen.push(data);
      vi.setSystemTime(Date.now() + Number(data));
      return 'w-1';
    });
    const { status, json } = await post(BATCHED, [16_000, 4_000, 1, 0, 0].map(event));
    expect(seen).toEqual([16_000, 4_000, 1]);
    expect(deadlines).toEqual([now + 5_000, now + 20_000, now + 20_000]);
    expect([status, json]).toEqual([503, resend(UNAVAILABLE, [DONE, DONE, DONE, UNAVAILABLE, UNAVAILABLE])]);
  });
});

describe('one event', () => {
  it.each<[string, number, unknown, string?]>([
    ['1', 202, { workflowId: 'w-1' }],
    ['refused', 409, REFUSED],
    ['broken', 500, BROKEN],
    ['unavailable', 503, UNAVAILABLE, '5'],
    ['denied', 503, UNAVAILABLE, '5'],
  ])('that is %s gets %i', async (data, status, json, retryAfter) => {
    const { post, deadlines } = await receiver(applied);
    const before = Date.now();
    expect(await post(STRUCTURED, event(data))).toEqual({ status, json, retryAfter });
    expect(deadlines).toEqual([
      expect.toSatisfy((at: number) => at >= before + 5_000 && at <= Date.now() + 5_000),
    ]);
  });
});

it.each([
  ['an event', STRUCTURED, event({ firstName: 'Zdenka' })],
  ['a batch', BATCHED, [event({ firstName: 'Zdenka' })]],
])('the private values of %s stay out of the log until it is answered', async (_, type, values) => {
  const { post, logger, log } = await receiver(async () => {
    logger.info('of Zdenka');
    return 'w-1';
  });
  await post(type, values);
  logger.info('of Zdenka');
  expect(log.map(({ msg }) => msg)).toEqual(['of [Redacted]', 'of Zdenka']);
});

describe('the OpenAPI document', () => {
  const headers = (...names: string[]) =>
    names.map((name) => ({ schema: { type: 'string' }, in: 'header', name, required: false }));
  const schema = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
  const oneOf = (...names: string[]) => ({ schema: { anyOf: names.map((name) => schema(name).schema) } });

  it.each<[isSigned: boolean, security: object[]]>([
    [true, [{ signature: [] }]],
    [false, []],
  ])('describes POST /events, whose events are signed or not (%j)', async (isSigned, security) => {
    const { document } = await receiver(applied, isSigned ? () => undefined : undefined);
    const { paths, components } = await document();
    const { requestBody, responses, ...rest } = paths?.['/events']?.post ?? {};
    expect(rest).toEqual({
      operationId: 'post-events',
      summary: expect.any(String),
      security,
      parameters: headers(
        'webhook-id',
        'webhook-timestamp',
        'ce-specversion',
        'ce-type',
        'ce-source',
        'ce-id',
        'ce-time',
      ),
    });
    expect(requestBody).toMatchObject({
      content: {
        [STRUCTURED]: oneOf('XV1Event'),
        [BATCHED]: { schema: { type: 'array', items: oneOf('XV1Event').schema, maxItems: 100 } },
        [BINARY]: oneOf('XV1Data'),
      },
    });
    expect(responses).toMatchObject({
      202: { content: { 'application/json': oneOf('Accepted', 'BatchResult') } },
      207: { content: { 'application/json': schema('BatchResult') } },
      503: { content: { 'application/problem+json': schema('Problem') } },
    });
    expect(Object.keys(responses ?? {}).join()).toBe('202,207,400,401,404,409,413,415,422,429,503');
    expect(components?.schemas?.['XV1Event']).toMatchObject({
      properties: { data: schema('XV1Data').schema },
    });
  });

  it('describes OPTIONS /events', async () => {
    const { paths } = await (await receiver(applied)).document();
    const text = { schema: { type: 'string' } };
    expect(paths?.['/events']?.options).toEqual({
      operationId: 'may-send-events',
      summary: expect.any(String),
      parameters: headers('webhook-request-origin', 'webhook-request-rate'),
      responses: {
        200: {
          description: expect.any(String),
          headers: { 'webhook-allowed-origin': text, 'webhook-allowed-rate': text },
        },
        400: expect.any(Object),
        429: expect.any(Object),
      },
    });
  });
});

describe('a signature', () => {
  const binary = (id: string) => ({
    'ce-specversion': '1.0',
    'ce-type': 'x.v1',
    'ce-source': '/crm',
    'ce-id': id,
    'webhook-id': 'msg-1',
  });
  const UNBOUND = problem(
    'bad-signature',
    'The signature is missing or wrong',
    401,
    'in binary mode ce-id must equal webhook-id, which is signed',
  );

  it.each<[string, type: string, body: unknown, headers: Record<string, string>, status: number]>([
    ['covers the id in binary mode', BINARY, {}, binary('msg-1'), 202],
    ['does not cover another id', BINARY, {}, binary('msg-2'), 401],
    ['covers the event itself in structured mode', STRUCTURED, event(1), { 'webhook-id': 'msg-1' }, 202],
    ['covers a batch', BATCHED, [event(1)], { 'webhook-id': 'msg-1' }, 202],
  ])('%s', async (_, type, body, headers, status) => {
    const [signed, unsigned] = [await receiver(applied, () => undefined), await receiver(applied)];
    const expected = status === 401 ? { status, json: UNBOUND } : { status };
    expect(await signed.post(type, body, headers)).toMatchObject(expected);
    expect(await unsigned.post(type, body, headers)).toMatchObject({ status: 202 });
  });

  it('has the body identify the event in binary mode, in place of the source that it does not cover', async () => {
    const identities: unknown[] = [];
    const identify = (identity: string | undefined) => void identities.push(identity);
    for (const check of [() => undefined, undefined]) {
      const { post } = await receiver(applied, check, identify);
      await post(BINARY, '{"a": 1}', binary('msg-1'));
      await post(STRUCTURED, event(1), { 'webhook-id': 'msg-1' });
      await post(BATCHED, [event(1)], { 'webhook-id': 'msg-1' });
    }
    expect(identities).toEqual(['{"a": 1}', undefined, undefined, undefined, undefined, undefined]);
  });

  it.each(['ce-da_ta', 'ce-', 'ce-x-y'])('cannot be avoided by a header %s', async (name) => {
    const { post } = await receiver(applied);
    expect(await post(BINARY, {}, { ...binary('msg-1'), [name]: 'x' })).toMatchObject({ status: 400 });
  });

  it('is checked over the bytes of the body, before anything is read from it', async () => {
    const checked: unknown[] = [];
    const { post } = await receiver(applied, (headers, body) => {
      checked.push([headers['webhook-id'], body]);
      throw new Problem('bad-signature', 'wrong');
    });
    expect(await post(STRUCTURED, ' not JSON', { 'webhook-id': 'msg-1' })).toMatchObject({ status: 401 });
    expect(checked).toEqual([['msg-1', ' not JSON']]);
  });
});

describe('the handshake of CloudEvents webhooks', () => {
  const from = (origin: string, rate?: string) => ({
    'webhook-request-origin': origin,
    ...(rate !== undefined && { 'webhook-request-rate': rate }),
  });

  it.each<[asked: Record<string, string>, origin?: string, rate?: string]>([
    [{}],
    [{ 'webhook-request-rate': 'any' }],
    [from('crm.example.com'), 'crm.example.com', '1000'],
    [from('crm.example.com', '120'), 'crm.example.com', '120'],
    [from('crm.example.com', '999999999'), 'crm.example.com', '1000'],
    [from('https://crm.example.com:8080/a', '*'), 'https://crm.example.com:8080/a', '1000'],
  ])('%j gets %j, %j', async (question, origin, rate) => {
    const { ask } = await receiver(applied);
    const { statusCode, body, headers } = await ask(question);
    expect([statusCode, body, headers['allow']]).toEqual([200, '', 'OPTIONS, POST']);
    expect([headers['webhook-allowed-origin'], headers['webhook-allowed-rate']]).toEqual([origin, rate]);
  });

  const ORIGIN = 'WebHook-Request-Origin must be a host name';
  const RATE = 'WebHook-Request-Rate must be a number of requests per minute, or *';
  it.each([
    [from('a b'), ORIGIN],
    [from(''), ORIGIN],
    [from('<crm.example.com'), ORIGIN],
    [from('crm.example.com', '0'), RATE],
    [from('crm.example.com', '1000000000'), RATE],
    [from('crm.example.com', '1.5'), RATE],
    [from('crm.example.com', '**'), RATE],
    [from('crm.example.com', ''), RATE],
  ])('%j is rejected', async (question, detail) => {
    const { ask } = await receiver(applied);
    const unreadable = problem('unreadable', 'The request cannot be read', 400, detail);
    const reply = await ask(question);
    expect([reply.statusCode, reply.json()]).toEqual([400, unreadable]);
  });

  it('takes an origin of 255 characters at most', async () => {
    const { ask } = await receiver(applied);
    const statusOf = async (length: number) => (await ask(from('x'.repeat(length)))).statusCode;
    expect([await statusOf(255), await statusOf(256)]).toEqual([200, 400]);
  });
});

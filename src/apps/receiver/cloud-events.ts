import type { IncomingHttpHeaders } from 'node:http';
import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { CloudEvent } from 'cloudevents';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_NESTING, parseExactly, withoutDepth } from '../../partners/json.js';
import { isHealthCheck, routeOf } from '../../platform/http/server.js';
import { holdPrivate } from '../../platform/process/logging.js';
import { fail, inSpan, tracer } from '../../platform/tracing/spans.js';
import { invalidRequest, Problem } from './problems.js';

export const STRUCTURED = 'application/cloudevents+json';
export const BATCHED = 'application/cloudevents-batch+json';
/** Binary mode: the attributes are headers (`ce-id`), and the body is the data. */
export const BINARY = 'application/json';

export const MAX_EVENTS = 100;

/** Attributes and data of an event by name, as the sender wrote them. */
export type GivenEvent = Readonly<Record<string, unknown>>;

/** Attributes that are validated even if empty. Other empty attributes count as missing. */
const NEVER_MISSING = ['id', 'time', 'specversion'];

/**
 * Reads a CloudEvents 1.0 request in any of the three modes. Returns the events unchanged. The package would fill in missing values,
 * and round wrong ones.
 *
 * @throws {Problem} if the request is not one
 */
export function parseCloudEvents(headers: IncomingHttpHeaders, body: string) {
  const json = parse(body);
  const mode = mediaTypeOf(headers);
  if (mode === BATCHED) return { events: batched(json), isBatch: true };
  const event = mode === STRUCTURED ? structured(json) : binary(headers, json);
  return { events: [event], isBatch: false };
}

/** Returns the media type without parameters: `application/json`. */
export function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** The levels of a batch with the deepest valid event, and one more, which reveals an event that is too deep. */
const LEVELS_READ = 1 + MAX_NESTING + 1;

/** Parses JSON. Leaves out levels deeper than any schema allows. @throws {Problem} `unreadable` */
export function parse(body: string): unknown {
  return attempt(() => parseExactly(withoutDepth(body, LEVELS_READ)), 'the body must be JSON');
}

function batched(json: unknown): GivenEvent[] {
  if (!Array.isArray(json)) throw unreadable('a batch must be an array of events');
  if (json.length > MAX_EVENTS)
    throw new Problem('too-large', `a batch may have at most ${MAX_EVENTS} events`);
  return json.map(structured);
}

function structured(json: unknown): GivenEvent {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unreadable('an event must be an object');
  }
  const { data_base64: base64, ...event } = presentAttributes(Object.entries(json));
  if (!base64) return event;
  try {
    return { ...event, data: parse(Buffer.from(String(base64), 'base64').toString()) };
  } catch {
    throw invalidRequest([{ field: 'data_base64', message: 'must be JSON in base64' }]);
  }
}

function binary(headers: IncomingHttpHeaders, data: unknown): GivenEvent {
  const attributes = Object.entries(headers)
    .filter(([name]) => name.startsWith('ce-'))
    .map(([name, value]) => [attributeName(name), decoded(String(value))] as const);
  const event: GivenEvent = { datacontenttype: BINARY, ...presentAttributes(attributes), data };
  if (!event['id']) throw unreadable('this is not a CloudEvent');
  return event;
}

function presentAttributes(attributes: readonly (readonly [name: string, value: unknown])[]): GivenEvent {
  return Object.fromEntries(
    attributes.filter(([name, value]) => value !== '' || NEVER_MISSING.includes(name)),
  );
}

/** Returns the attribute in a header. No header can replace the data, because only the data is signed. */
function attributeName(header: string): string {
  const name = header.slice('ce-'.length);
  if (!/^[a-z0-9]+$/.test(name)) throw unreadable('attribute names may have only letters and digits');
  return name;
}

/** Values of headers are percent-encoded (HTTP protocol binding, 3.1.3.2). */
function decoded(value: string): string {
  return attempt(() => decodeURIComponent(value), 'the values of ce- headers must be percent-encoded UTF-8');
}

/**
 * The package's own check, for the attributes that no schema here covers.
 *
 * @throws {Problem} `unreadable`
 */
export function checkConformance(event: GivenEvent): void {
  attempt(() => new CloudEvent({ ...event }, true), 'this is not a CloudEvent 1.0');
}

function attempt<Result>(action: () => Result, otherwise: string): Result {
  try {
    return action();
  } catch {
    // Messages of libraries quote the event.
    throw unreadable(otherwise);
  }
}

function unreadable(detail: string): Problem {
  return new Problem('unreadable', detail);
}

/** Lets {@link textBodies} accept bodies in any encoding, of any type and without one. */
export const ANY_TYPE = ['*'];

/**
 * Makes bodies of these media types available to routes as text, unchanged, because a signature covers each byte. Rejects other
 * media types and compressed bodies.
 */
export function textBodies(server: FastifyInstance, mediaTypes: readonly string[]): void {
  const fatal = mediaTypes !== ANY_TYPE;
  const decoder = new TextDecoder('utf-8', { fatal, ignoreBOM: true });
  server.addHook('onRequest', async ({ headers }) => {
    const { 'content-encoding': encoding = 'identity' } = headers;
    if (encoding !== 'identity') throw unsupported('the body must not be compressed');
    if (fatal && /;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(headers['content-type'] ?? ''))
      throw unsupported('the body must be in UTF-8');
  });
  server.addContentTypeParser([...mediaTypes], { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    attempt(() => decoder.decode(body), 'the body must be in UTF-8'),
  );
}

/** @throws {Problem} if there is no body, because Fastify checks the media type of a body only */
export function textOf({ body }: Pick<FastifyRequest, 'body'>, mediaTypes: readonly string[]): string {
  if (typeof body === 'string') return body;
  throw unsupported(`send a body as ${mediaTypes.join(', ')}`);
}

/** Keeps the private values of a body out of the log until the response is sent. */
export function holdUntilClosed<Body>(body: Body, { raw }: FastifyReply): Body {
  const release = holdPrivate(body);
  raw.once('close', release);
  return body;
}

function unsupported(detail: string): Problem {
  return new Problem('unsupported-media-type', detail);
}

/** Creates a span for each request, in the trace that its headers name (W3C Trace Context). */
export function traceRequests(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _, done) => {
    const { method, headers } = request;
    const route = routeOf(request);
    // Monitoring calls these all day.
    if (isHealthCheck(request)) return done();
    const caller = propagation.extract(ROOT_CONTEXT, headers);
    const attributes = { 'http.request.method': method, 'http.route': route };
    const options = { kind: SpanKind.SERVER, attributes };
    contexts.set(request, trace.setSpan(caller, tracer().startSpan(`${method} ${route}`, options, caller)));
    done();
  });
  // Activate the span in this late hook, because reading a body loses the context.
  server.addHook('preHandler', (request, _, done) => {
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done);
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    span?.setAttribute('http.response.status_code', statusCode);
    if (span && statusCode >= 500) fail(span, String(statusCode));
    span?.end();
  });
}

/**
 * Applies an event in a separate span. The events of a batch come from many places, so the span belongs to the trace that the event
 * names (CloudEvents, Distributed Tracing extension), or else to the request's trace.
 */
export function inEventSpan<Result>(event: GivenEvent, apply: () => Promise<Result>): Promise<Result> {
  const parent = propagation.extract(context.active(), event);
  const options = { name: `event ${event['type']}`, kind: SpanKind.CONSUMER, parent };
  return inSpan(options, apply);
}

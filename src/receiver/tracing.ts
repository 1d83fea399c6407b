import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail, inSpan, tracer } from '../tracing/spans.js';
import type { GivenEvent } from './events.js';

/** Asked by machines, all day long. */
const UNTRACED = ['/healthz', '/readyz', '/metrics'];

/** A span for each request, in the trace that its headers name (W3C Trace Context). */
export function traceRequests(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? 'another';
    if (UNTRACED.includes(route)) return done();
    const caller = propagation.extract(ROOT_CONTEXT, headers);
    const attributes = { 'http.request.method': method, 'http.route': route };
    const options = { kind: SpanKind.SERVER, attributes };
    contexts.set(request, trace.setSpan(caller, tracer().startSpan(`${method} ${route}`, options, caller)));
    done();
  });
  // Later than that, for what reads a body forgets what it was called in.
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
 * Carries an event out in a span of its own: in the trace that it names itself (CloudEvents, Distributed Tracing extension),
 * for those of a batch come from many places, or else in that of the request.
 *
 * @param event whose type is known to be one of ours
 */
export function inEventSpan<Result>(event: GivenEvent, carryOut: () => Promise<Result>): Promise<Result> {
  const parent = propagation.extract(context.active(), event);
  const options = { name: `event ${event['type']}`, kind: SpanKind.CONSUMER, parent };
  return inSpan(options, carryOut);
}

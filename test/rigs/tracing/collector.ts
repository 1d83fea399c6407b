import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';
import { listening } from '../listening.js';
import { testEnds, type Until } from '../shared.js';

/** The part of opentelemetry/proto/collector/trace/v1 that tests use. */
const OTLP = protobuf
  .parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    repeated KeyValue attributes = 9;
    repeated Event events = 11;
    Status status = 15;
  }
  message Event { string name = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
`)
  .root.lookupType('Request');

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly name: string;
  readonly attributes?: readonly KeyValue[];
  readonly events?: readonly unknown[];
  readonly status?: { readonly message?: string; readonly code?: number };
}

/** A span as it arrived; IDs in hex. */
export interface Span {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a root. */
  readonly parent: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: number;
  /** 2 for a failure. */
  readonly status: number;
  readonly message: string;
}

export interface Collector {
  readonly url: string;
  spans(): readonly Span[];
  /** The bodies as they arrived. */
  bytes(): Buffer;
}

/** Receives traces like any collector: OTLP over HTTP, in protobuf. Default: until the running test ends. */
export async function collector(until: Until = testEnds): Promise<Collector> {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const isTrace = request.method === 'POST' && request.url === '/v1/traces';
    if (isTrace && request.headers['content-type'] === 'application/x-protobuf') bodies.push(body);
    response.writeHead(isTrace ? 200 : 404).end();
  });
  return {
    url: `http://${await listening(server, until)}`,
    spans: () => bodies.flatMap(spansIn),
    bytes: () => Buffer.concat(bodies),
  };
}

function spansIn(body: Buffer): Span[] {
  const { resourceSpans } = OTLP.toObject(OTLP.decode(body), { longs: Number }) as Wire;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(fieldsOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, ...spanFrom(span) })));
  });
}

function spanFrom({ traceId, spanId, parentSpanId, name, attributes, events, status }: WireSpan) {
  const hex = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString('hex');
  return {
    name,
    traceId: hex(traceId),
    spanId: hex(spanId),
    parent: hex(parentSpanId),
    attributes: fieldsOf(attributes),
    events: events?.length ?? 0,
    status: status?.code ?? 0,
    message: status?.message ?? '',
  };
}

function fieldsOf(pairs: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { PartnerObserver } from '../partners/http.js';

/** Where our spans come from. Until tracing is started they are none, and cost nothing. */
export function tracer(): Tracer {
  return trace.getTracer('gangway');
}

/** A span about to begin. Its name and attributes are words of ours and ids, never what somebody sent. */
export interface SpanPlan {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** What it happens in; what is going on now, unless given. */
  readonly parent?: Context;
}

/** Runs `work` in a span of its own. @param isFailure whether what it threw makes the span one that failed */
export async function inSpan<Result>(
  { name, kind = SpanKind.INTERNAL, attributes = {}, parent = context.active() }: SpanPlan,
  work: () => Promise<Result>,
  isFailure: (error: unknown) => boolean = () => true,
): Promise<Result> {
  const span = tracer().startSpan(name, { kind, attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    if (isFailure(error)) fail(span, kindOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed, by a kind of failure: messages and stacks stay out of traces. */
export function fail(span: Span, kind: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', kind);
}

/** Failures of activities have a type, which says more than their name. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}

let chosen: string | undefined;

/** Lets the span that `start` starts have this id. */
export function withSpanId<Started>(spanId: string, start: () => Started): Started {
  chosen = spanId;
  try {
    return start();
  } finally {
    chosen = undefined;
  }
}

/** The id that was chosen for the span that starts now, if one was. */
export function chosenSpanId(): string | undefined {
  return chosen;
}

/** A span for each HTTP exchange with a partner: which operation and how it ended. No URL, for that has ids and searches in it. */
export const traceExchanges: PartnerObserver = ({ system, operation, method }) => {
  const attributes = {
    'http.request.method': method,
    'gangway.system': system,
    'gangway.operation': operation,
  };
  const span = tracer().startSpan(`${system} ${operation}`, { kind: SpanKind.CLIENT, attributes });
  return (end) => {
    if ('failure' in end) fail(span, end.code);
    else {
      span.setAttribute('http.response.status_code', end.status);
      if (end.status >= 400) fail(span, String(end.status));
    }
    span.end();
  };
};

import { SpanKind } from '@opentelemetry/api';
import { fail, tracer } from '../platform/tracing/spans.js';
import type { Operation } from './catalogue.js';
import type { HttpDownload, HttpResponse } from './http.js';

/** An HTTP exchange with a partner when it begins. It holds nothing of the request: no path, no id, no value. */
export interface Exchange {
  /** As in the catalogue: `boarding`. */
  readonly system: string;
  /** As in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly method: string;
}

/**
 * The end of the exchange: an HTTP status, or a kind of failure without a response and a code such as `ECONNREFUSED`. `Paused`: the
 * account pauses after an earlier response, so nothing was sent.
 */
export type ExchangeEnd =
  | {
      readonly status: number;
      /** Header `Date`: the partner's clock. */
      readonly date?: string | undefined;
    }
  | { readonly failure: 'NotSent' | 'Uncertain' | 'Paused'; readonly code: string };

/** The further facts that a recording needs. They include everything, private values and credentials too. */
export interface ObservedCall {
  readonly operation: Operation;
  readonly request: unknown;
  secrets(): readonly string[];
}

/**
 * Called when an exchange begins; the function that it returns is called when the exchange ends, with the response if there
 * is one. A call has one exchange, or two when the partner rejected its credentials, or none when it failed before sending.
 * A file counts until its first byte.
 */
export type PartnerObserver = (
  exchange: Exchange,
  call: ObservedCall,
) => (end: ExchangeEnd, response?: HttpResponse | HttpDownload) => void;

export function observers(...all: readonly PartnerObserver[]): PartnerObserver {
  return (exchange, call) => {
    const callbacks = all.map((observe) => observe(exchange, call));
    return (end, response) => {
      for (const ended of callbacks) ended(end, response);
    };
  };
}

/** A span for each HTTP exchange with a partner: the operation and its result. No URL, because it contains IDs and search terms. */
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

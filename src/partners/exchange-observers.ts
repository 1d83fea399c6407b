import { SpanKind } from '@opentelemetry/api';
import { fail, tracer } from '../platform/tracing/spans.js';
import type { Operation } from './catalogue.js';
import type { HttpDownload, HttpResponse } from './http.js';

/** An HTTP exchange with a partner. It contains nothing of the request: no path, no ID, no value. */
export interface Exchange {
  /** The name in the catalogue: `boarding`. */
  readonly system: string;
  /** The name in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly method: string;
}

/**
 * The end of an exchange: an HTTP status or, without a response, a kind of failure and a code such as `ECONNREFUSED`. `Paused`:
 * nothing was sent, because the account pauses after an earlier response.
 */
export type ExchangeEnd =
  | {
      readonly status: number;
      /** Header `Date`: the partner's clock. */
      readonly date?: string | undefined;
    }
  | { readonly failure: 'NotSent' | 'Uncertain' | 'Paused'; readonly code: string };

/** The rest of the call, for a recording. It includes private values and credentials. */
export interface ObservedCall {
  readonly operation: Operation;
  readonly request: unknown;
  secrets(): readonly string[];
}

/**
 * Called when an exchange begins. The function that it returns is called when the exchange ends, with the response, if any. A call
 * has one exchange, more if the partner rejected its credentials, or none if it failed before sending. A download ends with its
 * first byte.
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

/** Creates a span for each HTTP exchange: the operation and its result, but no URL, because that contains IDs and search terms. */
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

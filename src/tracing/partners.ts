import { SpanKind } from '@opentelemetry/api';
import type { PartnerObserver } from '../partners/observer.js';
import { fail, tracer } from './spans.js';

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

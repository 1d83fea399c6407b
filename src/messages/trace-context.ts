import type { Sinks } from '@temporalio/workflow';

/** The header of Temporal that carries a trace, as the OpenTelemetry interceptors of every SDK name it. */
export const TRACE_HEADER = '_tracer-data';

/** W3C Trace Context: a trace, and the span in it that caused something. Holds no data. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * The id of the span that represents a workflow in all of its runs. It derives from the first run's id, so that every process
 * and every replay computes the same.
 */
export function workflowSpanId(firstExecutionRunId: string): string {
  return firstExecutionRunId.replaceAll('-', '').slice(-16);
}

/** The same trace with another causing span; undefined for an invalid context. */
export function causedBy(spanId: string, { traceparent, ...rest }: TraceContext): TraceContext | undefined {
  const [, traceId, flags] = /^00-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})$/.exec(traceparent) ?? [];
  return traceId === undefined ? undefined : { ...rest, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

/** The sinks through which workflows report to the worker, which makes spans of it. */
export interface TraceSinks extends Sinks {
  readonly trace: {
    /** A workflow that belongs to a trace has begun. */
    begun(cause: TraceContext): void;
  };
}

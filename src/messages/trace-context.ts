import type { Sinks } from '@temporalio/workflow';

/** The header of Temporal that carries a trace, as the OpenTelemetry interceptors of every SDK name it. */
export const TRACE_HEADER = '_tracer-data';

/** W3C Trace Context: whose trace something belongs to, and what in it caused it. Holds no data. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * The span that stands for a workflow, in all of its runs: its id is of the first run's, so that whoever knows that knows it,
 * and a replay finds the same.
 */
export function workflowSpanId(firstExecutionRunId: string): string {
  return firstExecutionRunId.replaceAll('-', '').slice(-16);
}

/** The same trace, caused by another span in it; undefined when `context` is none. */
export function causedBy(spanId: string, { traceparent, ...rest }: TraceContext): TraceContext | undefined {
  const [, traceId, flags] = /^00-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})$/.exec(traceparent) ?? [];
  return traceId === undefined ? undefined : { ...rest, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

/** What workflows report to the worker, which makes spans of it. */
export interface TraceSinks extends Sinks {
  readonly trace: {
    /** A workflow that belongs to a trace has begun. */
    begun(cause: TraceContext): void;
  };
}

import type { Sinks } from '@temporalio/workflow';

/** The sinks through which workflows report to a worker (the start of a trace) and to a replay (the requested commands). */

/** The header of Temporal that carries a trace, as the OpenTelemetry interceptors of every SDK name it. */
export const TRACE_HEADER = '_tracer-data';

/** W3C Trace Context: a trace, and the span in it that caused something. Holds no data. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * The ID of the span that represents a workflow in all of its runs. It derives from the first run's ID, so that every process
 * and every replay computes the same.
 */
export function workflowSpanId(firstExecutionRunId: string): string {
  return firstExecutionRunId.replaceAll('-', '').slice(-16);
}

/** The same trace with another causing span; undefined for an invalid context. */
export function withParent(spanId: string, { traceparent, ...rest }: TraceContext): TraceContext | undefined {
  const [, traceId, flags] = /^00-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})$/.exec(traceparent) ?? [];
  return traceId === undefined ? undefined : { ...rest, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

export interface TraceSinks extends Sinks {
  readonly trace: {
    start(cause: TraceContext): void;
  };
}

/** The name of a global of the bundle. If it exists, workflows tell a replay what they request. */
export const LOCATED = '__gangwayLocated';

/** An activity or a child that the code requested during a replay. */
export interface Requested {
  readonly what: 'activity' | 'child';
  /** `submitMerchant`. */
  readonly name: string;
  readonly stack: string;
}

export interface ReplaySinks extends Sinks {
  readonly replay: { requested(requested: Requested): void };
}

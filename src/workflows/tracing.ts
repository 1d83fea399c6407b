import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { proxySinks, type Sinks, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { causedBy, TRACE_HEADER, type TraceContext, workflowSpanId } from '../messages/trace-context.js';

/** What the worker makes spans of. */
export interface TraceSinks extends Sinks {
  readonly trace: {
    /** A workflow that belongs to a trace has begun. */
    begun(cause: TraceContext): void;
  };
}

const { trace } = proxySinks<TraceSinks>();

/**
 * Passes the trace that started a workflow to its activities and children. Without a trace it writes no header. The official
 * interceptors would bring an SDK of their own into each workflow, and use up its random numbers.
 */
export function interceptors(): WorkflowInterceptors {
  let traced: Headers = {};
  const within = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...traced },
  });
  return {
    inbound: [
      {
        execute(input, next) {
          const { firstExecutionRunId, continuedFromExecutionRunId } = workflowInfo();
          const cause = causeIn(input.headers);
          const own = cause && causedBy(workflowSpanId(firstExecutionRunId), cause);
          if (own) {
            traced = { [TRACE_HEADER]: defaultPayloadConverter.toPayload(own) };
            if (continuedFromExecutionRunId === undefined) trace.begun(cause);
          }
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(within(input)),
        scheduleLocalActivity: (input, next) => next(within(input)),
        startChildWorkflowExecution: (input, next) => next(within(input)),
        continueAsNew: (input, next) => next(within(input)),
      },
    ],
  };
}

/** Anyone who starts a workflow may put anything there. */
function causeIn({ [TRACE_HEADER]: payload }: Headers): TraceContext | undefined {
  if (!payload) return undefined;
  try {
    const cause = defaultPayloadConverter.fromPayload<TraceContext | null>(payload);
    return typeof cause?.traceparent === 'string' ? cause : undefined;
  } catch {
    return undefined;
  }
}

import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { proxySinks, type Sinks, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { causedBy, TRACE_HEADER, type TraceContext, workflowSpanId } from '../messages/trace-context.js';

/** What the worker is told of, to make a span of. */
export interface TraceSinks extends Sinks {
  readonly trace: {
    /** A workflow that belongs to a trace has begun. */
    begun(cause: TraceContext): void;
  };
}

const { trace } = proxySinks<TraceSinks>();

/**
 * Hands the trace that a workflow was started in on to its activities and children. One that was started in none writes no
 * header. The official interceptors would bring an SDK of their own into each workflow, and draw from its random numbers.
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

/** Whoever starts a workflow may have put anything there. */
function causeIn({ [TRACE_HEADER]: payload }: Headers): TraceContext | undefined {
  if (!payload) return undefined;
  try {
    const cause = defaultPayloadConverter.fromPayload<TraceContext | null>(payload);
    return typeof cause?.traceparent === 'string' ? cause : undefined;
  } catch {
    return undefined;
  }
}

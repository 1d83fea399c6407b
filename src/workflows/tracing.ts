import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { proxySinks, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import {
  causedBy,
  TRACE_HEADER,
  type TraceContext,
  type TraceSinks,
  workflowSpanId,
} from '../messages/trace-context.js';

const { trace } = proxySinks<TraceSinks>();

/**
 * Continues the trace of a workflow in its activities and children. A workflow without a trace writes no header. The
 * interceptors of the Temporal SDK would run a second OpenTelemetry SDK in each workflow, and put error messages into spans.
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

/** The header comes from the caller, who may have put anything there. */
function causeIn({ [TRACE_HEADER]: payload }: Headers): TraceContext | undefined {
  if (!payload) return undefined;
  try {
    const cause = defaultPayloadConverter.fromPayload<TraceContext | null>(payload);
    return typeof cause?.traceparent === 'string' ? cause : undefined;
  } catch {
    return undefined;
  }
}

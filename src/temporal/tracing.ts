import { type Context, context, propagation, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { ClientInterceptors } from '@temporalio/client';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  defaultPayloadConverter,
  type Headers,
} from '@temporalio/common';
import type { ActivityInterceptors, InjectedSinks } from '@temporalio/worker';
import { TRACE_HEADER, type TraceContext, type TraceSinks, workflowSpanId } from '../messages/trace-sinks.js';
import { inSpan, spanWithId } from '../platform/tracing/spans.js';

const { BENIGN } = ApplicationFailureCategory;

/** Passes traces from a client's start to the workflow, and from the workflow to its activities. */

/** Adds the active trace, if any, to the header of each start. */
export const tracedClient: ClientInterceptors = {
  workflow: [
    {
      startWithDetails: (input, next) =>
        inSpan(
          {
            name: `StartWorkflow:${input.workflowType}`,
            kind: SpanKind.CLIENT,
            attributes: { temporalWorkflowID: input.options.workflowId },
          },
          () => next({ ...input, headers: { ...input.headers, ...traceHeaders() } }),
        ),
    },
  ],
  activity: [
    {
      start: (input, next) =>
        inSpan({ name: `StartActivity:${input.activityType}`, kind: SpanKind.CLIENT }, () =>
          next({ ...input, headers: { ...input.headers, ...traceHeaders() } }),
        ),
    },
  ],
};

/** Creates a span for each attempt of an activity, in its workflow's trace. A poll without a status change counts as a success. */
export function tracedActivities({ info }: ActivityContext): ActivityInterceptors {
  const { activityType, workflowExecution, attempt } = info;
  const ids = workflowExecution && {
    temporalWorkflowID: workflowExecution.workflowId,
    temporalRunID: workflowExecution.runId,
  };
  return {
    inbound: {
      execute: (input, next) =>
        inSpan(
          {
            name: `RunActivity:${activityType}`,
            kind: SpanKind.SERVER,
            attributes: { ...ids, 'gangway.attempt': attempt },
            parent: contextOf(traceIn(input.headers)),
          },
          () => next(input),
          (error) => !(error instanceof ApplicationFailure && error.category === BENIGN),
        ),
    },
  };
}

/** Creates a span for the start of each workflow. A span of its complete duration would be visible only after weeks. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  trace: {
    start: {
      fn({ workflowType, workflowId, runId, firstExecutionRunId }, cause) {
        spanWithId(workflowSpanId(firstExecutionRunId), {
          name: `RunWorkflow:${workflowType}`,
          kind: SpanKind.SERVER,
          attributes: { temporalWorkflowID: workflowId, temporalRunID: runId },
          parent: contextOf(cause),
        });
      },
      callDuringReplay: false,
    },
  },
};

function traceHeaders(): Headers {
  const carrier: Partial<TraceContext> = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent === undefined
    ? {}
    : { [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

function traceIn({ [TRACE_HEADER]: payload }: Headers): unknown {
  return payload && defaultPayloadConverter.fromPayload(payload);
}

function contextOf(cause: unknown): Context {
  return propagation.extract(ROOT_CONTEXT, cause ?? {});
}

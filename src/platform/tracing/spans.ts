import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { ClientInterceptors } from '@temporalio/client';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  defaultPayloadConverter,
  type Headers,
} from '@temporalio/common';
import type { ActivityInterceptors, InjectedSinks } from '@temporalio/worker';
import type { Logger } from 'pino';
import { z } from 'zod';
import { TRACE_HEADER, type TraceContext, type TraceSinks, workflowSpanId } from '../../messages/sinks.js';
import type { PartnerObserver } from '../../partners/observers.js';
import { readSettings } from '../settings/settings.js';

/** The destination of traces. The exporter reads the other settings of the standard. */
export const traceSettings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional().meta({ address: true }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional().meta({ address: true }),
});

/**
 * Sends traces to the collector of the standard setting `OTEL_EXPORTER_OTLP_ENDPOINT`, or of the one for traces alone. Without
 * these settings nothing is traced, and of OpenTelemetry only the API is loaded: the rest is in another module.
 *
 * @param service name of the process. `OTEL_SERVICE_NAME` overrides it.
 * @returns sends the remaining spans and stops
 * @throws {BadSetting}
 */
export async function startTracing(
  service: string,
  env: NodeJS.ProcessEnv,
  logger?: Logger,
): Promise<() => Promise<void>> {
  const isOn = Object.values(readSettings(traceSettings, env)).some(Boolean);
  if (!isOn || env['OTEL_SDK_DISABLED'] === 'true') return async () => undefined;
  const { exportTraces } = await import('./export.js');
  const onFailure = (kind: string) => logger?.warn({ kind }, 'traces could not be sent');
  return exportTraces(service, env, () => chosen, onFailure);
}

/** Starts spans. Until tracing is started it does nothing, and costs nothing. */
export function tracer(): Tracer {
  return trace.getTracer('gangway');
}

/** A span that is about to begin. Its name and attributes are constants and ids, never values from outside. */
export interface SpanPlan {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly parent?: Context;
}

/** Runs `work` in a span of its own. @param isFailure whether an error of `work` marks the span as failed */
export async function inSpan<Result>(
  { name, kind = SpanKind.INTERNAL, attributes = {}, parent = context.active() }: SpanPlan,
  work: () => Promise<Result>,
  isFailure: (error: unknown) => boolean = () => true,
): Promise<Result> {
  const span = tracer().startSpan(name, { kind, attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    if (isFailure(error)) fail(span, kindOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed, with the kind of failure. Messages and stacks stay out of traces, because they may be private. */
export function fail(span: Span, kind: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', kind);
}

/** The type of an activity failure is more precise than its name. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}

/** The id of the span that starts now, if it is not a random one. */
let chosen: string | undefined;

/** A span for each HTTP exchange with a partner: the operation and its result. No URL, because it contains ids and search terms. */
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

/** Continues the active trace in what a client starts. Without an active trace no header is written. */
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

/** A span for each attempt of an activity, in the trace of its workflow. A poll without a status change has not failed. */
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
          (error) => !isBenign(error),
        ),
    },
  };
}

/** A span for the start of each workflow. A span of its whole duration would be visible only after weeks. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  trace: {
    begun: {
      fn({ workflowType, workflowId, runId, firstExecutionRunId }, cause) {
        const attributes = { temporalWorkflowID: workflowId, temporalRunID: runId };
        const options = { kind: SpanKind.SERVER, attributes };
        chosen = workflowSpanId(firstExecutionRunId);
        try {
          tracer().startSpan(`RunWorkflow:${workflowType}`, options, contextOf(cause)).end();
        } finally {
          chosen = undefined;
        }
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

function isBenign(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}

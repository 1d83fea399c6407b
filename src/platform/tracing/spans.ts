import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Logger } from 'pino';
import { z } from 'zod';
import { readSettings } from '../settings/settings.js';

/** The destination of traces. The exporter reads OpenTelemetry's other standard settings. */
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
export async function startTracing(service: string, env: NodeJS.ProcessEnv, logger?: Logger) {
  const isOn = Object.values(readSettings(traceSettings, env)).some(Boolean);
  if (!isOn || env['OTEL_SDK_DISABLED'] === 'true') return async () => undefined;
  const { exportTraces } = await import('./export.js');
  const onFailure = (kind: string) => logger?.warn({ kind }, 'traces could not be sent');
  return exportTraces(service, env, () => chosen, onFailure);
}

/** Returns a tracer, which does nothing until tracing is started. */
export function tracer(): Tracer {
  return trace.getTracer('gangway');
}

/** A span that is about to begin. Its name and attributes are constants and IDs, never values from outside. */
export interface SpanPlan {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly parent?: Context;
}

/** Runs `work` in its own span. @param isFailure whether an error of `work` marks the span as failed */
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

/** The ID of the span that starts now, if it is not random. */
let chosen: string | undefined;

/** Starts and ends a span with this ID, which another process computes too. */
export function spanWithId(id: string, { name, ...options }: SpanPlan): void {
  chosen = id;
  try {
    tracer().startSpan(name, options, options.parent).end();
  } finally {
    chosen = undefined;
  }
}

import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  parseKeyPairsIntoRecord,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const GATHERING_MS = 5_000;

/**
 * Exports the spans of this process: OTLP over HTTP, in protobuf. A process can have one export at a time, because OpenTelemetry
 * keeps its provider in a global. Headers, certificates and timeouts come from the environment of the process.
 *
 * @param chosenSpanId returns the ID for the span that starts now, if one was chosen
 * @param onFailure receives the kind of a failed export
 * @returns sends the remaining spans and resets the globals
 */
export function exportTraces(
  service: string,
  env: NodeJS.ProcessEnv,
  chosenSpanId: () => string | undefined,
  onFailure: (kind: string) => void,
): () => Promise<void> {
  setGlobalErrorHandler((error) => onFailure(error instanceof Error ? error.name : 'unknown'));
  const delay = Number.parseInt(env['OTEL_BSP_SCHEDULE_DELAY'] ?? '', 10);
  const scheduledDelayMillis = Number.isNaN(delay) ? GATHERING_MS : delay;
  const url = urlFrom(env);
  const random = new RandomIdGenerator();
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': service,
        ...parseKeyPairsIntoRecord(env['OTEL_RESOURCE_ATTRIBUTES']),
        ...(env['OTEL_SERVICE_NAME'] && { 'service.name': env['OTEL_SERVICE_NAME'] }),
      }),
    ),
    sampler: samplerFrom(env),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ ...url }), scheduledDelayMillis }),
    ],
    idGenerator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => chosenSpanId() ?? random.generateSpanId(),
    },
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const isOurs = trace.setGlobalTracerProvider(provider);
  return async () => {
    if (isOurs) for (const global of [trace, propagation, context]) global.disable();
    await provider.shutdown();
  };
}

/** The setting of traces is the whole URL, the setting of all signals is its beginning. */
function urlFrom({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces,
  OTEL_EXPORTER_OTLP_ENDPOINT: ofAll = '',
}: NodeJS.ProcessEnv): { readonly url?: string } {
  const url = ofTraces || `${ofAll.replace(/\/$/, '')}/v1/traces`;
  return URL.canParse(url) ? { url } : {};
}

function samplerFrom({
  OTEL_TRACES_SAMPLER = 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG = '1',
}: NodeJS.ProcessEnv): Sampler {
  const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(OTEL_TRACES_SAMPLER) ?? [];
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(Number(OTEL_TRACES_SAMPLER_ARG))
        : new AlwaysOnSampler();
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

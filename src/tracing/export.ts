import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { getNumberFromEnv, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { chosenSpanId } from './span-ids.js';

/** Spans wait this long, in milliseconds, to be sent with others. */
const GATHERING_MS = 5_000;

const RANDOM = new RandomIdGenerator();

/** Random, but where the id of a span is known before it starts. */
const SPAN_IDS: IdGenerator = {
  generateTraceId: () => RANDOM.generateTraceId(),
  generateSpanId: () => chosenSpanId() ?? RANDOM.generateSpanId(),
};

/** Makes this process export its spans: OTLP over HTTP, in protobuf. @param onFailure is told what kind of failure it was */
export function exportTraces(service: string, onFailure: (kind: string) => void): () => Promise<void> {
  setGlobalErrorHandler((error) => onFailure(error instanceof Error ? error.name : 'unknown'));
  const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? GATHERING_MS;
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerFrom(process.env),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis })],
    idGenerator: SPAN_IDS,
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

/** The standard names of samplers (OpenTelemetry, general SDK configuration). */
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

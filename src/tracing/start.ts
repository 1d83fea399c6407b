import type { Logger } from 'pino';

/**
 * Sends traces where the standard setting `OTEL_EXPORTER_OTLP_ENDPOINT` (or that of traces alone) says. Where neither is set
 * nothing of OpenTelemetry is loaded but its interface, and nothing is traced.
 *
 * @param service what the process is called, unless `OTEL_SERVICE_NAME` says otherwise
 * @returns sends what is left, and ends it
 */
export async function startTracing(
  service: string,
  env: NodeJS.ProcessEnv,
  logger?: Logger,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED } = env;
  const isOn = Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  if (!isOn || OTEL_SDK_DISABLED === 'true') return async () => undefined;
  const { exportTraces } = await import('./export.js');
  return exportTraces(service, env, (kind) => logger?.warn({ kind }, 'traces could not be sent'));
}

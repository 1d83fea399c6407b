import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** A process has one runtime, whichever file of tests needs it first. Workflows that fail by design say so: errors only. */
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
});

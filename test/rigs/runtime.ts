import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** A process has one runtime, whichever test file needs it first. It logs errors only, because some workflows fail by design. */
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  workerHeartbeatInterval: 0,
});

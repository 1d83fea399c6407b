import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/**
 * A process has one runtime, whichever test file needs it first. It logs errors only, because some workflows fail by design. A test of
 * the SDK alone may have started one with the defaults before, which stays.
 */
try {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
    workerHeartbeatInterval: 0,
  });
} catch (error) {
  if (!(error instanceof IllegalStateError)) throw error;
}

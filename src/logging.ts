import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { censored, PRIVATE_MEMBERS } from './private-values.js';

/** How deep in a log entry a private member is still found. */
const DEPTH = 4;

/**
 * A logger that writes JSON lines, to standard error unless told otherwise: standard output belongs to a process's
 * answers.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination(2),
): PinoLogger {
  const prefixes = Array.from({ length: DEPTH }, (_, depth) => '*.'.repeat(depth));
  const redact = prefixes.flatMap((prefix) => PRIVATE_MEMBERS.map((member) => prefix + member));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact,
      hooks: {
        streamWrite: censored,
      },
      serializers: { error: withoutDetails, err: withoutDetails },
    },
    destination,
  );
}

/** The details of a failure hold what a partner said of an input, which may quote it. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  return { name, message, stack };
}

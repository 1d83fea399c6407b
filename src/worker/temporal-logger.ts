import type { Logger, LogLevel } from '@temporalio/worker';
import type { Logger as PinoLogger } from 'pino';
import { censoredWords } from '../private-values.js';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets the SDK, and through it workflows and activities, log through pino. */
export function temporalLogger(logger: PinoLogger): Logger {
  const log = (level: LogLevel, message: string, meta: object = {}) =>
    logger[LEVELS[level]](withoutContents(meta), censoredWords(message));
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

/**
 * At level trace the SDK logs whole tasks, decrypted. Ids, counts and errors are what one looks for in a log; a text may be the
 * message of a failure.
 */
function withoutContents(meta: object): object {
  const isTold = (value: unknown) => typeof value !== 'object' || value instanceof Error;
  const told = Object.entries(meta).filter(([, value]) => isTold(value));
  return Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === 'string' ? censoredWords(value) : value]),
  );
}

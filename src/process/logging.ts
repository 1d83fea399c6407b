import type { Logger, LogLevel } from '@temporalio/worker';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { masked } from '../privacy/masked.js';
import { withoutPrivate } from '../privacy/private-fields.js';
import { BadSetting } from '../settings/settings.js';
import { withoutHeld } from './in-flight.js';

/**
 * A logger that writes JSON lines, to standard error unless told otherwise: standard output belongs to a process's
 * answers.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination(2),
): PinoLogger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: (entry) => withoutPrivate(entry) as Record<string, unknown> },
      hooks: {
        streamWrite: (line) => withoutHeld(masked(line, 'log')),
      },
      serializers: { error: withoutDetails, err: withoutDetails },
    },
    destination,
  );
}

/** The details of a failure hold what a partner said of an input, which may quote it. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack = '' } = error;
  return { name, message: masked(message, 'failure'), stack: masked(stack, 'failure') };
}

/**
 * Runs a process. What people can mend ends it with one line for them: a bad setting with exit code 2, another `foreseen` error
 * with 1. Anything else is a failure of ours: it ends the process with 1 and goes through the logger, because Node itself
 * would print all that its message holds.
 */
export function runProcess(
  main: (process: NodeJS.Process) => Promise<void>,
  isForeseen: (error: unknown) => boolean = () => false,
): void {
  const end = (error: unknown) => {
    if (error instanceof Error && (error instanceof BadSetting || isForeseen(error))) {
      process.stderr.write(`${error.message}\n`);
    } else {
      createLogger('fatal').fatal({ error: toError(error) }, 'the process has failed');
    }
    // Whatever is open by now, native connections too, would keep the process alive.
    process.exit(error instanceof BadSetting ? 2 : 1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  main(process).catch(end);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets the SDK, and through it workflows and activities, log through pino. */
export function temporalLogger(logger: PinoLogger): Logger {
  const log = (level: LogLevel, message: string, meta: object = {}) =>
    logger[LEVELS[level]](withoutContents(meta), masked(message, 'failure'));
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
    told.map(([name, value]) => [name, typeof value === 'string' ? masked(value, 'failure') : value]),
  );
}

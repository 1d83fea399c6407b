import type { Logger, LogLevel } from '@temporalio/worker';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { z } from 'zod';
import { REDACTED, redact } from '../privacy/masked.js';
import { literal, privateValuesIn, withoutPrivate } from '../privacy/private-fields.js';
import { withAdvice } from '../settings/settings.js';

export const logSettings = z.object({
  GANGWAY_LOG_LEVEL: withAdvice(
    z
      .enum(['trace', 'debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('Lowest level to log. Logs are JSON lines on standard error.'),
    (level, name) =>
      (level === 'trace' || level === 'debug') && {
        why: `is ${level}: logs hold more than production needs`,
        fix: `set ${name}=info`,
      },
  ),
});

/** A logger that writes JSON lines. Default: to standard error, because standard output belongs to the results of a process. */
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
        streamWrite: (line) => withoutHeld(redact(line, 'log')),
      },
      serializers: { error: withoutDetails, err: withoutDetails },
    },
    destination,
  );
}

/** Removes a failure's details, because a partner's words in them may quote an input. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack = '' } = error;
  return { name, message: redact(message, 'failure'), stack: redact(stack, 'failure') };
}

export function temporalLogger(logger: PinoLogger): Logger {
  const log = (level: LogLevel, message: string, meta: object = {}) =>
    logger[level.toLowerCase() as Lowercase<LogLevel>](withoutContents(meta), redact(message, 'failure'));
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

/** At level trace, the SDK logs complete, decrypted tasks. This keeps IDs, counts and errors. A text may be a failure's message. */
function withoutContents(meta: object): object {
  const entries = Object.entries(meta).filter(
    ([, value]) => typeof value !== 'object' || value instanceof Error,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? redact(value, 'failure') : value]),
  );
}

/** The minimum length of a masked value. A shorter one occurs in too many words by accident. */
const SHORTEST = 3;

/** A shorter value is masked only if it is a word. */
const MIN_WITHIN_WORDS = 6;

/** The private values that this process works on, in each form that a log may contain, with the number of their inputs. */
const held = new Map<string, number>();

/** Masks the private values of an input in the log until they are released. */
export function holdPrivate(input: unknown): () => void {
  const forms = [...new Set(privateValuesIn(input).flatMap(({ value }) => formsOf(value)))];
  for (const form of forms) held.set(form, (held.get(form) ?? 0) + 1);
  return () => {
    for (const form of forms.splice(0)) {
      const others = (held.get(form) ?? 1) - 1;
      if (others > 0) held.set(form, others);
      else held.delete(form);
    }
  };
}

// Keeps B2.
/** Masks the held private values in a log line, which is JSON. */
function withoutHeld(line: string): string {
  let rest = line;
  for (const form of held.keys()) {
    if (!rest.includes(form)) continue;
    rest = rest.replace(new RegExp(literal(form, MIN_WITHIN_WORDS), 'g'), REDACTED);
  }
  return rest;
}

/** Returns the forms of a value in a log line: in JSON, in JSON within a JSON string, and in a URL. */
function formsOf(value: string): string[] {
  if (value.trim().length < SHORTEST) return [];
  const inJson = escaped(value);
  return [inJson, escaped(inJson), encodeURIComponent(Buffer.from(value).toString())];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

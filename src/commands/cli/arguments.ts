import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { fieldProblems } from '../../partners/client.js';
import { int32, text } from '../../partners/fields.js';
import { isNestedDeeper, parseExactly, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { duration } from '../../settings/settings.js';
import type { CommandLine } from './command-line.js';
import { InvalidInput } from './errors.js';

/** Rules for arguments and options. A problem names the argument or option, such as `--period`. */

/** A number above 0, as commander parses options. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}

/** How many records a list has at most, as commander parses options. 0 is all of them. */
export function rowLimit(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a number of rows, or 0 for all.');
  return number === 0 ? Number.POSITIVE_INFINITY : number;
}

/** Adds `--json` and `--csv`, which {@link Printer.records} takes. */
export function withRecordFormats(command: Command, json = 'print JSON lines'): Command {
  return command.option('--json', json).addOption(csvOption());
}

export function csvOption(): Option {
  return new Option('--csv', 'print CSV with the fields of --json').conflicts('json');
}

/** A rate per second, as commander parses options. The lower limit keeps the interval within what a timer can wait. */
export function perSecond(value: string): number {
  const number = Number(value);
  if (!(number >= 0.001 && number <= 1_000))
    throw new InvalidArgumentError('It must be a number from 0.001 to 1000.');
  return number;
}

/** A duration in milliseconds, as commander parses options. */
export function milliseconds(value: string): number {
  const read = duration.safeParse(value);
  if (read.success) return read.data;
  throw new InvalidArgumentError('It must be a duration such as 30s, 2m or 1h.');
}

/** A numeric id at the partner. */
export const numericId = z
  .string()
  .regex(/^\d+$/, { error: 'must be a number', abort: true })
  .transform(Number)
  .pipe(int32.min(1, 'must be 1 or more'));

/** A number in this range. */
export function numberWithin(least: number, most: number) {
  const rule = `must be a number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,4}$/, { error: rule, abort: true })
    .transform(Number)
    .refine((number) => number >= least && number <= most, rule);
}

/** The partner's id of a payment card. It becomes part of a workflow id, which is not encrypted. */
export const paymentCardId = text
  .max(200)
  .regex(/^[^\s@]*$/, 'must not have spaces or @')
  .refine((id) => !isCardNumber(id), 'looks like a card number; use the id of the card, paymentCardId');

/** 13 to 19 digits with the check digit of card numbers (ISO/IEC 7812). */
function isCardNumber(id: string): boolean {
  const digits = id.replaceAll('-', '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = place % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** The name of a source of input in messages. */
export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source;
}

/** For `catch`: turns the error of a file that cannot be read into an {@link InvalidInput} that names the file. */
export function cannotRead(name: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new InvalidInput(`${name}: cannot be read (${code})`);
  };
}

/** @throws {InvalidInput} */
export function parseJson(text: string, name: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    // The parser's own message quotes the text, which may hold private data.
    throw new InvalidInput(`${name}: is not JSON`);
  }
}

/** Reads JSON from a file, or from standard input for `-`. @throws {InvalidInput} */
export async function readJson(cli: Pick<CommandLine, 'input'>, source: string): Promise<unknown> {
  const name = sourceName(source);
  const reading = source === '-' ? cli.input().then(String) : readFile(source, 'utf8');
  return parseJson(await reading.catch(cannotRead(name)), name);
}

/**
 * Reads an object from an argument: JSON, `@file`, or `-` for standard input.
 *
 * @param name of the argument in messages
 * @throws {InvalidInput}
 */
export async function readObject(
  cli: Pick<CommandLine, 'input'>,
  given: string,
  name: string,
): Promise<Record<string, unknown>> {
  const isSource = given === '-' || given.startsWith('@');
  const source = given.replace(/^@/, '');
  const value = isSource ? await readJson(cli, source) : parseJson(given, name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidInput(`${isSource ? sourceName(source) : name}: must be a JSON object`);
}

/** Checks a value against a schema. @throws {InvalidInput} that names every wrong field with its rule */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  effect = 'nothing was started',
): z.output<Schema> {
  const invalid = (problems: readonly FieldProblem[]) =>
    new InvalidInput(`${what}: is not valid; ${effect}`, problems);
  if (isNestedDeeper(value)) throw invalid([{ field: '', message: TOO_NESTED }]);
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw invalid(fieldProblems(checked.error));
}

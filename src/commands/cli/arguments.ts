import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { isNestedDeeper, TOO_NESTED } from '../../http/nesting.js';
import { int32, text } from '../../partners/banking/rules.js';
import { fieldProblems } from '../../partners/client.js';
import { parseExactly } from '../../partners/json.js';
import { duration } from '../../settings/settings.js';
import type { CommandLine } from './command-line.js';
import { InvalidInput } from './errors.js';

/** Rules of what people type. A problem is told by the name of the argument or option, such as `--period`. */

/** A number above 0, as commander reads options. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}

/** How often in a second, as commander reads options; not so seldom that no timer could wait for it. */
export function perSecond(value: string): number {
  const number = Number(value);
  if (!(number >= 0.001 && number <= 1_000))
    throw new InvalidArgumentError('It must be a number from 0.001 to 1000.');
  return number;
}

/** A duration in milliseconds, as commander reads options. */
export function milliseconds(value: string): number {
  const read = duration.safeParse(value);
  if (read.success) return read.data;
  throw new InvalidArgumentError('It must be a duration such as 30s, 2m or 1h.');
}

/** An id at the partner that is a number. */
export const numericId = z
  .string()
  .regex(/^\d+$/, { error: 'must be a number', abort: true })
  .transform(Number)
  .pipe(int32.min(1, 'must be 1 or more'));

/** A number of this range. */
export function numberWithin(least: number, most: number) {
  const rule = `must be a number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,4}$/, { error: rule, abort: true })
    .transform(Number)
    .refine((number) => number >= least && number <= most, rule);
}

/** The partner's id of a payment card becomes part of a workflow id, which everyone can see. */
export const paymentCardId = text
  .max(200)
  .regex(/^[^\s@]*$/, 'must not have spaces or @')
  .refine((id) => !isCardNumber(id), 'looks like a card number: give the id of the card, paymentCardId');

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

/** What people call a source of input. */
export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source;
}

/** Reads JSON from a file, or from standard input for `-`. @throws {InvalidInput} */
export async function readJson(cli: Pick<CommandLine, 'input'>, source: string): Promise<unknown> {
  const name = sourceName(source);
  let content: string;
  try {
    content = source === '-' ? String(await cli.input()) : await readFile(source, 'utf8');
  } catch (error) {
    throw new InvalidInput(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return parseExactly(content);
  } catch {
    // The parser's own message quotes the text, which may hold private data.
    throw new InvalidInput(`${name}: is not JSON`);
  }
}

/** Checks a value against a schema. @throws {InvalidInput} that names every wrong field with its rule */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  sofar = 'nothing was started',
): z.output<Schema> {
  if (isNestedDeeper(value)) {
    throw new InvalidInput(`${what}: is not valid; ${sofar}`, [{ field: '', message: TOO_NESTED }]);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new InvalidInput(`${what}: is not valid; ${sofar}`, fieldProblems(checked.error));
}

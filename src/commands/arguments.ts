import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { duration } from '../config.js';
import { int32, text } from '../partners/banking/rules.js';

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

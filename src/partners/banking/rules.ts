import { z } from 'zod';
import { int64, text } from '../field-schemas.js';

/** Rules for single values (docs/partner-apis.md#banking-rules). Messages name the rule, never the value. */

/** The partner's numbers for US states and territories. The contract does not say which number is which state. */
export const state = z.int().min(1).max(53);

/** As in the contract: ten digits, any of which can be an asterisk. */
export const phone = z.string().regex(/^(\d|\*){10}$/, 'must be 10 digits');

export const tenDigits = z.string().regex(/^\d{10}$/, 'must be 10 digits');

/** As in the contract: nine digits without dashes, except numbers that are never issued. */
export const ssn = z
  .string()
  .regex(
    /^(?!(666|9\d{2}))(?:0[1-9]\d|00[1-9]|[1-8]\d{2})(?:0[1-9]|[1-9]\d)(?!0000)\d{4}$/,
    'must be 9 digits of a valid SSN, without dashes',
  );

/** As in the contract; the two leading digits are optional. */
export const ein = z
  .string()
  .regex(/^(?!00\d{7}$)(?!\d{2}0000000$)(\d{2})?(\d{7})$/, 'must be 9 digits of a valid EIN, without dashes');

/** As in the contract. E3's list of errors requires exactly 5 digits, but its pattern accepts ZIP+4, and so do we. */
export const postalCode = z.string().regex(/^\d{5}(-\d{4})?$/, 'must be 5 digits, or 5-4');

export const zipCode = z.string().regex(/^\d{5}$/, 'must be 5 digits');

/**
 * The contract has `^[a-zA-Z\d',. \-#]+(([',. \-#][a-zA-Z ])?[a-zA-Z.]*)*$`, which takes exponential time on text that does not
 * match. Its first part accepts everything that its second part could add, so this is the same rule.
 */
export const extendedAddress = z
  .string()
  .regex(/^[a-zA-Z\d',. \-#]+$/, "must be letters, digits, spaces and ' , . - # only");

const startsWithNumberAndStreet = /^\d\S*\s.*\p{L}/u;
const postOfficeBox = /\b(p\.?\s*o\.?\s*box|post\s+office\s+box)\b/i;

/** Street address (E3): a number, then a street name; no post office box. */
export const streetAddress = text
  .regex(startsWithNumberAndStreet, 'must start with a number, followed by the name of a street')
  .refine((address) => !postOfficeBox.test(address), 'must not be a PO box');

/** The source of a one-time code (E1, E3). */
export const secondFactor = z.enum(['ShortMessageCode', 'TimeBasedCode', 'LegacyTimeBasedCode']);

export const oneTimeCode = z.string().regex(/^\d{6}$/, 'must be 6 digits');

/** An amount of E7: whole US dollars. */
export const dollars = int64
  .refine((amount) => amount >= 0n, 'must be 0 or more')
  .meta({ format: 'int64', minimum: 0 });

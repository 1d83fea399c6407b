import { type ZodType, z } from 'zod';

/** What members of answers are read as, whichever partner answers: tolerantly, and what is absent reads as null. */

export const absent = <T extends ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Ids are text here and numbers there; they are kept as text. */
export const idText = z.union([z.string(), z.number()]).transform(String);

/** A value of an enumeration: a number where a contract prints numbers, a name where services of its kind use names. */
const code = z.union([z.number(), z.string()]);

/** An int64: a number up to 2^53, the text of its digits beyond, see `parseKeepingDigits`. */
const int64 = code.meta({ format: 'int64' });

export const someText = absent(z.string());
export const someNumber = absent(z.number());
export const someInt64 = absent(int64);
export const someFlag = absent(z.boolean());
export const someCode = absent(code);
export const someId = absent(idText);

/** Null, an absent list and an empty one are the same: nothing there. */
export const list = <T extends ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** The response of an operation that may be empty, or is not shown: kept as it comes; an empty one reads as null. */
export const anyAnswer = z.unknown().transform((answer) => answer ?? null);

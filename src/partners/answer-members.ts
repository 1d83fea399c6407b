import { type ZodType, z } from 'zod';

/** What members of answers are read as, whichever partner answers: tolerantly, and what is absent reads as null. */

export const absent = <T extends ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Ids are text here and whole numbers there; they are kept as text. */
export const idText = z.union([z.string().regex(/\S/), z.int()]).transform(String);

/** An id that is a number, and compared as one. */
export const idNumber = z.int().positive();

/** A value of an enumeration: a number where a contract prints numbers, a name where services of its kind use names. */
const code = z.union([z.number(), z.string()]);

/** An int64: a number up to 2^53, the text of its digits beyond, see `parseKeepingDigits`. */
const int64 = code.meta({ format: 'int64' });

export const someText = absent(z.string());
export const someNumber = absent(z.number());
export const someInt64 = absent(int64);
export const someFlag = absent(z.boolean());
export const someCode = absent(code);
/** Blank text stands for no id. */
export const someId = absent(z.union([z.string(), z.int()]).transform(String)).transform((id) =>
  id?.trim() ? id : null,
);
/** 0 stands for no id. */
export const someIdNumber = absent(z.int().nonnegative()).transform((id) => id || null);

/** Null, an absent list and an empty one are the same: nothing there. */
export const list = <T extends ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** The response of an operation that may be empty, or is not shown: kept as it comes; an empty one reads as null. */
export const anyAnswer = z.unknown().transform((answer) => answer ?? null);

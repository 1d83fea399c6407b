import { z } from 'zod';

/**
 * An int64. In a request it is a safe integer, a text of digits (what JSON of others holds without loss), or a `bigint`;
 * on the wire it is a plain number.
 */
export const int64 = z
  .union([z.string(), z.number(), z.bigint()])
  .transform((value, context) => {
    const isExact =
      typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d{1,19}$/.test(String(value));
    const whole = isExact ? BigInt(value) : undefined;
    if (whole !== undefined && BigInt.asIntN(64, whole) === whole) return whole;
    context.addIssue({
      code: 'custom',
      message: 'must be an int64; beyond 2^53 - 1 write its digits as text',
    });
    return z.NEVER;
  })
  .meta({ format: 'int64' });

/** NewPlant: all that a plant has, and its id. */
export const newPlant = z.strictObject({ id: int64, name: z.string(), tag: z.string().optional() });

/**
 * Plant. The contract prints no id in it; should the partner tell one, it is kept as the text of its digits, for an answer
 * travels on as JSON.
 */
export const plant = z.looseObject({
  name: z.string(),
  tag: z
    .string()
    .nullish()
    .transform((tag) => tag ?? null),
  id: z.union([z.bigint(), z.int(), z.string()]).transform(String).optional(),
});

/** Error. */
export const failure = z.looseObject({ error: z.int32(), message: z.string() });

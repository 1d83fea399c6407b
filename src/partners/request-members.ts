import { z } from 'zod';

/** ISO 8601 date and time, as `1980-02-29T00:00:00Z`; with or without an offset. */
export const dateTime = z.iso.datetime({
  offset: true,
  local: true,
  error: 'must be a date and time such as 2026-01-05T12:00:00Z',
});

export const email = z.email('must be an e-mail address');

/** What members of requests must be, whichever partner is asked. Messages name the rule and never the value. */

export const int32 = z.int32();

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

/** Any JSON, for members whose shape nobody printed: they travel as they are. */
export const json = z.json('must be JSON; beyond 2^53 - 1 write the digits of a whole number as text');

/** What an object may have beside the fields that are known. */
export const furtherJson: z.ZodType = json;

type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | ExactJson[]
  | { readonly [field: string]: ExactJson };

/** The same where whole numbers keep their digits on the whole way: one beyond 2^53 is a `bigint`. */
export const exactJson: z.ZodType<ExactJson, ExactJson> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.bigint(),
    z.boolean(),
    z.null(),
    z.array(exactJson),
    z.record(z.string(), exactJson),
  ]),
);

export const text = z.string().min(1, 'must not be empty');

export const httpsUrl = z
  .string()
  .refine((url) => /^https:\/\//i.test(url) && URL.canParse(url), 'must be a full https URL')
  .meta({ format: 'uri' });

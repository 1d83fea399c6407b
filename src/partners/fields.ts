import { type ZodType, z } from 'zod';
import type { Opened, PartnerResponse } from './client.js';
import type { HttpResponse } from './http.js';
import { problemsOf } from './partner-error.js';

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

/** What members of answers are read as, whichever partner answers: tolerantly, and what is absent reads as null. */

export const absent = <T extends ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Ids are text here and whole numbers there; they are kept as text. */
export const idText = z.union([z.string().regex(/\S/), z.int()]).transform(String);

/** An id that is a number, and compared as one. */
export const idNumber = z.int().positive();

/** A value of an enumeration: a number where a contract prints numbers, a name where services of its kind use names. */
const code = z.union([z.number(), z.string()]);

/** An responseInt64: a number up to 2^53, the text of its digits beyond, see `parseKeepingDigits`. */
const responseInt64 = code.meta({ format: 'int64' });

export const someText = absent(z.string());
export const someNumber = absent(z.number());
export const someInt64 = absent(responseInt64);
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

/** What the response of a partner says that writes plain JSON without an envelope; an empty body is null. */
export function openPlain(response: PartnerResponse): Opened | undefined {
  const succeeded = response.status >= 200 && response.status <= 299;
  if (response.body.byteLength === 0) return { failed: !succeeded, payload: null, fields: [] };
  const { json } = response;
  if (json === undefined) {
    const said = plainText(response);
    return succeeded || said === undefined
      ? undefined
      : { failed: true, fields: said ? [{ field: '', message: said }] : [] };
  }
  return { failed: !succeeded, payload: json, fields: succeeded ? [] : problemsOf(json) };
}

/** An error in one line of text; pages of some proxy on the way are none. */
function plainText({ headers, body }: HttpResponse): string | undefined {
  const isText = String(headers['content-type'] ?? '').startsWith('text/plain');
  return isText && body.byteLength <= 500 ? body.toString('utf8').trim() : undefined;
}

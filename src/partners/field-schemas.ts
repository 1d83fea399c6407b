import { type ZodType, z } from 'zod';
import { type Mark, marks } from '../platform/schemas/shape.js';
import type { HttpResponse } from './http.js';
import { problemsInBody } from './partner-error.js';
import type { PartnerResponse, Unwrapped } from './responses.js';

/** ISO 8601 date and time, as `1980-02-29T00:00:00Z`; with or without an offset. */
export const dateTime = z.iso
  .datetime({
    offset: true,
    local: true,
    error: 'must be a date and time such as 2026-01-05T12:00:00Z',
  })
  .meta({ format: 'date-time' });

export const email = z.email('must be an e-mail address');

/** Schemas for request fields of every partner. Messages name the rule, never the value. */

export const int32 = z.int32();

/**
 * An int64. In a request, a safe integer, a string of digits (which every JSON parser preserves) or a `bigint`; on the wire, a
 * plain number.
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

/** Any JSON, for a field whose shape the contract does not show. It is sent unchanged. */
export const json = z.json('must be JSON; beyond 2^53 - 1 write the digits of a whole number as text');

export const furtherJson: z.ZodType = json;

type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | ExactJson[]
  | { readonly [field: string]: ExactJson };

/** Any JSON. Whole numbers keep all digits: a number beyond 2^53 is a `bigint`. */
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

/** Schemas for response fields of every partner. They are tolerant, and read an absent field as null. */

export const absent = <T extends ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** An ID, as text. Partners return text or whole numbers. */
export const idText = z.union([z.string().regex(/\S/), z.int()]).transform(String);

/** The ID of a record. These services use 0 for no record. */
export const idNumber = z.int().positive();

/** The ID of a row in a list, which may be any integer. */
export const rowId = z.int();

/** A value of an enumeration: a number, as in the contracts, or a name, as in similar services. */
const code = z.union([z.number(), z.string()]);

/** An int64 in a response: a number up to 2^53, beyond that a string of digits, see `parsePreservingNumbers`. */
const responseInt64 = code.meta({ format: 'int64' });

export const someText = absent(z.string());
/** A date and time, stored unchanged. A comparison reports any form but ISO 8601. */
export const someDateTime = absent(dateTimeText());
export const someNumber = absent(z.number());
export const someInt64 = absent(responseInt64);
export const someFlag = absent(z.boolean());
export const someCode = absent(code);
const optionalName = z
  .union([z.string(), z.int()])
  .transform(String)
  .nullish()
  .transform((name) => (name === undefined || name?.trim() ? name : null));
/** A name, or the number of one. Blank text means none. */
export const someName = optionalName.transform((name) => name ?? null);
/** An ID that some responses omit; it then stays absent. Blank text and zero mean no ID. */
export const optionalId = optionalName.transform((id) => (id && /^0+$/.test(id.trim()) ? null : id));
export const someId = optionalId.transform((id) => id ?? null);
/** 0 means no ID. */
export const someIdNumber = absent(z.int()).transform((id) => id || null);

/** Null and an absent list read as an empty list. */
export const list = <T extends ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

function dateTimeText() {
  const text = z.string();
  // For comparisons, and for the OpenAPI document.
  marks.add(text, { format: 'date-time' });
  z.globalRegistry.add(text, { format: 'date-time' });
  return text;
}

function marked<Schema extends ZodType>(schema: Schema, mark: Mark): Schema {
  const copy = schema.clone();
  marks.add(copy, { ...marks.get(schema), ...mark });
  return copy;
}

export const needed = <Schema extends ZodType>(schema: Schema) => marked(schema, { needed: true });
export const sometimes = <Schema extends ZodType>(schema: Schema) => marked(schema, { sometimes: true });
export const documentedText = <Schema extends ZodType>(schema: Schema) =>
  marked(schema, { types: ['string', 'null'] });
export const open = <Schema extends ZodType>(schema: Schema) => marked(schema, { open: true });
export const statusName = <Schema extends ZodType>(schema: Schema, names: readonly string[]) =>
  marked(schema.describe(`Among others ${names.filter((name) => !name.startsWith('*')).join(', ')}`), {
    names,
  });

/** Reports whether a status name is one of these, ignoring case and word separators, see {@link Mark.names}. */
export function isAmong(names: readonly string[], name: string): boolean {
  const input = inOneWord(name);
  return names.some((value) => {
    const wanted = inOneWord(value);
    return wanted.startsWith('*') ? input.endsWith(wanted.slice(1)) : wanted === input;
  });
}

/** `Pending Review`, `Pending_Review` and `pendingReview` are one name. */
function inOneWord(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Returns the value of a name, ignoring case and word separators. */
export function byName<Value>(values: ReadonlyMap<string, Value>, name: string): Value | undefined {
  return [...values].find(([entry]) => isAmong([entry], name))?.[1];
}

/** Reads a response of plain JSON without an envelope; an empty body is null. */
export function openPlain(response: PartnerResponse): Unwrapped | undefined {
  const succeeded = response.status >= 200 && response.status <= 299;
  if (response.body.byteLength === 0) return { failed: !succeeded, payload: null, fields: [] };
  const { json } = response;
  if (json === undefined) {
    const problem = plainText(response);
    return succeeded || problem === undefined
      ? undefined
      : { failed: true, fields: problem ? [{ field: '', message: problem }] : [] };
  }
  return { failed: !succeeded, payload: json, fields: succeeded ? [] : problemsInBody(json) };
}

/** Returns a one-line text error; undefined for a proxy's page. */
function plainText({ headers, body }: HttpResponse): string | undefined {
  const isText = String(headers['content-type'] ?? '').startsWith('text/plain');
  return isText && body.byteLength <= 500 ? body.toString('utf8').trim() : undefined;
}

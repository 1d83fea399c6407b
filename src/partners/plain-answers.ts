import { z } from 'zod';
import type { Opened } from './client.js';
import { parseKeepingDigits } from './exact-json.js';
import type { HttpResponse } from './http.js';
import type { FieldProblem } from './partner-error.js';

const UNKNOWN_FORM = 'the partner reported a problem in an unknown form';

const messages = z.union([z.string().transform((one) => [one]), z.array(z.string())]).catch([UNKNOWN_FORM]);

/** Problem details as ASP.NET writes them: `errors: {Field: ["message"]}`. */
const byField = z
  .record(z.string(), messages)
  .transform((errors) => Object.entries(errors).flatMap(([field, all]) => told(field, all)));

const inAnyForm = z.union([
  byField,
  z.array(z.string()).transform((all) => told('', all)),
  z.string().transform((one) => told('', [one])),
]);

const told = (field: string, all: readonly string[]): FieldProblem[] =>
  all.filter(Boolean).map((message) => ({ field, message }));

const none: FieldProblem[] = [];

/** The forms that error bodies of such services have, where a contract shows none. */
const errorBody = z.union([
  z.looseObject({
    errors: inAnyForm.nullish().catch(none),
    message: z.string().nullish().catch(null),
    error: z.string().nullish().catch(null),
    detail: z.string().nullish().catch(null),
    title: z.string().nullish().catch(null),
  }),
  z.string(),
]);

/** What the response of a partner says that writes plain JSON without an envelope; an empty body is null. */
export function openPlain(response: HttpResponse): Opened | undefined {
  const succeeded = response.status >= 200 && response.status <= 299;
  if (response.body.byteLength === 0) return { failed: !succeeded, payload: null, fields: [] };
  const body = parsedBody(response.body);
  if (body === undefined) {
    const said = plainText(response);
    return succeeded || said === undefined ? undefined : { failed: true, fields: told('', [said]) };
  }
  return { failed: !succeeded, payload: body, fields: succeeded ? [] : problemsOf(body) };
}

/** What an error body says is wrong; nothing when it is in none of the known forms. */
export function problemsOf(body: unknown): readonly FieldProblem[] {
  const read = errorBody.safeParse(body);
  if (!read.success) return none;
  if (typeof read.data === 'string') return told('', [read.data]);
  const { errors, message, error, detail, title } = read.data;
  if (errors && errors.length > 0) return errors;
  return told('', [message ?? error ?? detail ?? title ?? '']);
}

/** An error in one line of text; pages of some proxy on the way are none. */
function plainText({ headers, body }: HttpResponse): string | undefined {
  const isText = String(headers['content-type'] ?? '').startsWith('text/plain');
  return isText && body.byteLength <= 500 ? body.toString('utf8').trim() : undefined;
}

/** The JSON of a body, its whole numbers with all their digits; undefined when it is no JSON. */
export function parsedBody(body: Buffer): unknown {
  try {
    return parseKeepingDigits(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

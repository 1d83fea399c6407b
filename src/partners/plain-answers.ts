import type { Opened } from './client.js';
import { parseKeepingDigits } from './exact-json.js';
import type { HttpResponse } from './http.js';
import { problemsOf } from './told-problems.js';

/** What the response of a partner says that writes plain JSON without an envelope; an empty body is null. */
export function openPlain(response: HttpResponse): Opened | undefined {
  const succeeded = response.status >= 200 && response.status <= 299;
  if (response.body.byteLength === 0) return { failed: !succeeded, payload: null, fields: [] };
  const body = parsedBody(response.body);
  if (body === undefined) {
    const said = plainText(response);
    return succeeded || said === undefined
      ? undefined
      : { failed: true, fields: said ? [{ field: '', message: said }] : [] };
  }
  return { failed: !succeeded, payload: body, fields: succeeded ? [] : problemsOf(body) };
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

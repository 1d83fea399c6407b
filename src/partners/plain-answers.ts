import type { Opened, PartnerResponse } from './client.js';
import type { HttpResponse } from './http.js';
import { problemsOf } from './told-problems.js';

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

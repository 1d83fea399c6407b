import type { Opened } from './client.js';
import type { HttpResponse } from './http.js';
import { problemsOf } from './told-problems.js';

/**
 * What an answer of a partner says that writes plain JSON without an envelope; an empty body is null.
 *
 * @param parse how JSON is read, where numbers matter
 */
export function openPlain(
  response: HttpResponse,
  parse: (text: string) => unknown = JSON.parse,
): Opened | undefined {
  const succeeded = response.status >= 200 && response.status <= 299;
  if (response.body.byteLength === 0) return { failed: !succeeded, payload: null, fields: [] };
  const body = parsed(response.body, parse);
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

function parsed(body: Buffer, parse: (text: string) => unknown): unknown {
  try {
    return parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

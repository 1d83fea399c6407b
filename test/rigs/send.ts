/** A response as it arrived. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json<T>(): T;
}

export type HeaderLines = Readonly<Record<string, string>>;
export type Body = string | Uint8Array<ArrayBuffer> | FormData;

/** `send(url, 'POST /plants', '{"id":1}')`, with nothing added; throws when the connection is cut. */
export async function send(
  url: string,
  line: string,
  body?: Body,
  headers: HeaderLines = {},
): Promise<Reply> {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

/** The same with a body, if there is one, that is marked as JSON. */
export const sendJson: typeof send = (url, line, body, headers) =>
  send(url, line, body, { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers });

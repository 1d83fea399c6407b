import { FormData } from 'undici';
import { type FilePart, type Operation, pathParameters } from './catalogue.js';
import { writeExactly } from './json.js';

/**
 * The address and body of a request, by its catalogue entry. A list in the query repeats its name. A `bigint` is a
 * plain number in the body.
 */
export function encode(operation: Operation, request: Readonly<Record<string, unknown>>) {
  const inPath = new Set(pathParameters(operation));
  const inQuery = new Set(operation.query ?? []);
  const query = new URLSearchParams();
  const body: [string, unknown][] = [];
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined || inPath.has(name)) continue;
    if (inQuery.has(name)) for (const one of [value].flat()) query.append(name, String(one));
    else body.push([name, value]);
  }
  const search = query.size > 0 ? `?${query}` : '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(request[field])));
  const address = { path: path + search, headers: { ...operation.headers } };
  if (operation.encoding === 'multipart') return { ...address, body: formData(body) };
  const hasBody = operation.sendsEmptyBody || body.length > 0;
  if (operation.method === 'GET' || !hasBody) return address;
  const headers = { ...address.headers, 'content-type': 'application/json' };
  return { ...address, headers, body: writeExactly(Object.fromEntries(body)) };
}

function formData(fields: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (isFilePart(value)) {
      const content = new Blob([Buffer.from(value.content)], { type: value.contentType });
      form.append(name, content, value.fileName);
    } else {
      form.append(name, String(value));
    }
  }
  return form;
}

export function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'fileName' in value && 'content' in value;
}

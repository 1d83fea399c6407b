import { FormData } from 'undici';
import type { Reply } from './running-console.js';

/** What a person types into the fields of the form of an input: `holder.ssn`. */
export function typedInto(input: unknown, name = ''): Record<string, string> {
  // The form takes a number where a name is taken.
  const field = name.replace(/agentProfileId$/, 'agent').replace(/boardingSettingsId$/, 'boardingSettings');
  if (typeof input !== 'object' || input === null) return { [field]: String(input) };
  if (/(^|\.)(application|fees\.\w+)$/.test(name)) return { [name]: JSON.stringify(input) };
  const inside = Object.entries(input).map(([field, value]) =>
    typedInto(value, name ? `${name}.${field}` : field),
  );
  return Object.assign({}, ...inside);
}

/** The value of a text field on a page. */
export function typedAt({ text }: Pick<Reply, 'text'>, name: string): string | undefined {
  const [input = ''] = new RegExp(`<input [^>]*name="${literal(name)}"[^>]*>`).exec(text) ?? [];
  return / value="([^"]*)"/.exec(input)?.[1];
}

/** The text of the error at a field. */
export function errorAt({ text }: Pick<Reply, 'text'>, name: string): string | undefined {
  return new RegExp(`id="field-${literal(name)}-error">([^<]*)<`).exec(text)?.[1];
}

/** The ends of the address to which a form leads. */
export function leadsTo({ headers }: Pick<Reply, 'headers'>): string {
  return decodeURIComponent(headers.get('location') ?? '');
}

function literal(text: string): string {
  return text.replaceAll('.', '\\.');
}

/** A form with a file, as a browser sends it: the token comes first. */
export function formWithFile(
  csrf: string,
  files: Readonly<Record<string, readonly [name: string, content: string | Uint8Array<ArrayBuffer>]>>,
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData();
  form.append('csrf', csrf);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [field, [name, content]] of Object.entries(files)) form.append(field, new Blob([content]), name);
  return form;
}

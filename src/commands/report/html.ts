import { harmless } from '../cli/table.js';

/** HTML whose texts are escaped. Only {@link html} makes it, so no other text gets into a page as it is. */
export class Html {
  readonly #text: string;

  /** @internal Use {@link html}. */
  constructor(strings: readonly string[], parts: readonly Part[]) {
    this.#text = strings.reduce((text, string, index) => text + written(parts[index - 1]) + string);
  }

  toString(): string {
    return this.#text;
  }
}

/** A part of a template. A list is joined; `undefined` and `false` are left out. */
export type Part = Html | string | number | undefined | false | readonly Part[];

/** A template of HTML, which escapes every text in it. Attributes have double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings, parts);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function written(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(written).join('');
  const text = harmless(String(part));
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

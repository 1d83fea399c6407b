/** The fields of the address bar or of a form. If a field is given twice, the last one counts. */
export class Fields {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(body: unknown) {
    this.#fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  }

  #values(name: string): readonly unknown[] {
    return Object.hasOwn(this.#fields, name) ? [this.#fields[name]].flat() : [];
  }

  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** '' when it is not given. */
  text(name: string): string {
    const value = this.#values(name).at(-1);
    return typeof value === 'string' ? value : '';
  }

  all(name: string): readonly string[] {
    return this.#values(name).filter((value) => typeof value === 'string');
  }

  /** undefined when it is not given, or not one of these. */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.text(name);
    return values.find((value) => value === text);
  }

  /** A whole number from 1. */
  page(name: string): number {
    const text = this.text(name);
    return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 1;
  }
}

/** An address of this page with other fields; those that are empty are left out. */
export function address(path: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/**
 * The name of the field with the filter of the inbox, `kind=ticket`, from which a person came to a requirement. Absent, that
 * person came from elsewhere.
 */
export const LIST = 'list';

/** The name of the field of an address to which the answer to another requirement led. */
export const IS_NEXT = 'next';

/** An address of a requirement that remembers the list; undefined leaves it as it is. */
export function withList(path: string, list: string | undefined): string {
  return list === undefined ? path : `${path}?${new URLSearchParams({ [LIST]: list })}`;
}

/** @param list may name a row of the page, to which the browser then scrolls: `kind=ticket&row=r-...` */
export function inboxOf(list: string): string {
  const fields = new URLSearchParams(list);
  const row = fields.get(ROW);
  fields.delete(ROW);
  return `/${fields.size > 0 ? `?${fields}` : ''}${row ? `#${encodeURIComponent(row)}` : ''}`;
}

export const ROW = 'row';

/** The address of a workflow's page, or of something below it. */
export function pathOf(workflowId: string, ...below: readonly string[]): string {
  return ['/onboardings', ...[workflowId, ...below].map(encodeURIComponent)].join('/');
}

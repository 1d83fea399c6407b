/** The fields of a query string or a form. If a field is present twice, the last one counts. */
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

  /** Returns '' if the field is absent. */
  text(name: string): string {
    const value = this.#values(name).at(-1);
    return typeof value === 'string' ? value : '';
  }

  all(name: string): readonly string[] {
    return this.#values(name).filter((value) => typeof value === 'string');
  }

  /** Returns undefined if the field is absent, or is not one of these values. */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.text(name);
    return values.find((value) => value === text);
  }

  /** Returns an integer, 1 or more. */
  page(name: string): number {
    const text = this.text(name);
    return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 1;
  }
}

/** Returns the address of a page with these fields, without the empty ones. */
export function address(path: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/** The name of the field with the inbox filter, such as `kind=ticket`, from which a person opened a requirement, if any. */
export const LIST = 'list';

/** The name of the field that marks a requirement's page as opened after an answer to another requirement. */
export const IS_NEXT = 'next';

/** Adds the inbox filter to the address of a requirement, if there is one. */
export function withList(path: string, list: string | undefined): string {
  return list === undefined ? path : `${path}?${new URLSearchParams({ [LIST]: list })}`;
}

/** @param list the inbox filter. It can name a row, to which the browser scrolls: `kind=ticket&row=r-...` */
export function inboxOf(list: string): string {
  const fields = new URLSearchParams(list);
  const row = fields.get(ROW);
  fields.delete(ROW);
  return `/${fields.size > 0 ? `?${fields}` : ''}${row ? `#${encodeURIComponent(row)}` : ''}`;
}

export const ROW = 'row';

/** Returns the address of a workflow's page, or of a page below it. */
export function pathOf(workflowId: string, ...below: readonly string[]): string {
  return ['/onboardings', ...[workflowId, ...below].map(encodeURIComponent)].join('/');
}

import { alternativesOf, isAny, type Shape, shapeFrom, shapeOf } from '../platform/schemas/shape.js';
import type { Operation } from './catalogue.js';
import type { InspectedResponse } from './client.js';
import { PARTNERS, type SystemName } from './descriptors.js';
import { isAmong } from './field-schemas.js';
import { openApiResponses } from './openapi/document.js';
import { fieldProblems } from './schema-messages.js';

/** The ways in which a response can differ from the catalogue. */
export type DifferenceKind =
  /** A status that the contract does not list. */
  | 'http-status'
  /** A field is missing that the catalogue expects in each response. */
  | 'missing-field'
  /** Another type, such as text instead of a number. */
  | 'other-type'
  /** The right type, but it breaks a rule of the catalogue. */
  | 'other-form'
  /** An undocumented status name. */
  | 'unknown-status'
  /** A field that is not in the catalogue. */
  | 'unknown-field';

/** A difference between a response and the catalogue. It contains types and lengths, never values. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Dotted, with `N` for the index in a list: `records.N.id`; '' for the whole response. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
  /** Whether a workflow depends on the field. */
  readonly isNeeded: boolean;
}

/** Compares a response with the catalogue, field by field. Reports each difference once, however many records have it. */
export function differencesIn({
  system,
  operation,
  status,
  hasEnvelope,
  payload,
  envelope,
  more,
  failed,
}: InspectedResponse): Difference[] {
  const isNeeded = operation.inWorkflows === true;
  const listed = statusesOf(system as SystemName, operation);
  if (status < 500 && !listed.includes(status))
    return [
      {
        kind: 'http-status',
        field: '',
        expected: listed.join(', '),
        got: String(status),
        isNeeded: isNeeded && failed,
      },
    ];
  if (failed || operation.returns === 'stream' || operation.returns === 'none') return [];
  if (!hasEnvelope) {
    const expected = 'JSON, in the envelope of the contract if it has one';
    return [{ kind: 'other-form', field: '', expected, got: 'another body', isNeeded }];
  }
  const comparison = new Comparison(isNeeded, true);
  if (more !== undefined) comparison.addRule([], `the whole list, and not a page of it (${more})`);
  comparison.compare(shapeOf(operation.response), payload, [], true);
  const checked = operation.response.safeParse(payload);
  if (!checked.success) {
    for (const { field, message } of fieldProblems(checked.error)) {
      const path = field.split('.').map((name) => (/^\d+$/.test(name) ? 'N' : name));
      comparison.addRule(field === '' ? [] : path, message);
    }
  }
  const around = new Comparison(false, false);
  const envelopeShape = PARTNERS[system as SystemName].contract.around?.(operation);
  if (envelopeShape && envelope !== undefined)
    around.compare(shapeFrom(envelopeShape), envelope, ['(envelope)'], false);
  return [...comparison.differences, ...around.differences];
}

function statusesOf(system: SystemName, operation: Operation): number[] {
  return Object.keys(openApiResponses(operation, PARTNERS[system].contract, {})).map(Number);
}

/** Reports whether the catalogue has a response shape to compare with. */
export function hasShape({ response }: Operation): boolean {
  return !alternativesOf(shapeOf(response)).every(isAny);
}

/** ISO 8601, as in the contracts; some services leave out the offset. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

class Comparison {
  readonly #differences = new Map<string, Difference>();
  /** Fields of the catalogue with a difference. */
  readonly #wrong = new Set<string>();

  /** @param expectsAll whether to expect unmarked optional fields too */
  constructor(
    private readonly isNeeded: boolean,
    private readonly expectsAll: boolean,
  ) {}

  get differences(): Difference[] {
    return [...this.#differences.values()];
  }

  /** @param isRead whether a workflow reads this value */
  compare(shape: Shape, value: unknown, path: readonly string[], isRead: boolean): void {
    const forms = alternativesOf(shape);
    if (forms.every(isAny)) return;
    const type = typeOf(value);
    const form = forms.find((each) => accepts(each, type));
    const documented = shape.mark.types ?? [type];
    if (!form) this.#add('other-type', path, typesOf(forms), describeValue(value), isRead);
    else if (!documented.includes(type))
      this.#add('other-type', path, documented.join(' or '), describeValue(value), isRead);
    else if (Array.isArray(value)) {
      for (const item of value) if (form.items) this.compare(form.items, item, [...path, 'N'], isRead);
    } else if (type === 'object') this.#compareFields(form, value as Record<string, unknown>, path, isRead);
    else if (shape.mark.names && !isAmong(shape.mark.names, String(value)))
      this.#add('unknown-status', path, 'a known name', describeValue(value), isRead);
    else if (form.format === 'date-time' && !DATE_TIME.test(String(value)))
      this.#add('other-form', path, 'a date and time (ISO 8601)', describeValue(value), isRead);
  }

  #compareFields(
    { fields, others, mark }: Shape,
    value: Readonly<Record<string, unknown>>,
    path: readonly string[],
    isRead: boolean,
  ): void {
    for (const [name, field] of fields) {
      const { isRequired } = field;
      const here = [...path, name];
      const isNeeded = isRead && field.mark.needed === true;
      if (value[name] !== undefined) this.compare(field, value[name], here, isNeeded);
      else if (isRequired || (this.expectsAll && !field.mark.sometimes))
        this.#add('missing-field', here, typesOf(alternativesOf(field)), 'nothing', isNeeded || isRequired);
    }
    for (const [name, inside] of Object.entries(value)) {
      if (fields.has(name)) continue;
      // The keys of a record may be values, such as IDs.
      if (fields.size > 0 && !mark.open)
        this.#add('unknown-field', [...path, shownName(name)], 'nothing', describeValue(inside), false);
      else if (fields.size === 0 && others) this.compare(others, inside, [...path, '*'], isRead);
    }
  }

  addRule(path: readonly string[], rule: string): void {
    const field = path.join('.');
    // The response is unreadable.
    if (!this.#wrong.has(field)) this.#add('other-form', path, rule, 'another value', true);
  }

  #add(kind: DifferenceKind, path: readonly string[], expected: string, got: string, isRead: boolean): void {
    const field = path.join('.');
    const key = `${kind} ${field}`;
    const isNeeded = this.isNeeded && isRead;
    if (!this.#differences.has(key)) this.#differences.set(key, { kind, field, expected, got, isNeeded });
    if (kind !== 'unknown-field') this.#wrong.add(field);
  }
}

function accepts(form: Shape, type: string): boolean {
  return isAny(form) || form.types.some((one) => one === type || (one === 'number' && type === 'integer'));
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typesOf(forms: readonly Shape[]): string {
  return [...new Set(forms.flatMap((form) => (isAny(form) ? ['any'] : form.types)))].join(' or ');
}

/** Returns the type and length of a value: `string of 12 characters`. */
export function describeValue(value: unknown): string {
  const type = typeOf(value);
  const of = (count: number, what: string) => `${type} of ${count} ${what}${count === 1 ? '' : 's'}`;
  if (typeof value === 'string') return of(value.length, 'character');
  if (Array.isArray(value)) return of(value.length, 'item');
  if (type === 'object') return of(Object.keys(value as object).length, 'field');
  if (type === 'integer' || type === 'number') return of(String(value).length, 'character');
  return type;
}

/** Returns a field name that the partner chose, unless it may be a value: an ID, a date or an email address. */
export function shownName(name: string): string {
  const isPlain = /^[A-Za-z_][\w-]{0,39}$/.test(name) && !/\d{4}/.test(name);
  return isPlain ? name : `(name of ${name.length} characters)`;
}

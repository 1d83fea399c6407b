import { z } from 'zod';
import type { Operation } from './catalogue.js';
import type { Received } from './client.js';
import { isAmong, type Mark, marks } from './fields.js';
import { responses } from './openapi/document.js';
import { fieldProblems } from './rules-in-words.js';
import { PARTNERS, type SystemName } from './systems.js';

/** How a response can differ from the catalogue. */
export const DIFFERENCE_KINDS = [
  'http-status',
  'missing-field',
  'other-type',
  'other-form',
  'unknown-status',
  'unknown-field',
] as const;

/**
 * - `http-status`: a status that the contract does not list
 * - `missing-field`: a field that the catalogue expects in each response
 * - `other-type`: text in place of a number, and the like
 * - `other-form`: the right type, and a rule of the catalogue is broken
 * - `unknown-status`: a status name that no document has
 * - `unknown-field`: a field that the catalogue does not have
 */
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Where a response differs from the catalogue. It holds types and lengths, and never a value. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Dotted, with `N` for the index in a list: `records.N.id`; '' for the whole response. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
  /** Whether a workflow needs it. */
  readonly isNeeded: boolean;
}

/** The part of a JSON schema that is compared. */
interface Shape extends Mark {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly additionalProperties?: Shape | false;
}

/** Compares a response with the catalogue, field by field. Each difference is reported once, however many records have it. */
export function differencesIn({
  system,
  operation,
  status,
  isOpen,
  payload,
  envelope,
  more,
  failed,
}: Received): Difference[] {
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
  if (!isOpen) {
    const expected = 'JSON, in the envelope of the contract if it has one';
    return [{ kind: 'other-form', field: '', expected, got: 'another body', isNeeded }];
  }
  const comparison = new Comparison(isNeeded);
  if (more !== undefined) comparison.addRule([], `the whole list, and not a page of it (${more})`);
  comparison.compare(shapeOf(operation.response), payload, [], true);
  const checked = operation.response.safeParse(payload);
  if (!checked.success) {
    for (const { field, message } of fieldProblems(checked.error)) {
      const path = field.split('.').map((name) => (/^\d+$/.test(name) ? 'N' : name));
      comparison.addRule(field === '' ? [] : path, message);
    }
  }
  const around = new Comparison(false);
  const envelopeShape = PARTNERS[system as SystemName].contract.around?.(operation);
  if (envelopeShape && envelope !== undefined)
    around.compare(optionalWhereNotRequired(envelopeShape), envelope, ['(envelope)'], false);
  return [...comparison.found, ...around.found];
}

/** The HTTP statuses that the contract lists for an operation. */
function statusesOf(system: SystemName, operation: Operation): number[] {
  return Object.keys(responses(operation, PARTNERS[system].contract, {})).map(Number);
}

const SHAPES = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = SHAPES.get(schema);
  if (known) return known;
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: marks }) as Shape;
  SHAPES.set(schema, shape);
  return shape;
}

/** In a JSON schema of a contract, a field that is not required may be left out. */
function optionalWhereNotRequired({ required = [], properties = {}, ...schema }: Shape): Shape {
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : { ...field, sometimes: true },
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Whether the catalogue has a shape of the response with which it can be compared. */
export function hasShape({ response }: Operation): boolean {
  return !formsOf(shapeOf(response)).every(isAny);
}

/** ISO 8601, as the contracts print it; some services leave out the offset. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

class Comparison {
  readonly #found = new Map<string, Difference>();

  constructor(private readonly isNeeded: boolean) {}

  get found(): Difference[] {
    return [...this.#found.values()];
  }

  /** @param isRead whether a workflow reads what is compared */
  compare(shape: Shape, value: unknown, path: readonly string[], isRead: boolean): void {
    const forms = formsOf(shape);
    if (forms.every(isAny)) return;
    const type = typeOf(value);
    const form = forms.find((each) => accepts(each, type));
    const documented = shape.types ?? [type];
    if (!form) this.#add('other-type', path, typesOf(forms), described(value), isRead);
    else if (!documented.includes(type))
      this.#add('other-type', path, documented.join(' or '), described(value), isRead);
    else if (Array.isArray(value)) {
      for (const item of value) this.compare(form.items ?? {}, item, [...path, 'N'], isRead);
    } else if (type === 'object') this.#compareFields(form, value as Record<string, unknown>, path, isRead);
    else if (shape.names && !isAmong(shape.names, String(value)))
      this.#add('unknown-status', path, 'a known name', described(value), isRead);
    else if (form.format === 'date-time' && !DATE_TIME.test(String(value)))
      this.#add('other-form', path, 'a date and time (ISO 8601)', described(value), isRead);
  }

  #compareFields(
    { properties = {}, required = [], additionalProperties, open }: Shape,
    value: Readonly<Record<string, unknown>>,
    path: readonly string[],
    isRead: boolean,
  ): void {
    for (const [name, inside] of Object.entries(properties)) {
      const here = [...path, name];
      const isNeeded = isRead && inside.needed === true;
      if (value[name] !== undefined) this.compare(inside, value[name], here, isNeeded);
      else if (required.includes(name) || !inside.sometimes)
        this.#add(
          'missing-field',
          here,
          typesOf(formsOf(inside)),
          'nothing',
          isNeeded || required.includes(name),
        );
    }
    const isRecord = Object.keys(properties).length === 0;
    for (const [name, inside] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue;
      // The names of a record, such as ids, are values.
      if (isRecord) this.compare(additionalProperties || {}, inside, [...path, '*'], isRead);
      else if (!open)
        this.#add('unknown-field', [...path, shownName(name)], 'nothing', described(inside), false);
    }
  }

  /** A rule that the comparison of types does not know. */
  addRule(path: readonly string[], rule: string): void {
    const field = path.join('.');
    const isKnown = this.found.some((each) => each.field === field && each.kind !== 'unknown-field');
    // The response cannot be read.
    if (!isKnown) this.#add('other-form', path, rule, 'another value', true);
  }

  #add(kind: DifferenceKind, path: readonly string[], expected: string, got: string, isRead: boolean): void {
    const field = path.join('.');
    const key = `${kind} ${field}`;
    const isNeeded = this.isNeeded && isRead;
    if (!this.#found.has(key)) this.#found.set(key, { kind, field, expected, got, isNeeded });
  }
}

/** The forms of a union; marks of the whole apply to each. */
function formsOf(shape: Shape): readonly Shape[] {
  if (!shape.anyOf) return [shape];
  const { open, names } = shape;
  return shape.anyOf
    .flatMap(formsOf)
    .map((form) => ({ ...form, ...(open && { open }), ...(names && { names }) }));
}

function isAny({ type, properties }: Shape): boolean {
  return type === undefined && properties === undefined;
}

function accepts(form: Shape, type: string): boolean {
  return (
    isAny(form) || [form.type].flat().some((one) => one === type || (one === 'number' && type === 'integer'))
  );
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typesOf(forms: readonly Shape[]): string {
  return [...new Set(forms.flatMap(({ type = 'any' }) => type))].join(' or ');
}

/** The type of a value and its length: `string of 12 characters`. */
export function described(value: unknown): string {
  const type = typeOf(value);
  const of = (count: number, what: string) => `${type} of ${count} ${what}${count === 1 ? '' : 's'}`;
  if (typeof value === 'string') return of(value.length, 'character');
  if (Array.isArray(value)) return of(value.length, 'item');
  if (type === 'object') return of(Object.keys(value as object).length, 'field');
  if (type === 'integer' || type === 'number') return of(String(value).length, 'character');
  return type;
}

/** The name of a field that the partner chose, unless it may be a value: an id, a date, an e-mail address. */
export function shownName(name: string): string {
  const isPlain = /^[A-Za-z_][\w-]{0,39}$/.test(name) && !/\d{4}/.test(name);
  return isPlain ? name : `(name of ${name.length} characters)`;
}

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Patch } from '../../messages/activities.js';
import { fieldOf, isContainer, isObject } from '../../messages/objects.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { localeRule, PLAIN_NUMBER } from '../../partners/schema-messages.js';
import { asListed, type CellType, columnsOf } from '../batches/columns.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { parseJson } from '../texts/text.js';
import { typedFee } from './amounts.js';

export interface Setting {
  readonly field: string;
  readonly text: string;
}

/** Parses `application.volume=240000`, the form of `--set`. @throws {InvalidInput} */
export function settingsFrom(texts: readonly string[]): Setting[] {
  return texts.map((each) => {
    const [, field, text] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(each) ?? [];
    if (field !== undefined && text !== undefined) return { field, text };
    throw new InvalidInput('--set: must be FIELD=VALUE, such as application.volume=240000');
  });
}

/**
 * Returns the merge patch that sets these fields of an input. A value is JSON or plain text, depending on the schema; `null`
 * removes the field. The patch contains complete lists, because a merge patch cannot change a part of one.
 *
 * @param what names the correction in an error
 * @throws {InvalidInput} with each invalid value
 */
export function patchFrom(settings: readonly Setting[], input: object, schema: z.ZodType, what = '--set') {
  const columns = columnsOf([schema]);
  const changed = structuredClone(input);
  const problems: FieldProblem[] = [];
  for (const { field, text } of settings) {
    const column = columns.find(field);
    const path = column?.path ?? field.split('.');
    const fee = text === 'null' ? undefined : typedFee(path, text);
    const read =
      fee ??
      valueFrom(
        column ? asListed(text, column) : text,
        field,
        valueAt(input, path),
        column?.takes ?? EVERY_TYPE,
      );
    const rule = 'rule' in read ? read.rule : put(changed, path, read.value);
    if (rule !== undefined) problems.push({ field, message: rule });
  }
  if (problems.length > 0)
    throw new InvalidInput(`${what}: a value is not valid; nothing was sent`, problems);
  const patch = patchBetween(input as Patch, changed as Patch);
  if (Object.keys(patch).length > 0) return patch;
  throw new InvalidInput(
    `${what}: changes nothing, because the fields already have these values; nothing was sent`,
  );
}

/** The possible types of a field outside the schema. */
const EVERY_TYPE: readonly CellType[] = ['text', 'number', 'boolean'];

/** For a field that may have any type. */
const AS_TEXT = `to send it as text: --set 'FIELD="TEXT"'`;

/** Converts a text to a value. In a field of any type, keeps the type of the current value. */
function valueFrom(text: string, field: string, present: unknown, takes: readonly CellType[]) {
  if (text === 'null') return { value: null };
  if (/^["{[]/.test(text)) return { value: parseJson(text, `--set ${field}`) };
  const isText = takes.includes('text') && typeof present === 'string';
  if (takes.includes('boolean') && !isText && /^(true|false)$/.test(text)) return { value: text === 'true' };
  if (!takes.includes('number') || isText) return { value: text };
  if (isNumber(text)) return { value: Number(text) };
  const rule = localeRule(text);
  if (rule !== undefined) return { rule: takes.includes('text') ? `${rule}; ${AS_TEXT}` : rule };
  return takes.includes('text') && typeof present === 'number'
    ? { rule: `is a number, so write it as 1234.56; ${AS_TEXT}` }
    : { value: text };
}

/** Reports whether a text is a number that keeps its digits, unlike `00123` or a number with too many digits. */
function isNumber(text: string): boolean {
  return PLAIN_NUMBER.test(text) && /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text);
}

/** Returns the value of a field; undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inside, name) => (isContainer(inside) && Object.hasOwn(inside, name) ? inside[name] : undefined),
    value,
  );
}

/** Sets a field; null removes it. @returns the rule that the path breaks */
function put(target: object, path: readonly (string | number)[], value: unknown): string | undefined {
  let inside = target as Record<string | number, unknown>;
  for (const [depth, name] of path.entries()) {
    if (name === '' || name === '__proto__') return 'is not a field';
    if (Array.isArray(inside) && !(Number(name) <= inside.length))
      return `the list has ${inside.length} items, counted from 0`;
    if (depth === path.length - 1) {
      if (value !== null) inside[name] = value;
      else if (Array.isArray(inside)) inside.splice(Number(name), 1);
      else delete inside[name];
      return undefined;
    }
    if (!isContainer(valueAt(inside, [name]))) inside[name] = typeof path[depth + 1] === 'number' ? [] : {};
    inside = inside[name] as typeof inside;
  }
  return 'is not a field';
}

function patchBetween(from: Patch, to: Patch): Patch {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const changes = [...names].flatMap((name): [string, unknown][] => {
    const [one, other] = [fieldOf(from, name), fieldOf(to, name)];
    if (isDeepStrictEqual(one, other)) return [];
    if (isObject(one) && isObject(other)) return [[name, patchBetween(one, other)]];
    return [[name, other ?? null]];
  });
  return Object.fromEntries(changes);
}

/**
 * Copies an object without its undefined fields.
 * @example omitUndefined({ dba: 'Acme', mid: undefined }) // { dba: 'Acme' }
 */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** The value of a field. A name that every object inherits, such as `toString`, is a field only of an object that has it. */
export function fieldOf<Value>(fields: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** JSON merge patch (RFC 7396): objects merge field by field, `null` removes, anything else replaces. */
export function mergePatch<T extends object>(target: T, patch: Readonly<Record<string, unknown>>): T {
  return merge(target, patch) as T;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Reports whether a merge patch changes anything. An empty patch changes nothing, even if there is no value yet. */
export function hasEffect(target: unknown, patch: unknown): boolean {
  if (!isObject(patch)) return !isSame(target, patch ?? undefined);
  if (target !== undefined && !isObject(target)) return true;
  return Object.entries(patch).some(([name, value]) => hasEffect(target && fieldOf(target, name), value));
}

/** Reports whether two JSON values are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  if (!isContainer(one) || !isContainer(other)) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => isSame(value, fieldOf(other, name)))
  );
}

/** Reports whether a JSON value is an object or a list. */
export function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** A single value, by its dotted path. */
export interface Leaf {
  readonly field: string;
  readonly value: unknown;
}

/** All that an object holds which is no object itself. */
export function leavesOf(value: unknown, field = ''): Leaf[] {
  if (!isContainer(value)) return [{ field, value }];
  return Object.entries(value).flatMap(([name, inside]) =>
    leavesOf(inside, field === '' ? name : `${field}.${name}`),
  );
}

/** Reports whether a dotted name is one of these fields, or inside one. */
export function isFieldWithin(name: string, fields: readonly string[]): boolean {
  return fields.some((field) => name === field || name.startsWith(`${field}.`));
}

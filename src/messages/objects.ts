/** An object without its undefined fields. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** JSON merge patch (RFC 7396): objects merge field by field, `null` removes, anything else replaces. */
export function mergePatch<T extends object>(target: T, patch: Readonly<Record<string, unknown>>): T {
  return merge(target, patch) as T;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many levels of objects and lists an input or an event may have: the code that checks it is recursive. */
export const MAX_NESTING = 64;

export const TOO_NESTED = `must not be nested deeper than ${MAX_NESTING} levels`;

/** Whether a JSON value has more than `most` levels of objects and lists: `{}` has one, a number and bytes have none. */
export function isNestedDeeper(value: unknown, most = MAX_NESTING): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const within = level.filter(hasFields);
    if (within.length > 0 && depth >= most) return true;
    level = within.flatMap((each) => Object.values(each));
  }
  return false;
}

/**
 * JSON as text, cut off below `most` levels: the objects and lists of the next level are empty. The text can be parsed at any
 * depth, and {@link isNestedDeeper} still detects that it was too deep.
 */
export function withoutDepth(json: string, most: number): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (isInText) {
      if (sign === '\\') at++;
      else if (sign === '"') isInText = false;
    } else if (sign === '"') {
      isInText = true;
    } else if (sign === '{' || sign === '[') {
      depth++;
      if (depth === most + 1) kept += json.slice(from, at + 1);
    } else if (sign === '}' || sign === ']') {
      if (depth === most + 1) from = at;
      depth--;
    }
  }
  return depth > most ? kept : kept + json.slice(from);
}

function hasFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** How many objects and lists an input or an event may have within each other: what checks it calls itself for each level. */
export const MAX_NESTING = 64;

export const TOO_NESTED = `must not be nested deeper than ${MAX_NESTING} levels`;

/** Whether a JSON value has more than `most` levels of objects and lists: `{}` has one, a number none, as have bytes. */
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
 * JSON as text without what is deeper than `most` levels: the objects and lists of the next level are there, and empty. So
 * it can be read whatever its depth, and {@link isNestedDeeper} still sees that it was too deep.
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

/** What is left of an object without the members that are undefined. */
export function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}

/** JSON merge patch (RFC 7396): objects merge member by member, `null` removes, anything else replaces. */
export function mergePatch<T extends object>(target: T, patch: Readonly<Record<string, unknown>>): T {
  return merge(target, patch) as T;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) delete merged[member];
    else merged[member] = merge(merged[member], value);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { mergePatch } from '../messages/merge-patch.js';
import { writeExactly } from '../partners/exact-json.js';
import type { FieldProblem } from '../partners/partner-error.js';

type Fees = Readonly<Record<string, unknown>>;

/** The fees as read, with the changes laid over them; lists are replaced as a whole. */
export function withChanges(read: Fees, changes: Fees): Record<string, unknown> {
  return mergePatch({ ...read }, changes);
}

/** Where what the partner has is not what was asked for. Members that were not asked for do not count. */
export function differences(asked: unknown, has: unknown, path: readonly string[] = []): FieldProblem[] {
  if (isObject(asked) && isObject(has)) {
    return Object.entries(asked).flatMap(([member, value]) =>
      differences(value, has[member], [...path, member]),
    );
  }
  if (Array.isArray(asked) && Array.isArray(has) && asked.length === has.length) {
    return asked.flatMap((item, index) => differences(item, has[index], [...path, String(index)]));
  }
  if (isSame(asked, has)) return [];
  const instead = has === undefined ? 'nothing' : writeExactly(has);
  return [{ field: path.join('.'), message: `asked for ${writeExactly(asked)}, the partner has ${instead}` }];
}

function isSame(asked: unknown, has: unknown): boolean {
  // In a change, `null` takes the member away, so having none is what was asked for.
  if (asked === undefined || writeExactly(asked) === writeExactly(has ?? null)) return true;
  // The partner may write the same instant in another way.
  return isDateTime(asked) && isDateTime(has) && Date.parse(asked) === Date.parse(has);
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

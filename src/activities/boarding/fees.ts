import { fieldOf, mergePatch } from '../../messages/objects.js';
import { writeExactly } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';

type Fees = Readonly<Record<string, unknown>>;

/** The fees as read, with the changes merged into them. A list is replaced as a whole. */
export function withChanges(read: Fees, changes: Fees): Record<string, unknown> {
  return mergePatch({ ...read }, changes);
}

/** The differences between the partner's fees and the requested ones. Fields that were not requested do not count. */
export function differences(requested: unknown, has: unknown, path: readonly string[] = []): FieldProblem[] {
  if (isObject(requested) && isObject(has)) {
    return Object.entries(requested).flatMap(([name, value]) =>
      differences(value, fieldOf(has, name), [...path, name]),
    );
  }
  if (Array.isArray(requested) && Array.isArray(has) && requested.length === has.length) {
    return requested.flatMap((item, index) => differences(item, has[index], [...path, String(index)]));
  }
  if (isSame(requested, has)) return [];
  const instead = has === undefined ? 'nothing' : writeExactly(has);
  return [
    { field: path.join('.'), message: `asked for ${writeExactly(requested)}, the partner has ${instead}` },
  ];
}

function isSame(requested: unknown, has: unknown): boolean {
  // In a change, `null` removes the field, so an absent field is as requested.
  if (requested === undefined || writeExactly(requested) === writeExactly(has ?? null)) return true;
  // The partner may write the same instant in another way.
  return isDateTime(requested) && isDateTime(has) && Date.parse(requested) === Date.parse(has);
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

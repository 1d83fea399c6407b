import type { z } from 'zod';
import { isNestedDeeper, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems } from '../../partners/schema-messages.js';
import { problemText } from '../../partners/text-limits.js';

// Keeps S1.
/**
 * Thrown for a person’s invalid input. The report names every invalid field.
 * @example new InvalidInput('m.json is not valid', [{ field: 'dba', message: 'is required' }]).report
 */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  constructor(
    what: string,
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(what);
  }

  get report(): string {
    return [this.message, ...problemLines(this.problems)].join('\n');
  }
}

/** Removes duplicates, because two rules may report the same problem. */
export function distinct(problems: readonly FieldProblem[]): FieldProblem[] {
  return [...new Map(problems.map((each) => [problemText(each), each])).values()];
}

/** Returns a line for each problem: ` merchant.dba: is required`, or ` must be an object` for the complete input. */
export function problemLines(problems: readonly FieldProblem[]): string[] {
  return distinct(problems).map((problem) => `  ${problemText(problem)}`);
}

/** Checks a value against a schema. @throws {InvalidInput} with every invalid field and its rule */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  effect = 'nothing was started',
): z.output<Schema> {
  const invalid = (problems: readonly FieldProblem[]) =>
    new InvalidInput(`${what}: is not valid; ${effect}`, problems);
  if (isNestedDeeper(value)) throw invalid([{ field: '', message: TOO_NESTED }]);
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw invalid(fieldProblems(checked.error));
}

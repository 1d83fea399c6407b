import { parseTree } from 'jsonc-parser';
import { type FeePlan, feePlans, type ReadFeePlans } from '../messages/fee-plans.js';
import { isNestedDeeper, TOO_NESTED } from '../partners/json.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { fieldProblems } from '../partners/schema-messages.js';
import { problemText } from '../partners/text-limits.js';
import { followFile } from '../platform/settings/followed-file.js';
import { BadSetting } from '../platform/settings/settings.js';

/** Reads the operator's fee plans from a file, for every process that starts onboardings. */

const SETTING = 'GANGWAY_FEE_PLANS';
const MAX_BYTES = 1024 * 1024;
const SHOWN = 3;

/** Parses plans from JSON. Problems begin with the index of the plan, and name every field. */
export function feePlansIn(
  text: string,
): { readonly plans: readonly FeePlan[] } | { readonly problems: readonly FieldProblem[] } {
  const whole = (message: string) => ({ problems: [{ field: '', message }] });
  if (text.length > MAX_BYTES) return whole('is larger than 1 MiB');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return whole('is not JSON');
  }
  if (isNestedDeeper(value)) return whole(TOO_NESTED);
  const { data, error } = feePlans.safeParse(value);
  const problems = [...repeated(parseTree(text)), ...(error ? fieldProblems(error) : [])];
  return data && problems.length === 0 ? { plans: data } : { problems };
}

type Tree = ReturnType<typeof parseTree>;

/** Returns problems with field names: duplicates, because JSON keeps only the last, and names that break dotted paths. */
function repeated(tree: Tree, path: readonly string[] = []): FieldProblem[] {
  const { type, children = [] } = tree ?? {};
  if (type === 'array') return children.flatMap((item, index) => repeated(item, [...path, String(index)]));
  if (type !== 'object') return [];
  const names = new Set<string>();
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = String(key?.value);
    const field = [...path, name];
    const rules = [names.has(name) && 'is there twice', /^$|\.|^__proto__$/.test(name) && 'cannot be a name'];
    names.add(name);
    const problems = rules.flatMap((message) => (message ? [{ field: field.join('.'), message }] : []));
    return [...problems, ...repeated(value, field)];
  });
}

/** Returns a function that reads the last valid version of a file of plans. @param file undefined for no plans */
export function followFeePlans(file: string | undefined): ReadFeePlans {
  if (file === undefined) return () => [];
  return followFile(SETTING, file, (text) => {
    const read = feePlansIn(text);
    if ('plans' in read) return read.plans;
    throw new BadSetting(SETTING, read.problems.slice(0, SHOWN).map(problemText).join('; '));
  }).lastGood;
}

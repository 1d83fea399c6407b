import { z } from 'zod';
import { feeChanges } from '../partners/boarding/schemas.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { fieldOf, isContainer, isFieldWithin, type Leaf, leavesOf } from './objects.js';

/**
 * Fee plans: the fees that an operator offers, by name. The client that starts an onboarding resolves its plan into fees, so
 * workflows never see a plan.
 */

type Fees = z.output<typeof feeChanges>;

const MAX_PLANS = 200;
const MAX_NUMBERS = 500;
const LONGEST_NAME = 64;
const LONGEST_FIELD = 200;

export const feePlanName = z
  .string()
  .max(LONGEST_NAME)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'must have only letters, digits and . _ - and start with a letter or digit',
  );

const feePlan = z
  .strictObject({
    name: feePlanName,
    /** For the people who choose a plan. */
    description: z.string().max(LONGEST_FIELD).optional(),
    fees: feeChanges,
    /** The numbers that an onboarding may change, or the groups or lines that contain them. Default: none. */
    mayChange: z.array(z.string().max(LONGEST_FIELD)).max(MAX_NUMBERS).default([]),
  })
  .superRefine(({ fees, mayChange }, context) => {
    const refuse = (message: string, ...path: PropertyKey[]) =>
      context.addIssue({ code: 'custom', message, path });
    const leaves = leavesOf(fees);
    if (leaves.length === 0) refuse('must have a fee', 'fees');
    if (leaves.length > MAX_NUMBERS) refuse(`must have at most ${MAX_NUMBERS} values`, 'fees');
    // In a change, null removes a fee.
    for (const { field } of leaves.filter(({ value }) => value === null))
      refuse('must not be null; leave it out', 'fees', field);
    const numbers = leaves.flatMap(({ field, value }) => (typeof value === 'number' ? [field] : []));
    for (const [index, field] of mayChange.entries())
      if (!numbers.some((number) => isFieldWithin(number, [field])))
        refuse(`is no number of this plan, and holds none${didYouMean(field, numbers)}`, 'mayChange', index);
  });

export type FeePlan = z.output<typeof feePlan>;

/** The content of a file of plans. Names must be unique, ignoring case. */
export const feePlans = z
  .array(feePlan)
  .max(MAX_PLANS)
  .superRefine((plans, context) => {
    const names = plans.map(({ name }) => name.toLowerCase());
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        context.addIssue({ code: 'custom', message: 'is the name of another plan', path: [index, 'name'] });
  });

/** Returns the current plans. @throws {Error} with a message that says why they cannot be used */
export type ReadFeePlans = () => readonly FeePlan[];

const SHOWN = 20;

/** Returns the plan with this name, or a problem. */
function findPlan(name: string, read: ReadFeePlans): FeePlan | string {
  try {
    const plans = read();
    const names = plans.map((plan) => plan.name);
    if (names.length === 0) return 'cannot be set, because GANGWAY_FEE_PLANS names no file with a plan';
    const listed = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
    const rule = `must be one of the fee plans: ${listed}${didYouMean(name, names)}`;
    return plans.find((plan) => plan.name === name) ?? rule;
  } catch (error) {
    return `cannot be resolved now, because the fee plans cannot be used: ${(error as Error).message}`;
  }
}

/** The schema of the field `feePlan`. @param read undefined if the input is already resolved */
export function feePlanField(read: ReadFeePlans | undefined) {
  return feePlanName
    .superRefine((name, context) => {
      const plan = read ? findPlan(name, read) : '';
      if (typeof plan === 'string' && plan !== '') context.addIssue(plan);
    })
    .describe('Name of a fee plan')
    .optional();
}

interface Priced {
  readonly feePlan?: string | undefined;
  readonly fees?: Fees | undefined;
}

/** Adds the plan's fees to an input. `fees` may override the numbers that the plan allows. For `check` of a schema. */
export function resolveFeePlan(read: ReadFeePlans | undefined) {
  return (payload: z.core.ParsePayload<Priced>): void => {
    const { feePlan: name, fees = {} } = payload.value;
    const plan = name !== undefined && read ? findPlan(name, read) : '';
    // The field itself reports an unknown plan.
    if (typeof plan === 'string') return;
    const changed = leavesOf(fees).filter(({ field, value }) => feeAt(plan.fees, field) !== value);
    for (const leaf of changed) {
      const message = ruleOf(plan, leaf);
      const path = ['fees', ...leaf.field.split('.')];
      if (message) payload.issues.push({ code: 'custom', message, path, input: undefined });
    }
    payload.value = { ...payload.value, fees: withNumbers(plan.fees, changed) };
  };
}

function ruleOf({ name, fees, mayChange }: FeePlan, { field, value }: Leaf): string | undefined {
  const now = feeAt(fees, field);
  const lines = leavesOf(fees).map((leaf) => lineOf(leaf.field));
  if (now === undefined) return `is not in fee plan ${name}${didYouMean(lastName(lineOf(field)), lines)}`;
  if (!isFieldWithin(field, mayChange))
    return `is ${JSON.stringify(now)} in fee plan ${name}, which does not let one change it`;
  return typeof now === 'number' && typeof value === 'number'
    ? undefined
    : 'must be a number, as in the fee plan';
}

function inside(fees: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isContainer(value) ? fieldOf(value, name) : undefined), fees);
}

/** Returns the fee with this dotted name; undefined if it is a group. */
export function feeAt(fees: object, field: string): unknown {
  const value = inside(fees, field.split('.'));
  return isContainer(value) ? undefined : value;
}

function withNumbers(fees: Fees, leaves: readonly Leaf[]): Fees {
  const copy = structuredClone(fees);
  for (const { field, value } of leaves) {
    const path = field.split('.');
    const [last = ''] = path.splice(-1);
    const around = inside(copy, path);
    if (isContainer(around) && Object.hasOwn(around, last)) around[last] = value;
  }
  return copy;
}

/** Returns the line of a number: `amex.qualified` for `amex.qualified.percent`. A number outside a line is its own line. */
export function lineOf(field: string): string {
  return field.replace(/\.(perItem|percent)$/, '');
}

function lastName(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

/** Returns a warning for each line that the partner's own fees lack; none if the partner has no fees. */
export function unknownLines(fees: object, own: object, where: string): FieldProblem[] {
  if (Object.keys(own).length === 0) return [];
  const lines = (of: object) => new Set(leavesOf(of).map(({ field }) => lineOf(field)));
  const [theirs, ours] = [lines(own), lines(fees)];
  return [...ours]
    .filter((line) => !theirs.has(line) && !isFieldWithin(line, MISC))
    .map((line) => ({
      field: `fees.${line}`,
      message: `is in no fee of ${where}${didYouMean(lastName(line), theirs)}`,
    }));
}

/** Lists of fees that differ for each merchant. */
const MISC = ['miscFees', 'miscFeesVolume'];

import { z } from 'zod';
import type {
  Correctable as AsItStands,
  CorrectionActivities,
  CorrectionRequest,
  Patch,
} from '../messages/activities.js';
import type { KnownAccounts } from '../messages/inputs.js';
import { isFieldWithin, isObject, leavesOf, mergePatch } from '../messages/objects.js';
import { isFollowed } from '../messages/onboardings.js';
import { ONBOARDINGS } from '../messages/workflow-types.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { fieldProblems } from '../partners/schema-messages.js';
import { alternativesOf, fieldNames, inside, type Shape, shapeOf } from '../platform/schemas/shape.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { KINDS } from '../temporal/kinds/kinds.js';

/** @param accounts the accounts and point-of-sale names in this process's settings */
export function correctionActivities(accounts: KnownAccounts): CorrectionActivities {
  return {
    blankCorrection: async (request) => blankCorrection(request, accounts),
    checkCorrection: async (request) =>
      withKnownNames(correctionProblems(request, accounts), KINDS[request.type].schema(accounts)),
  };
}

/** Without it, Gangway would submit a merchant without any data. Its fields can be removed individually. */
const APPLICATION_REQUIRED = {
  field: 'application',
  message: 'cannot be removed as a whole; name the fields to change, with null for those to remove',
};

/**
 * Returns the names of correctable fields, the schema of the whole input, and the fields outside the schema that a correction may
 * add because the partner named them.
 */
export function changeableInput(
  { type, input, fields = [], ...progress }: AsItStands,
  accounts: KnownAccounts,
) {
  const { schema: ownSchema, correction: { followed = ownSchema, remaining, open } = {} } = KINDS[type];
  // The fee plan is already resolved into fees, and a correction may go beyond the plan.
  const schema = (isFollowed(input) ? followed : ownSchema)({ ...accounts, feePlans: undefined });
  const inOpen = fields.filter((field) => (open?.(input) ?? []).some((each) => field.startsWith(`${each}.`)));
  const added = inOpen.filter((field) => !isKnown(shapeOf(schema), field.split('.')));
  return { fields: remaining?.(progress) ?? ONBOARDINGS[type].correctable, schema, added };
}

/**
 * Returns a blank correction: empty quotes for each of these fields that can still be changed, and for required fields of an
 * object. It omits fields inside a list, because a patch replaces the whole list. If no field is known, it also leaves the field's
 * name blank.
 */
export function blankCorrection(correctable: AsItStands, accounts: KnownAccounts): Patch {
  const { type, fields: namedFields = [], ...progress } = correctable;
  const { fields, schema, added } = changeableInput(correctable, accounts);
  const blanks = namedFields
    .filter((field) => isFieldWithin(field, fields))
    .map((field) => (added.includes(field) ? patchAt(field, '') : blankAt(shapeOf(schema), field.split('.'))))
    .filter((blank) => blank !== undefined);
  const none = patchAt(KINDS[type].correction?.main?.(progress) ?? fields[0] ?? '', singleField('', ''));
  return (blanks.length > 0 ? blanks : [none]).reduce((all, blank) => mergePatch(all, blank));
}

function isKnown(shape: Shape, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || !shape.types.includes('object')) return true;
  const part = inside(shape, name);
  return part !== undefined && isKnown(part, rest);
}

function fieldsAddedTo(input: object, schema: z.ZodType): string[] {
  const { error } = schema.safeParse(input);
  const unknown = error?.issues.filter(({ code }) => code === 'unrecognized_keys') ?? [];
  return fieldProblems(new z.ZodError(unknown)).map(({ field }) => field);
}

/** Returns a value without a field, and without objects that held only this field. */
function withoutField(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: field, ...others } = value;
  const left = rest.length > 0 ? withoutField(field, rest) : {};
  return isObject(left) && Object.keys(left).length === 0 ? others : { ...others, [name]: left };
}

function patchAt(path: string, value: unknown): Patch {
  return path.split('.').reduceRight<unknown>((inside, name) => singleField(name, inside), value) as Patch;
}

/** Returns undefined for an unknown field, and for a list. */
function blankAt(shape: Shape, [name, ...rest]: readonly string[]): Patch | undefined {
  const part = name === undefined || isList(shape) ? undefined : inside(shape, name);
  const blank = part && (rest.length > 0 ? blankAt(part, rest) : blankOf(part));
  return name === undefined || blank === undefined ? undefined : singleField(name, blank);
}

function blankOf(shape: Shape): unknown {
  const [form = shape] = alternativesOf(shape);
  if (isList(form)) return undefined;
  if (!form.types.includes('object')) return '';
  const required = [...form.fields].filter(([, { isRequired }]) => isRequired);
  return required.length > 0
    ? Object.fromEntries(required.map(([name, field]) => [name, blankOf(field)]))
    : singleField('', '');
}

function isList({ types }: Shape): boolean {
  return types.includes('array');
}

/** Returns an object with one field of any name, even __proto__. */
function singleField(name: string, value: unknown): Patch {
  return Object.fromEntries([[name, value]]);
}

/** The maximum number of fields that a message names, because each is compared with all fields. */
const MAX_UNCHANGEABLE = 10;

/** Returns a problem for each field that can no longer be changed, and for each rule that the corrected input breaks. */
export function correctionProblems(
  { patch, account, ...correctable }: CorrectionRequest,
  accounts: KnownAccounts,
): FieldProblem[] {
  const { type, input } = correctable;
  const { fields: open, schema, added } = changeableInput(correctable, accounts);
  const canChange = `fields that can be changed: ${open.join(', ')}`;
  if (!isObject(patch)) return [{ field: '', message: `must be an object; ${canChange}` }];
  if (Object.keys(patch).length === 0) return [{ field: '', message: `contains no field; ${canChange}` }];

  const names = [...open, ...leavesIn(input, open)];
  const others = Object.keys(patch)
    .filter((field) => !open.includes(field))
    .slice(0, MAX_UNCHANGEABLE)
    .map((field) => ({
      field,
      message: `${(ONBOARDINGS[type].correctable as readonly string[]).includes(field) ? 'can no longer be changed' : 'cannot be changed by a correction'}; ${canChange}${didYouMean(field, names)}`,
    }));
  const fixed = patch['application'] === null ? [...others, APPLICATION_REQUIRED] : others;
  const patched = { ...mergePatch(input, patch), ...(account !== undefined && { account }) };
  const unchecked = [...added, ...fieldsAddedTo(input, schema)];
  const { error } = schema.safeParse(
    unchecked.reduce<unknown>((rest, field) => withoutField(rest, field.split('.')), patched),
  );
  const named = fixed.map(({ field }) => field);
  const broken = error ? fieldProblems(error) : [];
  return [...fixed, ...broken.filter(({ field }) => !isFieldWithin(field, named))];
}

/**
 * Returns problems that name only fields of the schema. Anyone with access to the server can read a rejection, and an unknown field
 * name may be a misplaced value.
 */
function withKnownNames(problems: readonly FieldProblem[], schema: z.ZodType): readonly FieldProblem[] {
  if (problems.length === 0) return problems;
  const names = fieldNames(shapeOf(schema));
  return problems.map(({ field, message }) => {
    const path = field.split('.');
    const unknown = path.findIndex((name) => !names.has(name) && !/^\d{0,2}$/.test(name));
    if (unknown < 0) return { field, message };
    return { field: path.slice(0, unknown).join('.'), message: `a field in it ${message}` };
  });
}

/** Returns the dotted names of all leaves inside these fields of an input. */
export function leavesIn(value: object, within: readonly string[]): string[] {
  const leaves = leavesOf(value).map(({ field }) => field);
  return leaves.filter((field) => isFieldWithin(field, within));
}

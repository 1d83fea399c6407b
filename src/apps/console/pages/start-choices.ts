import { REFERENCE_NAMES } from '../../../partners/boarding/references.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { type References, referencesAt } from '../../../services/batches/warnings.js';
import type { Typed } from '../../../services/forms/typed-input.js';
import type { AnyInput } from '../../../temporal/kinds/define-kind.js';
import { SharedReads } from '../../../temporal/shared-reads.js';
import { differenceFromStart } from '../../../temporal/start.js';
import type { RequestContext } from '../route.js';

/** Agents and programs in the start form: its choices, and the names that people type. */

/** The time for which forms and checks share the partner's lists or failure, in milliseconds. */
const SHARED_MS = 5_000;

const lists = new SharedReads<References | undefined>(SHARED_MS);

export const sharedLists: typeof referencesAt = (client, taskQueue, account) =>
  lists.get(client, `${taskQueue} ${account ?? ''}`, () => referencesAt(client, taskQueue, account));

export const REFERENCES = /\b(?:agentProfileId|boardingSettingsId)\b/g;

/** Pairs of an ID's field and its name's field. The form shows the name's field for both. */
export const NAME_FIELDS = Object.entries(REFERENCE_NAMES);

export const withNameFields = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: NAME_FIELDS.reduce(
    (field, [id, name]) => field.replace(new RegExp(`\\b${id}$`), name),
    problem.field,
  ),
});

/** Moves a typed number, or the number in `Harbor Agents (101)`, to the ID's field of the input. */
export function withNumbers(typed: Typed): Typed {
  return new Map(
    [...typed].map(([name, text]) => {
      const [idField] = NAME_FIELDS.find(([, of]) => lastName(name) === of) ?? [];
      const [id] = /^\d{1,10}$|(?<=\()\d{1,10}(?=\)$)/.exec(text) ?? [];
      return idField && id ? [name.slice(0, -lastName(name).length) + idField, id] : [name, text];
    }),
  );
}

/** Replaces the numbers of an input's agent and program with their names, or names with numbers, in these fields. */
export function otherReferences(input: object, lists: References, fields: readonly string[]): object {
  const own = { ...input } as Record<string, unknown>;
  for (const [id, name] of Object.entries(REFERENCE_NAMES) as [keyof References, string][]) {
    const { [id]: number, [name]: text } = own;
    const match = lists[id].find((each) => each.id === number || each.name === text);
    if (!match || !fields.includes(id) || (number === undefined) === (text === undefined)) continue;
    delete own[id];
    delete own[name];
    if (number === undefined) own[id] = match.id;
    else own[name] = match.name;
  }
  if (own['boarding']) own['boarding'] = otherReferences(own['boarding'], lists, fields);
  return own;
}

export const lastName = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** Rewrites a problem for the form: no program is `false` in JSON, and a choice in the form. */
export function inForm(hasPlan: boolean): (problem: FieldProblem) => FieldProblem {
  const choice = hasPlan ? 'or choose none' : 'or choose none, and the merchant has no fees at first';
  return ({ field, message }) => ({
    field,
    message: message.replace(/boardingSettings: false creates without$/, choice),
  });
}

/** Returns the fields that differ from the first input. A number and a name of the same agent or program do not differ. */
export async function inputDifferences(
  { client, settings }: RequestContext,
  workflowId: string,
  input: AnyInput,
) {
  const fields = await differenceFromStart(client, workflowId, input);
  const differing = (fields ?? []).map(lastName);
  const named = NAME_FIELDS.filter((pair) => pair.every((each) => differing.includes(each)));
  const lists = named.length > 0 && (await sharedLists(client, settings.taskQueue, input.account));
  if (!lists) return fields;
  const others = otherReferences(input, lists, named.flat());
  const withNames = await differenceFromStart(client, workflowId, others);
  return withNames && withNames.length < (fields?.length ?? 0) ? withNames : fields;
}

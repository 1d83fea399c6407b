import { type ChangeableField, changeableFields, isCorrectable, shown } from '../../forms/corrections.js';
import { partsOf } from '../../inbox/parts.js';
import type { Correctable } from '../../messages/activities.js';
import type { Requirement } from '../../messages/requirements.js';
import { withoutPrivate } from '../../privacy/private-fields.js';
import { inputOf, stateOf } from '../../temporal/onboardings.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import type { CommandContext, CommandLine } from '../cli/command-line.js';

interface Named {
  readonly workflowId: string;
  /** The person's name for it. */
  readonly typed: string;
}

/** Prints the present input of an onboarding, and the fields that can change now; for a customer, also the fields of its parts. */
export async function showInput(
  context: CommandContext,
  { workflowId, typed }: Named,
  json?: true,
): Promise<void> {
  const { cli, client } = context;
  for (const id of await correctableIds(context, workflowId)) {
    const correctable = await inputOf(client, id);
    if (json) {
      cli.json(asJson(context, id, correctable));
      continue;
    }
    const { requirements } = await stateOf(client, id);
    const asking = requirements.filter(({ answers }) => answers.includes('correction'));
    print(context, { workflowId: id, typed }, correctable, asking);
  }
}

async function correctableIds({ client }: CommandContext, workflowId: string): Promise<string[]> {
  if (isCorrectable(workflowId)) return [workflowId];
  const parts = await partsOf(client, workflowId, await stateOf(client, workflowId));
  if (parts.length > 0) return parts.map((part) => part.workflowId);
  throw new InvalidInput(`${workflowId}: has no input that a correction can change`);
}

function asJson({ config }: CommandContext, workflowId: string, correctable: Correctable) {
  const fields = changeableFields(correctable, config).map(({ name, isRequired, type, rule }) => ({
    ...{ field: name, required: isRequired, type },
    ...(rule !== '' && { rule }),
  }));
  return { workflowId, input: withoutPrivate(correctable.input), canChange: fields };
}

/** @param asking the open requirements that take a correction */
function print(
  { cli, config }: CommandContext,
  { workflowId, typed }: Named,
  correctable: Correctable,
  asking: readonly Requirement[],
): void {
  const fields = changeableFields(correctable, config);
  cli.line(`${workflowId}: input with its corrections, private values masked`);
  cli.line(JSON.stringify(withoutPrivate(correctable.input), undefined, 2));
  const questions = asking.map(({ detail }) => detail).join('\n');
  const isAsked = ({ name }: ChangeableField) =>
    new RegExp(`(^|[^\\w.])${name.replaceAll('.', '\\.').replace(/\bN\b/g, '\\d+')}($|[^\\w.])`, 'm').test(
      questions,
    );
  const asked = fields.filter(isAsked);
  if (asked.length > 0) {
    cli.line('\nfields that an open requirement names:');
    for (const field of asked) printField(cli, field);
  }
  cli.line(`\n${asked.length > 0 ? 'other ' : ''}fields that a correction can change now:`);
  for (const field of fields.filter((each) => !asked.includes(each))) printField(cli, field);
  cli.line('');
  if (fields.some(({ name }) => /\bN\b/.test(name)))
    cli.prose('N is the index of an item, from 0. A field of type object can hold any fields.');
  if (asking.length === 0) cli.prose('No open requirement takes a correction now.');
  for (const { id } of asking)
    cli.line(`change one: gangway resolve ${typed} ${id} --set FIELD=VALUE --dry-run`);
}

/** The name is never cut, because people copy it. */
function printField(cli: CommandLine, { name, now, isRequired, type, rule }: ChangeableField): void {
  const value = now === undefined || (typeof now === 'object' && now !== null) ? '' : ` = ${shown(now)}`;
  const rules = [type, isRequired && 'required', rule].filter(Boolean).join('; ');
  cli.line(`  ${cli.hanging(`${name}${value}: ${rules}`, 6)}`);
}

import type { Correctable } from '../../messages/activities.js';
import { withoutPrivate } from '../../privacy/private-fields.js';
import { inputOf, stateOf } from '../../temporal/onboardings.js';
import type { CommandContext } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { partsOf } from '../cli/parts.js';
import { changeableFields, isCorrectable, shown } from './correction.js';

/** Prints the input of an onboarding as it stands, and the fields that can change now; of a customer, those of its parts. */
export async function showInput(context: CommandContext, workflowId: string, json?: true): Promise<void> {
  const ids = await correctableIds(context, workflowId);
  const { cli, client } = context;
  for (const id of ids) {
    const correctable = await inputOf(client, id);
    if (json) cli.json(asJson(context, id, correctable));
    else print(context, id, correctable);
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

function print({ cli, config }: CommandContext, workflowId: string, correctable: Correctable): void {
  const fields = changeableFields(correctable, config);
  cli.line(`${workflowId}: input with its corrections, private values masked`);
  cli.line(JSON.stringify(withoutPrivate(correctable.input), undefined, 2));
  cli.line('\nfields that a correction can change now:');
  cli.records(fields, {
    columns: {
      field: ({ name }) => name,
      now: ({ now }) => (typeof now === 'object' && now !== null ? '' : now === undefined ? '' : shown(now)),
      type: ({ type }) => type,
      rule: ({ isRequired, rule }) => [isRequired && 'required', rule].filter(Boolean).join('; '),
    },
  });
  cli.line('\nN is the number of an item, from 0. A field that takes objects takes any field in it.');
  cli.line(`change one: gangway resolve ${workflowId} REQUIREMENT --set FIELD=VALUE --dry-run`);
}

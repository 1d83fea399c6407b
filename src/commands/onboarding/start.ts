import { kindOf } from '../../batches/ready.js';
import { NAMES } from '../../batches/validation.js';
import type { Outcome } from '../../client/outcome.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../../temporal/start.js';
import { check, InvalidInput } from '../../texts/invalid-input.js';
import { readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { followStarted } from '../cli/follow.js';
import { gangwayOf } from '../cli/gangway.js';
import { printOutcome } from '../cli/outcomes.js';

interface StartingOptions {
  readonly wait?: true;
  readonly again?: true;
  readonly json?: true;
}

export const board = startOf(MERCHANT);
export const onboardBusiness = startOf(BUSINESS);
export const onboard = startOf(CUSTOMER);

function startOf<Input>(kind: Kind<Input>) {
  return (cli: CommandLine, file: string, options: StartingOptions) => startFrom(cli, kind, file, options);
}

/** @throws {InvalidInput} when a file is for another command */
function rejectOtherKind({ type }: Pick<Kind<unknown>, 'type'>, given: unknown, file: string): void {
  const found = kindOf(given);
  if (!('kind' in found) || found.kind.type === type) return;
  const [what] = NAMES[found.kind.type];
  throw new InvalidInput(
    `${sourceName(file)}: is a ${what}; nothing was started. Use "gangway ${found.kind.command} ${file}"`,
  );
}

async function startFrom<Input>(
  cli: CommandLine,
  kind: Kind<Input>,
  file: string,
  { wait, again, json }: StartingOptions,
): Promise<void> {
  const given = await readJson(cli, file);
  rejectOtherKind(kind, given, file);
  const input = check(kind.schema(cli.config()), given, sourceName(file));
  await withTemporal(cli, async (context) => {
    const started = await gangwayOf(context).start(kind, input, { again });
    const restart = 'start it again with --again';
    const outcome = await followStarted<Outcome>(context, started, { wait: wait === true, json, restart });
    if (outcome && !json) printOutcome(cli, started.workflowId, outcome);
  });
}

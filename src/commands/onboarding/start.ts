import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../../temporal/start.js';
import { check, readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { followStarted } from '../cli/follow.js';
import { type Outcome, printOutcome } from '../cli/outcomes.js';

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

async function startFrom<Input>(
  cli: CommandLine,
  { schema, start }: Kind<Input>,
  file: string,
  { wait, again, json }: StartingOptions,
): Promise<void> {
  const input = check(schema(cli.config()), await readJson(cli, file), sourceName(file));
  await withTemporal(cli, async (context) => {
    const {
      client,
      config: { taskQueue, dbaForm },
    } = context;
    const started = await start(client, input, { taskQueue, dbaForm, again: again === true });
    const restart = 'start it again with --again';
    const outcome = await followStarted<Outcome>(context, started, { wait: wait === true, json, restart });
    if (outcome && !json) printOutcome(cli, started.workflowId, outcome);
  });
}

import type { Outcome } from '../../client/outcome.js';
import { check, InvalidInput } from '../../operators/invalid-input.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../../temporal/start.js';
import { readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { followStarted } from '../cli/follow.js';
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

/** The field that only one kind of input has, and what such an input is for. */
const KINDS: Readonly<Record<string, readonly [command: string, what: string]>> = {
  merchant: [MERCHANT.command, 'a merchant'],
  holder: [BUSINESS.command, 'a business'],
  boarding: [CUSTOMER.command, 'a customer'],
  business: [CUSTOMER.command, 'a customer'],
};

/** @throws {InvalidInput} when a file is for another command */
function rejectOtherKind({ command }: { readonly command: string }, given: unknown, file: string): void {
  if (typeof given !== 'object' || given === null) return;
  const kinds = Object.keys(given).flatMap((field) => (Object.hasOwn(KINDS, field) ? [KINDS[field]] : []));
  const [other] = kinds;
  if (!other || kinds.some((kind) => kind?.[0] === command)) return;
  throw new InvalidInput(
    `${sourceName(file)}: is ${other[1]}; nothing was started. Use "gangway ${other[0]} ${file}"`,
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
    const started = await context.gangway.start(kind, input, { again });
    const restart = 'start it again with --again';
    const outcome = await followStarted<Outcome>(context, started, { wait: wait === true, json, restart });
    if (outcome && !json) printOutcome(cli, started.workflowId, outcome);
  });
}

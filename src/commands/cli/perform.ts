import type { Command } from 'commander';
import { inSpan, startTracing } from '../../tracing/spans.js';
import { CommandLine, type Surroundings } from './command-line.js';

/** Runs the action of a command, with a span of its own. */
export async function perform(
  surroundings: Surroundings,
  command: Command,
  action: (cli: CommandLine) => unknown,
): Promise<void> {
  const stopTracing = await startTracing('gangway', surroundings.env);
  const cli = new CommandLine(surroundings);
  try {
    const name = `gangway ${mainName(command)}`;
    await inSpan({ name }, async () => action(cli));
  } finally {
    cli.status.end();
    await stopTracing();
  }
}

/** The name after `gangway`. */
function mainName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? mainName(parent) : command.name();
}

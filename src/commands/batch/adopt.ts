import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { adoptionRules } from './adoption.js';
import { type FormatOptions, withValidRows } from './batch.js';
import { type RunOptions, run } from './run.js';

type AdoptOptions = FormatOptions & RunOptions;

export async function adopt(cli: CommandLine, file: string, options: AdoptOptions): Promise<void> {
  const rules = adoptionRules(cli.config(), { dryRun: options.dryRun === true });
  await withValidRows(cli, file, options, rules, ({ validation, rows }) =>
    withTemporal(cli, (context) => run(context, rows(), validation.rows, options), { finishes: true }),
  );
}

import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { adoptionRules } from './adoption.js';
import { type FormatOptions, withValidRows } from './batch.js';
import { type RunOptions, readAndFollow } from './run.js';

type AdoptOptions = FormatOptions & RunOptions;

export async function adopt(cli: CommandLine, file: string, options: AdoptOptions): Promise<void> {
  await withValidRows(cli, file, options, adoptionRules(cli.config()), ({ name, validation, rows }) =>
    withTemporal(cli, (context) => readAndFollow(context, name, rows(), validation.rows, options), {
      finishes: true,
    }),
  );
}

import type { Command } from 'commander';
import { z } from 'zod';
import type { SavedStatement } from '../messages/banking-activities.js';
import type { GenerateStatementInput } from '../messages/banking-operations.js';
import type { CommandLine } from './command-line.js';
import { check } from './input-file.js';
import { keyOf, type OperationOptions, runOperation, withOperationOptions } from './operation.js';
import {
  named,
  requestFrom,
  type StatementOptions,
  statementOptions,
  withStatementOptions,
} from './statement-request.js';

const statementOfMonth = statementOptions.extend({
  '--period': z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month such as 2026-01', abort: true })
    .refine((month) => month <= new Date().toISOString().slice(0, 7), 'must not be in the future'),
});

interface NowOptions extends StatementOptions, OperationOptions {
  readonly period?: string;
}

type Saved = SavedStatement & { readonly emailed: boolean };

/** Adds `statement now`. */
export function nowCommand(statement: Command, cli: CommandLine): void {
  const command = statement
    .command('now')
    .description('Save the statement of one month.')
    .option('--period <month>', 'which month, such as 2026-01 (required)');
  withOperationOptions(withStatementOptions(command)).action((options: NowOptions) => saveNow(cli, options));
}

async function saveNow(cli: CommandLine, options: NowOptions): Promise<void> {
  const asked = check(statementOfMonth, { ...named(options), '--period': options.period }, 'statement now');
  const period = asked['--period'];
  const input: GenerateStatementInput = { ...requestFrom(asked), period };
  await runOperation<Saved>(
    cli,
    {
      start: {
        type: 'generateStatement',
        key: `now-${keyOf(input)}`,
        args: [input],
        summary: `statement of ${period}`,
      },
      done: toldOf,
    },
    options,
  );
}

function toldOf({ fileName, bytes, emailed }: Saved): string {
  const sent = emailed ? ', and on its way by e-mail' : '';
  return `${fileName} (${bytes} bytes) is in the statement store${sent}`;
}

import type { Command } from 'commander';
import type { CommandLine } from './command-line.js';
import { monthlyCommands } from './statement-monthly.js';
import { nowCommand } from './statement-now.js';

export function statementCommand(program: Command, cli: CommandLine): void {
  const statement = program
    .command('statement')
    .summary('statements of accounts, now or each month')
    .description('Save statements of financial accounts into the statement store of the workers.');
  nowCommand(statement, cli);
  monthlyCommands(statement, cli);
}

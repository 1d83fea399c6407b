import type { Command } from 'commander';
import { monthlyCommands } from './statement-monthly.js';
import { nowCommand } from './statement-now.js';

export function statementCommand(program: Command): void {
  const statement = program
    .command('statement')
    .summary('statements of accounts, now or each month')
    .description('Save statements of financial accounts into the statement store of the workers.');
  nowCommand(statement);
  monthlyCommands(statement);
}

import type { Command } from 'commander';
import { z } from 'zod';
import type { GenerateStatementInput } from '../messages/banking-operations.js';
import { defined } from '../messages/defined.js';
import { fullStatementRequest } from '../partners/banking/requests.js';

const { financialAccountIds, email } = fullStatementRequest.shape;

/** What all statements are asked for with, by the names of the options. */
export const statementOptions = z.object({
  '--account': financialAccountIds,
  '--format': z
    .string()
    .toUpperCase()
    .pipe(z.enum(['PDF', 'CSV', 'QBO', 'OFX'])),
  '--email': email,
});

export interface StatementOptions {
  readonly account?: readonly string[];
  readonly format: string;
  readonly email?: string;
}

export function withStatementOptions(command: Command): Command {
  return command
    .option('--account <id...>', 'financial accounts (required)')
    .option('--format <format>', 'PDF, CSV, QBO or OFX', 'PDF')
    .option('--email <address>', 'have the partner send it there as well');
}

/** The options by their names, to be checked. */
export function named({ account, format, email: address }: StatementOptions) {
  return { '--account': account, '--format': format, '--email': address };
}

export function requestFrom(
  asked: z.output<typeof statementOptions>,
): Omit<GenerateStatementInput, 'period'> {
  const { '--account': accounts, '--format': fileFormat, '--email': address } = asked;
  return { financialAccountIds: accounts, fileFormat, ...defined({ email: address }) };
}

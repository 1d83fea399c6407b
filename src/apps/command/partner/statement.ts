import { z } from 'zod';
import { omitUndefined } from '../../../messages/objects.js';
import { fullStatementRequest } from '../../../partners/banking/requests.js';
import { check } from '../../../services/texts/invalid-input.js';
import type { CommandLine } from '../cli/command-line.js';
import type { Texts } from '../cli/options.js';
import { contentKey, type Operation, type OperationOptions, runOperation } from './operations.js';

const { financialAccountIds, email } = fullStatementRequest.shape;

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month of a statement. `previous-month` is `2025-12` on any day of January 2026, in UTC. */
export const period = z
  .string()
  .transform((text) => (text === 'previous-month' ? monthAgo(1) : text))
  .pipe(
    z
      .string()
      .regex(MONTH, { error: 'must be previous-month, or a month such as 2026-01', abort: true })
      .refine((month) => month <= monthAgo(0), 'must not be in the future'),
  );

const statementOptions = z.object({
  '--account': financialAccountIds,
  '--period': period,
  '--format': z
    .string()
    .toUpperCase()
    .pipe(z.enum(['PDF', 'CSV', 'QBO', 'OFX'])),
  '--email': email,
});

/** Returns the month so many months ago, in UTC: `2026-01`. */
function monthAgo(back: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
}

interface StatementOptions extends OperationOptions, Texts<'email' | 'period'> {
  readonly account?: readonly string[];
  readonly format: string;
}

export async function saveNow(cli: CommandLine, options: StatementOptions): Promise<void> {
  const { account, format, email: address } = options;
  const question = check(
    statementOptions,
    { '--account': account, '--period': options.period, '--format': format, '--email': address },
    'statement now',
  );
  const request = {
    financialAccountIds: question['--account'],
    period: question['--period'],
    fileFormat: question['--format'],
    ...omitUndefined({ email: question['--email'] }),
  };
  const operation: Operation<'statement'> = {
    operation: 'statement',
    key: `now-${contentKey(request)}`,
    request,
    done({ fileName, bytes, emailed, warning }) {
      const sent = emailed ? ', and the partner sends it by email' : '';
      const advice = warning ? `. Check it: ${warning}` : '';
      return `${fileName} (${bytes} bytes) is in the statement store${sent}${advice}`;
    },
  };
  await runOperation(cli, operation, options);
}

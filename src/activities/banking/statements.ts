import type { StatementFolder } from '../../documents/statement-folder.js';
import type { SavedStatement } from '../../messages/banking-activities.js';
import type { StatementRequest } from '../../messages/banking-operations.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { statementFormat } from '../../partners/banking/statement.js';
import type { CallOptions } from '../../partners/client.js';
import { once, repeatable } from '../failures.js';
import { type BankingCalls, untilCancelled } from './access.js';

/** Fetches statements into the statement folder. */
export function statementActivities(
  client: BankingClient,
  statements: StatementFolder,
): Pick<BankingCalls, 'saveStatement'> {
  async function save(request: StatementRequest, options?: CallOptions): Promise<SavedStatement> {
    const { period, financialAccountIds, fileFormat, email } = request;
    const { contentType, body } = await client.generateFullStatement(
      {
        period: `${period}-01T00:00:00Z`,
        financialAccountIds: [...financialAccountIds],
        fileFormat,
        ...(email !== undefined && { email }),
      },
      options,
    );
    const format = statementFormat(contentType) ?? fileFormat;
    return statements.save({ period, accounts: financialAccountIds, format }, body);
  }

  return {
    saveStatement: (request) =>
      request.email === undefined
        ? repeatable(() => save(request, untilCancelled()))
        : once(() => save(request)),
  };
}

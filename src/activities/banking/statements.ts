import type { FileStore } from '../../documents/file-store.js';
import { saveStatement } from '../../documents/statement-store.js';
import type { BankingActivities, SavedStatement } from '../../messages/banking-activities.js';
import type { StatementRequest } from '../../messages/banking-operations.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { statementFormat } from '../../partners/banking/statement.js';
import type { CallOptions } from '../../partners/client.js';
import { repeatable, untilCancelled } from '../failures.js';
import { kept } from '../stores.js';
import { write } from '../write.js';

const STATEMENT = { system: 'banking', operation: 'generate-full-statement' };

/** Fetches statements into their store. */
export function statementActivities(
  client: BankingClient,
  statements: FileStore,
  partnerAccount: string | undefined,
): Pick<BankingActivities, 'saveStatement'> {
  async function save(request: StatementRequest, options?: CallOptions): Promise<SavedStatement> {
    const { period, financialAccountIds, fileFormat, email } = request;
    const file = await client.generateFullStatement(
      {
        period: `${period}-01T00:00:00Z`,
        financialAccountIds: [...financialAccountIds],
        fileFormat,
        ...(email !== undefined && { email }),
      },
      options,
    );
    const format = statementFormat(file.contentType) ?? fileFormat;
    return saveStatement(statements, { partnerAccount, period, accounts: financialAccountIds, format }, file);
  }

  return {
    saveStatement: (request) =>
      request.email === undefined
        ? repeatable(() => kept(STATEMENT, () => save(request, untilCancelled())))
        : // The partner has sent its e-mail by the time that a file cannot be kept: what is left of it is in doubt.
          write((options) => save(request, options)),
  };
}

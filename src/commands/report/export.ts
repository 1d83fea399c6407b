import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/open-store.js';
import { userName } from '../../process/user.js';
import { recordOf } from '../../reports/gather.js';
import { savePage } from '../../reports/page.js';
import { recordPage } from '../../reports/record-page.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { findById, type IdOptions } from '../cli/partner-account.js';

interface ExportOptions extends IdOptions {
  readonly html?: string;
  readonly withPrivateValues?: true;
  readonly reason?: string;
  readonly actor?: string;
}

/** @throws {InvalidInput} when private values are wanted without a reason */
export async function exportOne(cli: CommandLine, id: string, options: ExportOptions): Promise<void> {
  const { html, withPrivateValues, reason, actor = userName() } = options;
  if (withPrivateValues && !reason?.trim())
    throw new InvalidInput('--with-private-values needs --reason, which the document records');
  if (reason !== undefined && !withPrivateValues)
    throw new InvalidInput(
      '--reason is only for --with-private-values; without it, nothing private is shown',
    );
  await withTemporal(cli, async (context) => {
    const description = await findById(context, id, options);
    const { client, config } = context;
    const documents = documentStore(await openStore(config.documentDir, cli.env));
    const record = await recordOf(client, documents, description, { actor, reason });
    if (withPrivateValues)
      cli.note(
        `${record.exportedAt} ${actor} exports ${record.onboarding.workflowId} with private values, because: ${reason}`,
      );
    if (html === undefined) return cli.json(record);
    await savePage(html, recordPage(record, cli.times));
    cli.line(`saved ${record.onboarding.workflowId} to ${html}`);
  });
}

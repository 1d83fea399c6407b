import { userInfo } from 'node:os';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/open-store.js';
import type { WorkflowType } from '../../messages/ids.js';
import { describe, partIds } from '../../temporal/onboardings.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { gathered } from './gather.js';
import { MASKED, SHOWN } from './mask.js';
import { savePage } from './page.js';
import type { ExportedOnboarding, ExportedRecord } from './record.js';
import { recordPage } from './record-page.js';

interface ExportOptions extends IdOptions {
  readonly html?: string;
  readonly withPrivateValues?: true;
  readonly reason?: string;
  readonly actor?: string;
}

/** @throws {InvalidInput} when private values are wanted without a reason */
export async function exportOne(cli: CommandLine, id: string, options: ExportOptions): Promise<void> {
  const { html, withPrivateValues, reason, actor = userInfo().username } = options;
  if (withPrivateValues && !reason?.trim())
    throw new InvalidInput('--with-private-values needs --reason, which the document keeps');
  if (reason !== undefined && !withPrivateValues)
    throw new InvalidInput(
      '--reason is only for --with-private-values; without it, nothing private is shown',
    );
  await withTemporal(cli, async (context) => {
    const description = await findById(context, id, options);
    const all = await gatheredWithParts(context, description, withPrivateValues ?? false);
    const [onboarding, ...parts] = all;
    const record: ExportedRecord = {
      format: 'gangway-export',
      version: 1,
      exportedAt: new Date().toISOString(),
      exportedBy: actor,
      privateValues: withPrivateValues ? 'shown' : 'masked',
      ...(reason !== undefined && { reason }),
      namespace: context.client.options.namespace,
      onboarding,
      parts,
    };
    if (withPrivateValues)
      cli.note(
        `${record.exportedAt} ${actor} exports ${onboarding.workflowId} with private values, because: ${reason}`,
      );
    if (html === undefined) return cli.json(record);
    await savePage(html, recordPage(record, cli.times));
    cli.line(`saved ${onboarding.workflowId} to ${html}`);
  });
}

async function gatheredWithParts(
  { cli, client, config }: CommandContext,
  description: WorkflowExecutionDescription,
  withPrivateValues: boolean,
): Promise<[ExportedOnboarding, ...ExportedOnboarding[]]> {
  const documents = documentStore(await openStore(config.documentDir, config.s3Endpoint, cli.env));
  const gathering = { client, documents, mask: withPrivateValues ? SHOWN : MASKED };
  const isCustomer = description.type === ('customerOnboarding' satisfies WorkflowType);
  const ids = isCustomer ? Object.values(partIds(description.workflowId)) : [];
  const described = await Promise.all(ids.map((id) => describe(client, id)));
  const parts = described.filter((part) => part !== undefined);
  return Promise.all([gathered(gathering, description), ...parts.map((part) => gathered(gathering, part))]);
}

import { documentStore } from '../../../partners/documents/document-store.js';
import { openStore } from '../../../platform/documents/open-store.js';
import { readRecord } from '../../../services/reports/read-record.js';
import { recordPage } from '../../../services/reports/record-page.js';
import {
  COLUMNS,
  lackOf,
  numbersOf,
  type Report,
  type ReportOf,
  reportOf,
  tablesOf,
  WEEK_COLUMNS,
  weekRowsOf,
} from '../../../services/reports/report.js';
import { reportPage } from '../../../services/reports/report-page.js';
import { webhookFigures, webhookText } from '../../../services/reports/webhooks.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { findById, type IdOptions, saveOutputFile } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { Flags, Texts } from '../cli/options.js';
import { actorFrom } from '../onboarding/claim.js';

type ReportOptions = ReportOf & Flags<'json' | 'csv' | 'weeks'> & Texts<'html'>;

export async function reportCommand(cli: CommandLine, options: ReportOptions): Promise<unknown> {
  const { json, csv, weeks, html, ...which } = options;
  const counted = await withTemporal(cli, ({ client }) => reportOf(client, which));
  const result = { ...counted, ...(!weeks && (await webhooksOf(cli, which))) };
  if (weeks) {
    const rows = weekRowsOf(result);
    const cellOf = (title: string) => (row: (typeof rows)[number]) => row[title];
    const columns = Object.fromEntries(Object.keys(rows[0] ?? {}).map((title) => [title, cellOf(title)]));
    const how = { columns, json, csv, fields: WEEK_COLUMNS };
    cli.records(rows, { ...how, none: `nothing has ended since ${cli.times.at(result.since)}` });
    const lack = lackOf(result);
    return lack && cli.note(lack);
  }
  if (json) return cli.json(result);
  if (csv) return cli.csv(numbersOf(result), COLUMNS);
  if (html === undefined) return printReport(cli, result);
  await saveOutputFile(html, reportPage(result, cli.times));
  cli.line(`saved the report to ${html}`);
}

/** Reads figures about webhooks. Prometheus can filter them only by partner and account. */
async function webhooksOf(cli: CommandLine, { system, partnerAccount, dba, agent }: ReportOf) {
  if (dba !== undefined || agent !== undefined) return undefined;
  const figures = await webhookFigures(cli.env, cli.signal).catch(({ message }: Error) => {
    cli.signal.throwIfAborted();
    cli.note(`the report lacks webhooks: ${message}`);
  });
  const webhooks = figures
    ?.filter((its) => system === undefined || system === its.system)
    .filter((its) => partnerAccount === undefined || partnerAccount === its.account);
  return webhooks && { webhooks };
}

function printReport(cli: CommandLine, result: Report): void {
  const { running, waiting, waitingOverADay, overADay, ended, since } = result;
  cli.line(
    `${running} running, ${waiting} waiting for a person, ${waitingOverADay} of them for over a day; ` +
      `${overADay} in one stage for over a day; ${ended} ended since ${cli.times.at(since)}`,
  );
  for (const { title, head, rows } of tablesOf(result, cli.times)) {
    cli.line(`\n${title}`);
    const output = rows.map((row) => row.map((cell) => (cell instanceof Date ? cli.times.at(cell) : cell)));
    if (rows.length > 0) cli.table(head, output);
    else cli.line('none');
  }
  if (result.webhooks?.length) cli.line(['\nWebhooks', ...result.webhooks.map(webhookText)].join('\n'));
  const lack = lackOf(result);
  if (lack) cli.note(lack);
}

type ExportOptions = IdOptions & Flags<'withPrivateValues'> & Texts<'html' | 'reason' | 'actor'>;

/** @throws {InvalidInput} if private values are wanted without a reason */
export async function exportOne(cli: CommandLine, id: string, options: ExportOptions): Promise<void> {
  const { html, withPrivateValues, reason } = options;
  const actor = actorFrom(cli, options);
  if (withPrivateValues && !reason?.trim())
    throw new InvalidInput('--with-private-values needs --reason, which the document records');
  const idle = '--reason is only for --with-private-values; without it, nothing private is shown';
  if (reason !== undefined && !withPrivateValues) throw new InvalidInput(idle);
  await withTemporal(cli, async (context) => {
    const description = await findById(context, id, options);
    const { client, config } = context;
    const documents = documentStore(await openStore(config.documentDir, cli.env));
    const record = await readRecord(client, documents, description, { actor, reason });
    if (withPrivateValues)
      cli.note(
        `${record.exportedAt} ${actor} exports ${record.onboarding.workflowId} with private values, because: ${reason}`,
      );
    if (html === undefined) return cli.json(record);
    await saveOutputFile(html, recordPage(record, cli.times));
    cli.line(`saved ${record.onboarding.workflowId} to ${html}`);
  });
}

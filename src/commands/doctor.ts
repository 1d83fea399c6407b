import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Config, servedAccounts } from '../config.js';
import { openStore } from '../documents/open-store.js';
import type { Account } from '../partners/account-settings.js';
import { closeAll, type PartnerClients, partnerClients } from '../partners/clients.js';
import { withClient } from '../temporal/connection.js';
import { missingSearchAttributes } from '../temporal/search-attributes.js';
import { serverClockOffset } from '../temporal/server-clock.js';
import { type ClockOffsets, examineClocks, notingClocks } from './clock-findings.js';
import type { CommandLine } from './command-line.js';
import { CommandFailed } from './errors.js';
import { examineKeys, examineTasks } from './task-findings.js';
import { weakSettings } from './weak-settings.js';
import { examineVersions, examineWorkers } from './worker-findings.js';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** It works, and is unwise. */
  readonly warning?: true;
  readonly detail: string;
}

export function doctorCommand(program: Command, cli: CommandLine): void {
  program
    .command('doctor')
    .summary('find out what is not set up')
    .description(
      'Check settings, Temporal, workers, partners and stores of files. Changes nothing at a partner.',
    )
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: true }) => {
      const findings = await examine(cli);
      if (json) for (const each of findings) cli.json(each);
      else
        cli.table(
          ['', 'check', 'finding'],
          findings.map(({ ok, warning, check, detail }) => [
            ok ? (warning ? '??' : 'ok') : '!!',
            check,
            detail,
          ]),
        );
      const failed = findings.filter(({ ok }) => !ok).length;
      if (failed > 0) throw new CommandFailed(`${failed} of ${findings.length} checks failed`);
    });
}

async function examine(cli: CommandLine): Promise<Finding[]> {
  const config = cli.config();
  const clocks: ClockOffsets = new Map();
  const findings = await Promise.all([
    examineTemporal(cli, config, clocks),
    ...servedAccounts(config).map(([name, account]) => examineAccount(cli, account, name, clocks)),
    finding('document store', () => examineStore(cli, config.documentDir, config)),
    finding('statement store', () => examineStore(cli, config.statementDir, config)),
  ]);
  const compared = await finding('clocks', async () => examineClocks(clocks));
  const weak = await warnings(cli, config);
  cli.signal.throwIfAborted();
  return [...findings.flat(), compared, ...weak];
}

async function examineAccount(
  { signal }: CommandLine,
  account: Account,
  name: string | undefined,
  clocks: ClockOffsets,
): Promise<Finding[]> {
  const clients = partnerClients(account, notingClocks(clocks, name));
  try {
    const findings = await Promise.all([
      finding('boarding partner', () => examineBoarding(account, clients, signal)),
      finding('banking partner', () => examineBanking(account, clients, signal)),
      ...examineOthers(account, clients, signal),
    ]);
    return findings.map((each) => ({ ...each, ...(name && { check: `${each.check} of ${name}` }) }));
  } finally {
    await closeAll(clients);
  }
}

async function warnings({ env }: CommandLine, config: Config): Promise<Finding[]> {
  const weak = await weakSettings(config, env);
  return weak.map((detail) => ({ check: 'weak setting', ok: true, warning: true, detail }));
}

async function examineTemporal(
  { env, signal }: CommandLine,
  config: Config,
  clocks: ClockOffsets,
): Promise<Finding[]> {
  try {
    return await withClient({ env, keys: config.payloadKeys, signal }, async (client) => [
      await finding('temporal', async () => {
        const { serverVersion } = await client.workflowService.getSystemInfo({});
        const offset = await serverClockOffset(client, config.taskQueue).catch(() => undefined);
        if (offset !== undefined) clocks.set('Temporal', offset);
        return `server ${serverVersion}`;
      }),
      await finding('namespace', async () => {
        const { namespace } = client.options;
        await client.workflowService.describeNamespace({ namespace });
        return namespace;
      }),
      await finding('search attributes', async () => {
        const missing = await missingSearchAttributes(client);
        if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}; run "gangway setup"`);
        return 'all there';
      }),
      await finding('workers', () => examineWorkers(client, config)),
      await finding('versions', () => examineVersions(client, config.taskQueue)),
      await finding('workflow tasks', () => examineTasks(client, config.taskQueue)),
      await finding('keys', () => examineKeys(client, config.taskQueue)),
    ]);
  } catch (error) {
    return [{ check: 'temporal', ok: false, detail: messageOf(error) }];
  }
}

async function examineBoarding(
  { settingsPrefix, boarding }: Account,
  clients: PartnerClients,
  signal: AbortSignal,
): Promise<string> {
  if (!boarding) throw new Error(`off: ${settingsPrefix}BOARDING_URL is not set`);
  const profiles = await clients.boarding.listAgentProfiles({}, { signal });
  return `${boarding.url} knows us, ${profiles.length} agent profiles`;
}

/** Merchants can be boarded without it, so that being off is no failure. */
async function examineBanking(
  { settingsPrefix, banking }: Account,
  clients: PartnerClients,
  signal: AbortSignal,
): Promise<string> {
  if (!banking)
    return `off: ${settingsPrefix}BANKING_URL is not set, so no businesses, customers, cards, statements and lists`;
  const tickets = await clients.banking.listNewTickets({}, { signal });
  return `${banking.url} knows us, ${tickets.length} new tickets`;
}

/** Of the systems that no onboarding needs, those that are on. */
function examineOthers(
  { plantStore, payments, processor }: Account,
  clients: PartnerClients,
  signal: AbortSignal,
): Promise<Finding>[] {
  return [
    ...(plantStore ? [finding('plant store', () => examinePlantStore(plantStore, clients, signal))] : []),
    ...(payments ? [finding('payments platform', () => examinePayments(payments, clients, signal))] : []),
    ...(processor
      ? [finding('processor', async () => `${processor.url}, not tried: nothing can be read`)]
      : []),
  ];
}

async function examinePlantStore(
  { url }: NonNullable<Account['plantStore']>,
  clients: PartnerClients,
  signal: AbortSignal,
): Promise<string> {
  await clients['plant-store'].listPlants({ limit: 1 }, { signal });
  return `${url} knows us`;
}

async function examinePayments(
  { url, environment }: NonNullable<Account['payments']>,
  clients: PartnerClients,
  signal: AbortSignal,
): Promise<string> {
  await clients.payments.listTerminals({ limit: 1 }, { signal });
  return `${url} knows us, and is ${environment}`;
}

/** A file that may be written and stays: to remove files is a right that nobody needs. */
const PROBE = {
  name: 'gangway-doctor.txt',
  content: 'gangway doctor looks whether this can be written and read',
};

async function examineStore({ env }: CommandLine, place: string, { s3Endpoint }: Config): Promise<string> {
  const files = await openStore(place, s3Endpoint, env);
  await files.save(PROBE.name, Readable.from([PROBE.content]), 'text/plain');
  const read = await text(await files.open(PROBE.name));
  if (read !== PROBE.content) throw new Error(`${files.place}: what was written reads otherwise`);
  return files.place;
}

async function finding(check: string, examination: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await examination() };
  } catch (error) {
    return { check, ok: false, detail: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { openStore } from '../../documents/open-store.js';
import { type Account, closeAll, partnerClients, servedAccounts } from '../../partners/account-settings.js';
import type { PartnerObserver } from '../../partners/http.js';
import type { Closable } from '../../partners/partner.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName, settingsPrefix } from '../../partners/systems.js';
import { withClient } from '../../temporal/connection.js';
import { isUnreadablePayload } from '../../temporal/payload-codec.js';
import { type Listed, listed, quoted } from '../../temporal/search.js';
import { missingSearchAttributes } from '../../temporal/search-attributes.js';
import { serverClockOffset } from '../../temporal/server.js';
import { isInvalidRequest } from '../../temporal/unavailable.js';
import { deployedVersions, nameOf, polledQueues, pollersOf, whyNoWorker } from '../../temporal/workers.js';
import { loadWorkerSettings, type WorkerSettings } from '../../worker/settings.js';
import type { CommandLine, CommandSettings } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { explain } from '../cli/failures.js';
import { obstacleOf } from '../cli/requirements.js';
import { weakSettings } from './weak-settings.js';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** It works but is unsafe. */
  readonly warning?: true;
  readonly detail: string;
}

export async function doctor(cli: CommandLine, { json }: { readonly json?: true }): Promise<void> {
  const findings = await examine(cli);
  cli.records(findings, { columns: COLUMNS, json });
  const failed = findings.filter(({ ok }) => !ok).length;
  if (failed > 0) throw new CommandFailed(`${failed} of ${findings.length} checks failed`);
}

const COLUMNS: Readonly<Record<string, (finding: Finding) => string>> = {
  '': ({ ok, warning }) => (ok ? (warning ? '??' : 'ok') : '!!'),
  check: ({ check }) => check,
  finding: ({ detail }) => detail,
};

async function examine(cli: CommandLine): Promise<Finding[]> {
  const config = cli.config();
  const ofWorker = loadWorkerSettings(cli.env);
  const clocks: ClockOffsets = new Map();
  const findings = await Promise.all([
    examineTemporal(cli, config, clocks),
    ...servedAccounts(config).map(([name, account]) => examineAccount(cli, account, name, clocks)),
    finding('document store', () => examineStore(cli, config.documentDir, config)),
    finding('statement store', () => examineStore(cli, config.statementDir, config)),
  ]);
  const compared = await finding('clocks', async () => examineClocks(clocks));
  const weak = await warnings(cli, ofWorker);
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
    const findings = await Promise.all(
      SYSTEM_NAMES.map((system) => examinePartner(system, account, clients[system], signal)),
    );
    return findings.flat().map((each) => ({ ...each, ...(name && { check: `${each.check} of ${name}` }) }));
  } finally {
    await closeAll(clients);
  }
}

/** Checks a partner by its descriptor. @returns nothing for a system that is off and that nothing depends on */
async function examinePartner(
  system: SystemName,
  { settingsPrefix: prefix, partners }: Account,
  client: Closable,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { name, credentialsCheck, whenOff } = PARTNERS[system];
  const settings = partners[system];
  if (!settings) {
    if (whenOff === undefined) return [];
    const off = `off: ${prefix}${settingsPrefix(system)}URL is not set`;
    if (whenOff === 'failure') return [{ check: name, ok: false, detail: off }];
    return [{ check: name, ok: true, detail: `${off}, ${whenOff}` }];
  }
  const { url, environment } = settings;
  return [
    await finding(name, async () => {
      if (!credentialsCheck) return `${url}, not checked: it has no operation that only reads`;
      const found = await credentialsCheck.read(client, { signal });
      return [`${url} accepts our credentials`, found, environment && `environment ${environment}`]
        .filter(Boolean)
        .join('; ');
    }),
  ];
}

async function warnings({ env }: CommandLine, config: WorkerSettings): Promise<Finding[]> {
  const weak = await weakSettings(config, env);
  return weak.map((detail) => ({ check: 'weak setting', ok: true, warning: true, detail }));
}

async function examineTemporal(
  { env, signal }: CommandLine,
  config: CommandSettings,
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
        return 'all registered';
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

/** A file that the check writes and leaves in place, because nothing needs the permission to remove files. */
const PROBE = {
  name: 'gangway-doctor.txt',
  content: 'gangway doctor wrote this file to check that the store can be written and read',
};

async function examineStore(
  { env }: CommandLine,
  place: string,
  { s3Endpoint }: CommandSettings,
): Promise<string> {
  const files = await openStore(place, s3Endpoint, env);
  await files.save(PROBE.name, Readable.from([PROBE.content]), 'text/plain');
  const read = await text(await files.open(PROBE.name));
  if (read !== PROBE.content)
    throw new Error(`${files.place}: a file reads differently from what was written`);
  return files.place;
}

async function finding(check: string, examination: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await examination() };
  } catch (error) {
    return { check, ok: false, detail: messageOf(error) };
  }
}

/** On one line, for the table. */
function messageOf(error: unknown): string {
  const message = explain(error) ?? (error instanceof Error ? error.message : String(error));
  return message.replace(/\n\s*/g, '; ');
}

/** How far a clock may differ, in milliseconds. Signatures of events are valid for five minutes. */
const TOLERANCE_MS = 60_000;

/** How far other clocks are ahead of the clock of this machine, in milliseconds, by the name of the other system. */
export type ClockOffsets = Map<string, number>;

/** Records the clocks of partners from the `Date` of their responses, which has a resolution of one second. */
export function notingClocks(offsets: ClockOffsets, account: string | undefined): PartnerObserver {
  return ({ system }) => {
    const beganAt = Date.now();
    return (end) => {
      const date = 'date' in end && end.date !== undefined ? Date.parse(end.date) : Number.NaN;
      const name = `the ${system} partner${account === undefined ? '' : ` of ${account}`}`;
      if (!Number.isNaN(date)) offsets.set(name, date - (beganAt + Date.now()) / 2);
    };
  };
}

/**
 * Compares the clocks.
 *
 * @throws {Error} that names each clock that differs by more than a minute, or this machine's clock if all others agree
 */
export function examineClocks(offsets: ClockOffsets): string {
  if (offsets.size === 0) return 'unknown: no system responded';
  const names = [...offsets.keys()].sort().join(', ');
  const off = [...offsets].filter(([, offset]) => Math.abs(offset) > TOLERANCE_MS);
  if (off.length === 0) return `this machine, ${names}: they agree to the minute`;
  const all = [...offsets.values()];
  const mean = all.reduce((sum, offset) => sum + offset, 0) / all.length;
  const agree = all.every((offset) => Math.abs(offset - mean) < TOLERANCE_MS);
  if (all.length > 1 && agree) {
    throw new Error(`the clock of this machine is ${apart(-mean)} that of ${names}`);
  }
  throw new Error(
    off.map(([name, offset]) => `the clock of ${name} is ${apart(offset)} this machine's`).join('; '),
  );
}

/** `2 h 5 min ahead of`. */
function apart(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean);
  return `${parts.join(' ')} ${ms > 0 ? 'ahead of' : 'behind'}`;
}

/** The server sets it when a workflow's task fails or times out five times in a row, and removes it when one completes. */
const FAILING =
  "TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')";

/** How many workflows are named, each with its cause. */
const NAMED = 10;

/** @throws {Error} that names workflows whose tasks fail, and why */
async function examineTasks(client: Client, taskQueue: string): Promise<string> {
  const query = running(taskQueue, FAILING);
  const counted = await client.workflow.count(query).catch((error: unknown) => {
    if (isInvalidRequest(error)) return undefined;
    throw error;
  });
  if (counted === undefined) return 'unknown: this server does not report workflow tasks that fail';
  if (counted.count === 0) return 'none fail (the server reports a failing task after a minute)';
  const failing = await first(client, query, NAMED);
  const named = await Promise.all(failing.map(({ workflowId }) => whyOf(client, workflowId)));
  const more = counted.count > named.length ? `; and ${counted.count - named.length} more` : '';
  throw new Error(
    `${counted.count} blocked: ${named.join('; ')}${more}; see "workflow tasks fail" in docs/operations.md`,
  );
}

async function whyOf(client: Client, workflowId: string): Promise<string> {
  return (await obstacleOf(client, workflowId))?.message ?? `${workflowId} can be read again`;
}

/** Workflows of these ages, in days, are sampled, because old workflows need old keys. */
const AGES_DAYS = [30, 7, 1, 0];
const OF_EACH_AGE = 5;
const DAY_MS = 86_400_000;

/** @throws {Error} that names running workflows whose key is not in PAYLOAD_KEYS */
async function examineKeys(client: Client, taskQueue: string): Promise<string> {
  const sampled = await Promise.all(
    AGES_DAYS.map((days) => {
      const before = new Date(Date.now() - days * DAY_MS).toISOString();
      return first(client, running(taskQueue, ...(days > 0 ? [`StartTime < '${before}'`] : [])), OF_EACH_AGE);
    }),
  );
  const ids = [...new Set(sampled.flat().map(({ workflowId }) => workflowId))];
  const locked = (await Promise.all(ids.map((id) => isLocked(client, id)))).flat();
  if (locked.length > 0)
    throw new Error(
      `not in PAYLOAD_KEYS: the key of ${locked.join(', ')}, of ${ids.length} workflows checked`,
    );
  return `${ids.length} running workflows checked, all can be decrypted`;
}

/** Reads the summary of the workflow, which is encrypted like its history and needs no worker. */
async function isLocked(client: Client, workflowId: string): Promise<string[]> {
  const description = await client.workflow.getHandle(workflowId).describe();
  try {
    await description.staticSummary();
    return [];
  } catch (error) {
    if (isUnreadablePayload(error)) return [workflowId];
    throw error;
  }
}

function running(taskQueue: string, ...conditions: readonly string[]): string {
  return [`TaskQueue = ${quoted(taskQueue)}`, "ExecutionStatus = 'Running'", ...conditions].join(' AND ');
}

function first(client: Client, query: string, count: number): Promise<Listed[]> {
  return Array.fromAsync(listed(client, query, count));
}

/** @throws {Error} that names a task queue whose new tasks no worker takes, and why */
export async function examineWorkers(client: Client, config: CommandSettings): Promise<string> {
  const { taskQueue } = config;
  const taking = async (queue: string, tasks: 'workflow' | 'activity') => {
    const pollers = await pollersOf(client, queue, tasks);
    if (pollers.taking === 0) throw new Error(whyNoWorker(queue, pollers));
    return pollers.taking;
  };
  const accounts = servedAccounts(config).map(([name]) => name);
  const [workers] = await Promise.all(
    polledQueues(taskQueue, accounts).map(({ queue, tasks }) => taking(queue, tasks)),
  );
  return `${workers} polled task queue ${taskQueue} and its partner task queues in the last minute`;
}

/**
 * The state of the builds of a deployment.
 *
 * @param at as in {@link pollersOf}
 * @throws {Error} that names a build with pinned workflows that no worker runs
 */
export async function examineVersions(client: Client, taskQueue: string, at?: number): Promise<string> {
  const { target, versions: polling } = await pollersOf(client, taskQueue, 'workflow', at);
  const names = new Set([target, ...polling].flatMap((version) => version?.deploymentName ?? []));
  const deployed = await Promise.all(
    [...names].map(async (deploymentName) => {
      const versions = await deployedVersions(client, deploymentName);
      return versions.map((version) => ({ ...version, name: nameOf({ deploymentName, ...version }) }));
    }),
  );
  const running = new Set(polling.map(nameOf));
  const orphaned = deployed.flat().find(({ name, pinned }) => pinned > 0 && !running.has(name));
  if (orphaned) {
    throw new Error(
      `no worker runs ${orphaned.name}, and workflows are pinned to it: ${orphaned.pinned}; run it until they have ended`,
    );
  }
  const shown = deployed.flat().filter(({ status }) => status !== 'drained');
  const pinnedTo = (pinned: number) => (pinned > 0 ? `, pinned to it: ${pinned}` : '');
  if (shown.length === 0) return 'off: GANGWAY_BUILD_ID is not set, so any worker takes any task';
  return shown.map(({ name, status, pinned }) => `${name} is ${status}${pinnedTo(pinned)}`).join('; ');
}

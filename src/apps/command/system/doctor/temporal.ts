import type { Client } from '@temporalio/client';
import { OUR_SOFTWARE_FAILS } from '../../../../messages/activities.js';
import type { RequirementKind } from '../../../../messages/codes.js';
import { SEARCH_ATTRIBUTES } from '../../../../messages/search-attributes.js';
import { ASKING } from '../../../../messages/workflow-types.js';
import { servedSystems } from '../../../../partners/account-settings.js';
import { SYSTEM_NAMES } from '../../../../partners/system-names.js';
import { unreadableReason } from '../../../../services/inbox/send-answer.js';
import { decodePayloads, encryptedIn, type PayloadKey } from '../../../../temporal/payload-codec.js';
import { all, type Condition, compareField, IS_RUNNING, is, isIn } from '../../../../temporal/query.js';
import { count, listExecutions, listOnboardings, type Raw } from '../../../../temporal/search.js';
import { missingSearchAttributes } from '../../../../temporal/search-attributes.js';
import { serverClockOffset, serverGaps } from '../../../../temporal/server.js';
import { isInvalidRequest, undefinedIfMissing } from '../../../../temporal/unavailable.js';
import {
  deployedVersions,
  describeNoWorker,
  keyCheck,
  type Pollers,
  parseWorkerIdentity,
  polledQueues,
  pollersOf,
  versionName,
  type WorkerIdentity,
} from '../../../../temporal/workers.js';
import type { WorkerSettings } from '../../../../worker/settings.js';
import { type Check, type ClockOffsets, ok, type Verdict, warn, wrong } from './check.js';

/** @param connected rejects if Temporal is unavailable, which the first check reports */
export function temporalChecks(connected: Promise<Client>, config: WorkerSettings, clocks: ClockOffsets) {
  const { taskQueue } = config;
  const described = connected.then(describedBy);
  // The check of the namespace reports the failure.
  const usable = described.catch(() => undefined);
  const check = (name: string, examine: (connection: Described) => Promise<Verdict[]>): Check => ({
    name,
    async run() {
      const connection = await usable;
      return connection ? examine(connection) : [];
    },
  });
  return [
    {
      name: 'temporal',
      fix: 'start Temporal, or correct TEMPORAL_ADDRESS, TEMPORAL_TLS and TEMPORAL_API_KEY',
      async run() {
        const client = await connected;
        const offset = await serverClockOffset(client, taskQueue).catch(() => undefined);
        if (offset !== undefined) clocks.set('Temporal', offset);
        const { serverVersion } = await client.workflowService.getSystemInfo({});
        return [ok(`server ${serverVersion}`)];
      },
    },
    {
      name: 'namespace',
      fix: 'correct TEMPORAL_NAMESPACE, or run "temporal operator namespace create --namespace NAME"',
      async run() {
        const client = await connected.catch(() => undefined);
        return client ? [ok((await described).client.options.namespace)] : [];
      },
    },
    check('server features', async ({ client, namespace }) => {
      const { gaps, needs } = await serverGaps(client, namespace);
      return gaps.length > 0 ? gaps.map(({ gap, fix }) => wrong(gap, fix)) : [ok(needs)];
    }),
    check('search attributes', async ({ client }) => {
      const missing = await missingSearchAttributes(client);
      return missing.length > 0
        ? [wrong(`missing: ${missing.join(', ')}`, 'run "gangway setup"')]
        : [ok('all registered')];
    }),
    check('workers', ({ client }) => examineWorkers(client, config)),
    check('builds', ({ client }) => examineBuilds(client, config)),
    check('workflow tasks', ({ client }) => examineTasks(client, taskQueue)),
    check('waits', ({ client }) => examineWaits(client, taskQueue)),
    check('keys', ({ client }) => examineKeys(client, config)),
  ];
}

type Described = Awaited<ReturnType<typeof describedBy>>;

async function describedBy(client: Client) {
  const { namespace } = client.options;
  return { client, namespace: await client.workflowService.describeNamespace({ namespace }) };
}

type Polled = ReturnType<typeof polledQueues>[number] & { readonly pollers: Pollers };

/** Names the task queues whose new tasks no worker takes. */
export async function examineWorkers(client: Client, config: WorkerSettings): Promise<Verdict[]> {
  const { taskQueue } = config;
  const queues = await Promise.all(
    polledQueues(taskQueue, servedSystems(config)).map(async (polled) => ({
      ...polled,
      pollers: await pollersOf(client, polled.queue, polled.tasks),
    })),
  );
  const idle = queues.filter(({ pollers }) => pollers.taking === 0);
  const [main] = queues;
  const reported = main && idle.includes(main) ? [main] : idle;
  if (reported.length > 0) return [...Map.groupBy(reported, ({ account }) => account).values()].map(notTaken);
  const others = new Set(queues.map(({ queue }) => queue)).size - 1;
  const polled = `task queue ${taskQueue} and ${others} of partners and events`;
  return [ok(`polled in the last minute: ${polled}; workers: ${main?.pollers.taking}`)];
}

function notTaken([first, ...more]: readonly Polled[]): Verdict {
  if (!first) throw new RangeError('no task queue is idle');
  const { account, queue, pollers } = first;
  const { why, run } = describeNoWorker(queue, pollers);
  const others = [...new Set(more.map(({ queue }) => queue))].join(', ');
  const detail = others ? `${why}; the same goes for ${others}` : why;
  if (run) return wrong(detail, `run "${run}"`);
  const build = pollers.target ? `, with GANGWAY_BUILD_ID=${pollers.target.buildId}` : '';
  const kind = account
    ? `that has ${account} in GANGWAY_ACCOUNTS, and the URLs of its partners`
    : 'with these settings';
  return wrong(detail, `start a worker ${kind}: "npm run worker"${build}`);
}

/** Names the builds with pinned workflows that no worker runs. */
async function examineBuilds(
  client: Client,
  { taskQueue, version }: Pick<WorkerSettings, 'taskQueue' | 'version'>,
): Promise<Verdict[]> {
  const { target, versions: polling } = await pollersOf(client, taskQueue, 'workflow');
  // By default, a deployment has the name of its task queue. Workers that no longer poll are found by it.
  const names = new Set([
    version?.deploymentName ?? taskQueue,
    ...[target, ...polling].flatMap((each) => each?.deploymentName ?? []),
  ]);
  const deployed = await Promise.all(
    [...names].map(async (deploymentName) => {
      const versions = await deployedVersions(client, deploymentName);
      return versions.map((each) => ({ ...each, name: versionName({ deploymentName, ...each }) }));
    }),
  );
  const running = new Set(polling.map(versionName));
  const orphaned = deployed.flat().filter(({ name, pinned }) => pinned > 0 && !running.has(name));
  if (orphaned.length > 0)
    return orphaned.map(({ name, buildId, pinned }) =>
      wrong(
        `no worker runs ${name}, and workflows are pinned to it: ${pinned}`,
        `run a worker of that build with GANGWAY_BUILD_ID=${buildId} until they have ended`,
      ),
    );
  const builds = deployed.flat().filter(({ status }) => status !== 'drained');
  const pinnedTo = (pinned: number) => (pinned > 0 ? `, pinned to it: ${pinned}` : '');
  if (builds.length === 0) return [ok('off: GANGWAY_BUILD_ID is not set, so any worker takes any task')];
  return [ok(builds.map(({ name, status, pinned }) => `${name} is ${status}${pinnedTo(pinned)}`).join('; '))];
}

/** The kinds of requirements about a partner that does not respond as it should. */
const ABOUT_PARTNERS: readonly RequirementKind[] = ['waiting', 'unreadable'];
const OUR_FAULT: RequirementKind = 'software-error';

/** Counts the workflows that ask because they wait for a partner, or because our own code fails. */
async function examineWaits(client: Client, taskQueue: string): Promise<Verdict[]> {
  const inInbox = isIn('WorkflowType', ASKING);
  const counts = await Promise.all(
    [...ABOUT_PARTNERS, OUR_FAULT].map(async (kind) => {
      const condition = is(SEARCH_ATTRIBUTES.requirements, kind);
      return [kind, await count(client, runningIn(taskQueue, inInbox, condition))] as const;
    }),
  );
  const waiting = counts.filter(([, workflows]) => workflows > 0);
  if (waiting.length === 0) return [ok('nothing waits too long for a partner')];
  return waiting.map(([kind, workflows]) => {
    const [verdict, what] =
      kind === OUR_FAULT ? [wrong, OUR_SOFTWARE_FAILS] : [warn, 'a partner needs attention'];
    const detail = `${what}; workflows with requirement ${kind}: ${workflows}`;
    return verdict(detail, `run "gangway inbox --kind ${kind}"`);
  });
}

/** Finds failing workflows. The server sets the attribute after five failed tasks in a row, and removes it after a completed one. */
const FAILING = isIn('TemporalReportedProblems', [
  'category=WorkflowTaskFailed',
  'category=WorkflowTaskTimedOut',
]);

const NAMED = 10;

async function examineTasks(client: Client, taskQueue: string): Promise<Verdict[]> {
  const query = runningIn(taskQueue, FAILING);
  const counted = await client.workflow.count(query).catch((error: unknown) => {
    if (!isInvalidRequest(error)) throw error;
  });
  if (counted === undefined) return [ok('unknown: this server does not report failing workflow tasks')];
  if (counted.count === 0) return [ok('none fail (the server reports a failing task after a minute)')];
  const failing = await Array.fromAsync(listOnboardings(client, query, NAMED));
  const whyOf = async ({ workflowId }: (typeof failing)[number]) =>
    (await unreadableReason(client, workflowId))?.message ?? `${workflowId} can be read again`;
  const named = await Promise.all(failing.map(whyOf));
  const more = counted.count > named.length ? `; and ${counted.count - named.length} more` : '';
  const fix = 'run a build that can continue them (docs/operations.md, "workflow tasks fail")';
  return [wrong(`${counted.count} blocked: ${named.join('; ')}${more}`, fix)];
}

function runningIn(taskQueue: string, ...conditions: readonly Condition[]): Condition {
  return all(is('TaskQueue', taskQueue), IS_RUNNING, ...conditions);
}

/** The maximum number of workflows whose list entry is checked. An entry needs no separate request. */
const IN_LIST = 5_000;

/** Workflows of these ages, in days, are sampled, because old workflows need old keys. */
const AGES_DAYS = [30, 7, 1, 0];
const OF_EACH_AGE = 5;

const MAX_IDS = 3;

/**
 * Finds the keys that running workflows need: those of the entries in the list, and those of the whole state and the last events
 * of a sample. Then compares the keys of the workers with those of this command, by the check values in the workers' identities.
 */
export async function examineKeys(
  client: Client,
  { taskQueue, payloadKeys }: Pick<WorkerSettings, 'taskQueue' | 'payloadKeys'>,
): Promise<Verdict[]> {
  const keys = payloadKeys ?? [];
  const everyone = await Array.fromAsync(listExecutions(client, runningIn(taskQueue), IN_LIST));
  const sample = await sampleOf(client, taskQueue);
  const sampled = sample.map(async (id) => usesIn(id, await everythingOf(client, id)));
  const listed = everyone.map((each) => usesIn(idOf(each), each.memo));
  const payloads = Map.groupBy([...listed, ...(await Promise.all(sampled))].flat(), ({ keyId }) => keyId);
  const locked = [...payloads].filter(([keyId]) => !keys.some(({ id }) => id === keyId));
  if (locked.length > 0) return locked.map(([keyId, uses]) => lacking(keyId, uses, keys.length > 0));
  const proven = await Promise.all([...payloads].map(([keyId, uses]) => provenBy(client, keyId, uses)));
  // The server may take a minute to show a new worker, but not at each of its task queues.
  const queues = polledQueues(taskQueue, [[undefined, SYSTEM_NAMES]]);
  const pollers = await Promise.all(queues.map(({ queue, tasks }) => pollersOf(client, queue, tasks)));
  const identities = new Set(pollers.flatMap((each) => each.identities));
  const problems = [
    ...proven.flatMap(unreadable),
    ...[...identities].map(parseWorkerIdentity).flatMap((worker) => comparedWith(worker, keys, proven)),
  ];
  if (problems.length > 0) return problems;
  // A worker that has stopped, or is not listed yet, wrote these.
  const foreign = proven.filter(({ mixed }) => mixed.length > 0);
  if (foreign.length > 0)
    return foreign.map(({ keyId, mixed }) =>
      wrong(`another key with the id ${keyId} encrypted something of ${some(mixed)}`, CORRECT_OTHER),
    );
  const inUse = `keys in use: ${payloads.size}, all can be decrypted`;
  return [
    ok(
      everyone.length > 0
        ? `running workflows checked: ${everyone.length}, ${inUse}`
        : `no workflow of Gangway runs in namespace ${client.options.namespace}`,
    ),
  ];
}

/** A payload, and the key that its key ID claims. */
type Use = ReturnType<typeof usesIn>[number];

function usesIn(workflowId: string, message: unknown) {
  return [...encryptedIn(message)].map((encrypted) => ({ workflowId, ...encrypted }));
}

const idOf = ({ execution }: Raw) => execution?.workflowId ?? '';

async function sampleOf(client: Client, taskQueue: string): Promise<string[]> {
  const sampled = await Promise.all(
    AGES_DAYS.map((days) => {
      const before = new Date(Date.now() - days * 86_400_000);
      const query = runningIn(taskQueue, ...(days > 0 ? [compareField('StartTime', '<', before)] : []));
      return Array.fromAsync(listExecutions(client, query, OF_EACH_AGE));
    }),
  );
  return [...new Set(sampled.flat().map(idOf))];
}

/** Returns the summary, the pending activities and the last events of a workflow. */
async function everythingOf(client: Client, workflowId: string): Promise<unknown> {
  const request = { namespace: client.options.namespace, execution: { workflowId } };
  const described = client.workflowService.describeWorkflowExecution(request);
  const last = { ...request, maximumPageSize: 20 };
  return undefinedIfMissing(
    Promise.all([described, client.workflowService.getWorkflowExecutionHistoryReverse(last)]),
  );
}

/** The workflows of which this command can decrypt all, some or nothing: the starter encrypts the memo, workers the rest. */
type Proven = Awaited<ReturnType<typeof provenBy>>;

async function provenBy(client: Client, keyId: string, uses: readonly Use[]) {
  const byWorkflow = { all: [] as string[], some: [] as string[], none: [] as string[] };
  for (const [id, own] of Map.groupBy(uses, ({ workflowId }) => workflowId)) {
    const opened = await Promise.allSettled(
      own.map(({ payload }) => decodePayloads(client, [payload], undefined)),
    );
    const failed = opened.filter(({ status }) => status === 'rejected').length;
    byWorkflow[failed === 0 ? 'all' : failed < own.length ? 'some' : 'none'].push(id);
  }
  const { all, some: mixed, none: unreadable } = byWorkflow;
  return { keyId, readable: all.length + mixed.length, unreadable, mixed };
}

/** Reports whether most of the workflows were encrypted with another key than this command's. */
const isOursWrong = ({ readable, unreadable }: Proven) => unreadable.length > readable;

function lacking(keyId: string, uses: readonly Use[], hasKeys: boolean): Verdict {
  const ids = [...new Set(uses.map(({ workflowId }) => workflowId))];
  const need = `key ${keyId}${hasKeys ? '' : ' is missing'} of ${some(ids)}`;
  return hasKeys
    ? wrong(`not in PAYLOAD_KEYS: ${need}`, `add ${keyId}:<base64> to PAYLOAD_KEYS, after the first key`)
    : wrong(`PAYLOAD_KEYS is not set: ${need}`, 'set the same PAYLOAD_KEYS as the workers');
}

const CORRECT_OTHER =
  'correct the process that has the other key; then read "A payload key is lost" in docs/disaster.md';

function unreadable(proven: Proven): Verdict[] {
  const { keyId, readable, unreadable: ids } = proven;
  if (ids.length === 0) return [];
  const [detail, fix] = isOursWrong(proven)
    ? [
        `key ${keyId} of this command is not the one that encrypted ${some(ids)}`,
        `correct the value of key ${keyId} in PAYLOAD_KEYS of this command`,
      ]
    : [
        `another key with the id ${keyId} encrypted ${some(ids)}; the one of this command reads ${readable} others`,
        CORRECT_OTHER,
      ];
  return [wrong(detail, fix)];
}

/**
 * Compares a worker's keys with this command's. A worker needs all keys in use, and the key that this command encrypts with. This
 * command needs the key that the worker encrypts with. Both also hold during a key rotation.
 */
function comparedWith(
  { name, keyChecks }: WorkerIdentity,
  keys: readonly PayloadKey[],
  proven: readonly Proven[],
): Verdict[] {
  // Another program's worker, which does not publish its keys.
  if (keyChecks === undefined) return [];
  const ofId = (keyId: string) => proven.find((each) => each.keyId === keyId);
  const needed = keys.filter(({ id }, index) => index === 0 || ofId(id));
  const lacks = needed.filter((key) => !keyChecks.includes(keyCheck(key)));
  const ours = keys.map(keyCheck);
  const [first] = keyChecks;
  const add = 'add the first key of that worker to PAYLOAD_KEYS of this command, after the first key';
  if (lacks.length === 0 && first !== undefined && !ours.includes(first))
    return [wrong(`worker ${name} encrypts with a key that this command does not have`, add)];
  return lacks.flatMap(({ id }) => {
    const evidence = ofId(id);
    if (evidence && isOursWrong(evidence)) return [];
    const what = `worker ${name} lacks key ${id} of this command, or has another value for it`;
    const [detail, fix] = evidence
      ? [
          `${what}; the value of this command reads ${evidence.readable} running workflows`,
          `correct key ${id} in PAYLOAD_KEYS of that worker, and restart it`,
        ]
      : [what, 'set the same PAYLOAD_KEYS here and for that worker, and restart it'];
    return [wrong(detail, fix)];
  });
}

function some(ids: readonly string[]): string {
  const more = ids.length > MAX_IDS ? ` and ${ids.length - MAX_IDS} more` : '';
  return ids.slice(0, MAX_IDS).join(', ') + more;
}

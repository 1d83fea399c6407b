import type { Client } from '@temporalio/client';
import { OUR_SOFTWARE_FAILS } from '../../../../messages/activities.js';
import type { RequirementKind } from '../../../../messages/codes.js';
import { SEARCH_ATTRIBUTES } from '../../../../messages/search-attributes.js';
import { servedAccounts } from '../../../../partners/account-settings.js';
import { obstacleOf } from '../../../../services/inbox/answering.js';
import { INBOX_TYPES } from '../../../../services/inbox/inbox.js';
import { is, isIn } from '../../../../temporal/query.js';
import { count, listed } from '../../../../temporal/search.js';
import { missingSearchAttributes } from '../../../../temporal/search-attributes.js';
import { serverClockOffset, serverGaps } from '../../../../temporal/server.js';
import { isInvalidRequest } from '../../../../temporal/unavailable.js';
import {
  deployedVersions,
  nameOf,
  noWorker,
  type Pollers,
  polledQueues,
  pollersOf,
} from '../../../../temporal/workers.js';
import type { WorkerSettings } from '../../../../worker/settings.js';
import { type Check, type ClockOffsets, ok, type Verdict, warn, wrong } from './check.js';
import { examineKeys, runningIn } from './keys.js';

/** @param connected rejects when Temporal is unavailable, which the first check reports */
export function temporalChecks(connected: Promise<Client>, config: WorkerSettings, clocks: ClockOffsets) {
  const { taskQueue } = config;
  const described = connected.then(describedBy);
  // The check of the namespace reports it.
  const usable = described.catch(() => undefined);
  const check = (name: string, examine: (found: Described) => Promise<Verdict[]>): Check => ({
    name,
    async run() {
      const found = await usable;
      return found ? examine(found) : [];
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
  const accounts = servedAccounts(config).map(([name]) => name);
  const queues = await Promise.all(
    polledQueues(taskQueue, accounts).map(async (polled) => ({
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

/** About the task queues of one account. */
function notTaken([first, ...more]: readonly Polled[]): Verdict {
  if (!first) throw new RangeError('no task queue is idle');
  const { account, queue, pollers } = first;
  const { why, run } = noWorker(queue, pollers);
  const others = [...new Set(more.map(({ queue }) => queue))].join(', ');
  const detail = others ? `${why}; the same goes for ${others}` : why;
  if (run) return wrong(detail, `run "${run}"`);
  const build = pollers.target ? `, with GANGWAY_BUILD_ID=${pollers.target.buildId}` : '';
  const kind = account ? `that has ${account} in GANGWAY_ACCOUNTS` : 'with these settings';
  return wrong(detail, `start a worker ${kind}: "npm run worker"${build}`);
}

/** Names the builds with pinned workflows that no worker runs. @param at as in {@link pollersOf} */
export async function examineBuilds(
  client: Client,
  { taskQueue, version }: Pick<WorkerSettings, 'taskQueue' | 'version'>,
  at?: number,
): Promise<Verdict[]> {
  const { target, versions: polling } = await pollersOf(client, taskQueue, 'workflow', at);
  // By default, a deployment has the name of its task queue. Workers that no longer poll are found by it.
  const names = new Set([
    version?.deploymentName ?? taskQueue,
    ...[target, ...polling].flatMap((each) => each?.deploymentName ?? []),
  ]);
  const deployed = await Promise.all(
    [...names].map(async (deploymentName) => {
      const versions = await deployedVersions(client, deploymentName);
      return versions.map((each) => ({ ...each, name: nameOf({ deploymentName, ...each }) }));
    }),
  );
  const running = new Set(polling.map(nameOf));
  const orphaned = deployed.flat().filter(({ name, pinned }) => pinned > 0 && !running.has(name));
  if (orphaned.length > 0)
    return orphaned.map(({ name, buildId, pinned }) =>
      wrong(
        `no worker runs ${name}, and workflows are pinned to it: ${pinned}`,
        `run a worker of that build with GANGWAY_BUILD_ID=${buildId} until they have ended`,
      ),
    );
  const shown = deployed.flat().filter(({ status }) => status !== 'drained');
  const pinnedTo = (pinned: number) => (pinned > 0 ? `, pinned to it: ${pinned}` : '');
  if (shown.length === 0) return [ok('off: GANGWAY_BUILD_ID is not set, so any worker takes any task')];
  return [ok(shown.map(({ name, status, pinned }) => `${name} is ${status}${pinnedTo(pinned)}`).join('; '))];
}

/** The kinds of the requirements that are about a partner which does not respond as it should. */
const ABOUT_PARTNERS: readonly RequirementKind[] = ['waiting', 'unreadable'];
const OUR_FAULT: RequirementKind = 'software-error';

/** Counts the workflows that ask because they wait for a partner, or because our own code fails. */
async function examineWaits(client: Client, taskQueue: string): Promise<Verdict[]> {
  const inInbox = isIn('WorkflowType', INBOX_TYPES);
  const found = await Promise.all(
    [...ABOUT_PARTNERS, OUR_FAULT].map(async (kind) => {
      const asked = is(SEARCH_ATTRIBUTES.requirements, kind);
      return [kind, await count(client, runningIn(taskQueue, inInbox, asked))] as const;
    }),
  );
  const waiting = found.filter(([, workflows]) => workflows > 0);
  if (waiting.length === 0) return [ok('nothing waits too long for a partner')];
  return waiting.map(([kind, workflows]) => {
    const [verdict, what] =
      kind === OUR_FAULT ? [wrong, OUR_SOFTWARE_FAILS] : [warn, 'a partner needs attention'];
    const detail = `${what}; workflows with requirement ${kind}: ${workflows}`;
    return verdict(detail, `run "gangway inbox --kind ${kind}"`);
  });
}

/** The server sets it when a workflow's task fails or times out five times in a row, and removes it when one completes. */
const FAILING = isIn('TemporalReportedProblems', [
  'category=WorkflowTaskFailed',
  'category=WorkflowTaskTimedOut',
]);

const NAMED = 10;

/** Names workflows whose tasks fail, and why. */
async function examineTasks(client: Client, taskQueue: string): Promise<Verdict[]> {
  const query = runningIn(taskQueue, FAILING);
  const counted = await client.workflow.count(query).catch((error: unknown) => {
    if (!isInvalidRequest(error)) throw error;
  });
  if (counted === undefined) return [ok('unknown: this server does not report failing workflow tasks')];
  if (counted.count === 0) return [ok('none fail (the server reports a failing task after a minute)')];
  const failing = await Array.fromAsync(listed(client, query, NAMED));
  const whyOf = async ({ workflowId }: (typeof failing)[number]) =>
    (await obstacleOf(client, workflowId))?.message ?? `${workflowId} can be read again`;
  const named = await Promise.all(failing.map(whyOf));
  const more = counted.count > named.length ? `; and ${counted.count - named.length} more` : '';
  const fix = 'run a build that can continue them (docs/operations.md, "workflow tasks fail")';
  return [wrong(`${counted.count} blocked: ${named.join('; ')}${more}`, fix)];
}

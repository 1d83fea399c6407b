import { hash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { requiredTsToDate } from '@temporalio/common/lib/time.js';
import pThrottle from 'p-throttle';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import {
  all,
  compareField,
  either,
  IS_RUNNING,
  is,
  isNot,
  isNull,
  typedQuery,
} from '../../../temporal/query.js';
import { count, listExecutions, type Raw } from '../../../temporal/search.js';
import { undefinedIfMissing } from '../../../temporal/unavailable.js';
import { bundleFor } from '../../../worker/bundles.js';
import { type RecordedHistory, type ReplayResult, replayHistories } from '../../../worker/replay.js';
import { explainQuery } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import type { Flags, Texts } from '../cli/options.js';
import { withProgress } from '../cli/progress.js';

interface ReplayOptions extends Flags<'held' | 'code' | 'json'>, Texts<'query' | 'resume' | 'build'> {
  readonly ended: number;
  readonly sample?: number;
  readonly rate: number;
}

/** The metadata key of a build's last replay. `roll-out.sh promote` reads it. */
const METADATA = 'gangway-replay';

/** Replays histories through the workflows of this build, and records the result at the build. Changes no workflow. */
export async function replay(cli: CommandLine, options: ReplayOptions): Promise<void> {
  const { build, json } = options;
  const code = await readFile(bundleFor(cli.config().payloadKeys).codePath, 'utf8');
  const digest = hash('sha256', code);
  if (options.code) return cli.line(digest);
  const readableCode = await readFile(bundleFor(undefined).codePath, 'utf8');
  const tooLittle = '--build: a replay with --query covers too little to be recorded; omit one of the two';
  if (build !== undefined && options.query !== undefined) throw new InvalidInput(tooLittle);
  await withTemporal(cli, async ({ client, config }) => {
    const { taskQueue, payloadKeys } = config;
    const version = build === undefined ? undefined : { deploymentName: taskQueue, buildId: build };
    if (version) await insistOn(client, version);
    const done = await passedBefore(options.resume, digest);
    const query = queryOf(taskQueue, options);
    const total = await count(client, query).catch(explainQuery(client, query, options.query));
    const counts = { replayed: 0, failed: 0, skipped: 0, gone: 0, left: 0 };
    const causes = new Map<string, Cause>();
    const step = () =>
      `${counts.replayed + counts.failed} of at most ${total} replayed, ${counts.failed} differ`;
    await withProgress(cli, step, async () => {
      const { namespace } = client.options;
      const histories = listExecutions(client, query, Number.POSITIVE_INFINITY);
      const next = historiesOf(client, histories, options, done, counts);
      const runs = replayHistories({ namespace, taskQueue, payloadKeys, code, readableCode }, next);
      for await (const { difference, ...ids } of runs) {
        if (!difference) {
          counts.replayed += 1;
          await done.add(ids.runId);
          continue;
        }
        counts.failed += 1;
        const { cause, at } = difference;
        const where = at === undefined ? cause : `${cause}\n  ${at}`;
        const first = causes.get(where) ?? { ...ids, ...difference, runs: 0 };
        causes.set(where, { ...first, runs: first.runs + 1 });
        if (json) cli.json({ ...ids, ...difference });
      }
    });
    // An interrupted replay proves nothing.
    cli.signal.throwIfAborted();
    const result = { ...counts, sample: options.sample ?? null, held: options.held ?? false, code: digest };
    if (version) await record(client, version, result);
    if (json) cli.json(result);
    else for (const line of linesOf(causes)) cli.line(line);
    const { failed, left } = counts;
    const all = failed + counts.replayed + counts.skipped;
    if (failed > 0) throw new CommandFailed(`${failed} of ${all} do not replay: do not promote this build`);
    const others = left > 0 ? `; ${left} others were left out of the sample` : '';
    if (!json) cli.line(`all ${all} replay on this build${others}`);
  });
}

/**
 * Finds workflows that move to the next current build: running ones, and recently ended ones, which a query replays, too.
 * Operations and workflows that roll-out.sh holds stay on their build.
 */
function queryOf(taskQueue: string, { query, ended, held }: ReplayOptions): string {
  const behavior = 'TemporalWorkflowVersioningBehavior';
  return all(
    is('TaskQueue', taskQueue),
    isNot('WorkflowType', 'partnerOperation'),
    !held && either(isNull(behavior), isNot(behavior, 'Pinned')),
    ended === 0
      ? IS_RUNNING
      : either(IS_RUNNING, compareField('CloseTime', '>=', new Date(Date.now() - ended))),
    query && typedQuery(query),
  );
}

/** Returns a function that returns the next history. It fetches one at a time for each caller, within the rate per second. */
function historiesOf(
  client: Client,
  runs: AsyncGenerator<Raw>,
  { sample, rate }: ReplayOptions,
  done: Awaited<ReturnType<typeof passedBefore>>,
  counts: { skipped: number; gone: number; left: number },
): () => Promise<RecordedHistory | undefined> {
  const sampled = new Map<string, number>();
  const fetch = pThrottle({ limit: 1, interval: 1_000 / rate })((workflowId: string, runId: string) =>
    client.workflow.getHandle(workflowId, runId).fetchHistory(),
  );
  return async () => {
    for (;;) {
      const { value: raw, done: isOver } = await runs.next();
      if (isOver) return undefined;
      const { workflowId = '', runId = '' } = raw.execution as { workflowId: string; runId: string };
      const group = groupOf(raw);
      const inGroup = (sampled.get(group) ?? 0) + 1;
      const isLeft = sample !== undefined && inGroup > sample;
      if (!isLeft) sampled.set(group, inGroup);
      if (isLeft) counts.left += 1;
      else if (done.has(runId)) counts.skipped += 1;
      else {
        const history = await undefinedIfMissing(fetch(workflowId, runId));
        if (history) return { workflowId, runId, type: raw.type?.name ?? '', history };
        // Its retention period has ended since it was listed.
        counts.gone += 1;
      }
    }
  };
}

/** The limits of a sample's age groups, in days. */
const AGES = [1, 7, 28];

/** Returns the group of a workflow. A sample contains workflows of each group: kind, stage, status and age. */
function groupOf({ type, status, startTime, searchAttributes }: Raw): string {
  const stage = decodeTypedSearchAttributes(searchAttributes?.indexedFields).get(SEARCH_ATTRIBUTES.stage);
  const days = (Date.now() - requiredTsToDate(startTime, 'startTime').getTime()) / 86_400_000;
  return [type?.name, stage, status, AGES.filter((age) => days > age).length].join(' ');
}

/** The first workflow with a cause, and the number of workflows with it. */
type Cause = Omit<ReplayResult, 'difference'> &
  NonNullable<ReplayResult['difference']> & { readonly runs: number };

function linesOf(causes: ReadonlyMap<string, Cause>): string[] {
  const ordered = [...causes].sort(([, one], [, other]) => other.runs - one.runs);
  return ordered.map(([where, { runs, workflowId, eventId }]) => {
    const event = eventId === undefined ? '' : `, event ${eventId}`;
    return `${where}\n  ${runs} of them, such as ${workflowId}${event}`;
  });
}

/** A build of the deployment in Temporal, which its first worker registers. */
type Version = Readonly<Record<'deploymentName' | 'buildId', string>>;

/** Checks before a long replay that its result can be recorded. */
async function insistOn(client: Client, deploymentVersion: Version): Promise<void> {
  const { namespace } = client.options;
  if (deploymentVersion.buildId === '') throw new InvalidInput('--build: must not be empty');
  const described = client.workflowService.describeWorkerDeploymentVersion({ namespace, deploymentVersion });
  if (await undefinedIfMissing(described)) return;
  const { deploymentName, buildId } = deploymentVersion;
  throw new CommandFailed(
    `the result cannot be recorded, because no worker of ${deploymentName}:${buildId} has polled: run roll-out.sh start ${buildId} first`,
  );
}

function record(client: Client, deploymentVersion: Version, result: object): Promise<unknown> {
  const { namespace } = client.options;
  const value = defaultPayloadConverter.toPayload({ at: new Date().toISOString(), ...result });
  return client.workflowService.updateWorkerDeploymentVersionMetadata({
    namespace,
    deploymentVersion,
    upsertEntries: { [METADATA]: value as NonNullable<typeof value> },
  });
}

/** The time for which a passed replay counts, in milliseconds, because workflows continue. */
const COUNTS_MS = 3_600_000;

/** Reads the file of `--resume`: lines with a digest of the code, a run ID and a time. Lines of other code do not count. */
async function passedBefore(file: string | undefined, digest: string) {
  if (file === undefined) return { has: () => false, add: async (_: string) => undefined };
  const cannot = ({ code }: NodeJS.ErrnoException) => {
    throw new InvalidInput(`--resume: ${file} cannot be used (${code})`);
  };
  await appendFile(file, '', { mode: 0o600 }).catch(cannot);
  const text = await readFile(file, 'utf8').catch(cannot);
  if (!/^[\da-f]{0,64}($|\n| )/.test(text))
    throw new InvalidInput(`--resume: ${file} was not written by a replay: name a new file`);
  const lines = text.split('\n').map((line) => line.split(' '));
  const recent = lines.filter(([code, , at]) => code === digest && Date.now() - Number(at) < COUNTS_MS);
  const runIds = new Set(recent.map(([, runId]) => runId));
  return {
    has: (runId: string) => runIds.has(runId),
    add: (runId: string) => appendFile(file, `${digest} ${runId} ${Date.now()}\n`).catch(cannot),
  };
}

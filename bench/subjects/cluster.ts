import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { startCluster } from '../../scripts/cluster/cluster.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { startSingle } from '../../src/temporal/single-activities.js';
import { merchantsFile } from '../../test/rigs/commands/files.js';
import { merchant } from '../../test/rigs/inputs.js';
import { spawnGangway } from '../../test/rigs/processes.js';
import { eventually, insist } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { boarding, gangway, type RunningGangway, runningWorker } from '../gangway.js';
import { type Goal, type Line, line } from '../line.js';
import { median, millisecondsOf } from '../timing.js';

const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** Activities that may begin at the boarding partner in a second. */
const LIMIT = 20;

/** A queue that was idle may start the activities of a second at once. This much later, the burst has arrived at the partner. */
const BURST_MS = 3_000;

/** A batch is started as fast as Temporal accepts it, which keeps the processors busy for minutes. */
const TIMEOUT_MS = 900_000;

/**
 * Several workers on a Temporal cluster on PostgreSQL: the partner's rate limit over all of them, and how long an urgent boarding takes
 * during a batch. Everything runs on the cores of one machine.
 */
export async function* cluster(bench: Bench): AsyncGenerator<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-'));
  bench.atEnd(() => rm(folder, { recursive: true }));
  const { address, stop } = await startCluster(folder, (text) => process.stderr.write(`${text}\n`));
  bench.atEnd(stop);
  const onCluster: Bench = {
    ...bench,
    address: async () => address,
    // Its workflows end with the cluster: one that is busy with a batch does not even list them.
    atEnd: (undo) => bench.atEnd(() => undo().catch(() => undefined)),
  };
  yield* limited(onCluster);
}

/** Four workers with a rate limit: how many writes arrive in a second, and how long an urgent boarding waits during a batch. */
async function* limited(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, { BOARDING_ACTIVITIES_PER_SECOND: `${LIMIT}` });
  await insist(() => registerSearchAttributes(ours.client));
  for (let workers = 1; workers < 4; workers += 1) await runningWorker(bench, ours.env);
  yield* writes(ours, bench.size(600, 120));
  yield* urgent(bench, ours);
}

/** Single creates, because each is one activity with one write. */
async function* writes({ client, taskQueue, sandbox }: RunningGangway, count: number): AsyncGenerator<Line> {
  const create = async () => {
    const { merchant: fields, agentProfileId, boardingSettingsId } = merchant();
    const running = await startSingle(client, taskQueue, `create-${randomUUID()}`, {
      activity: 'callPartner',
      queue: 'boarding',
      summary: 'boarding create-merchant',
      args: [
        {
          system: 'boarding',
          operation: 'create-merchant',
          request: { ...fields, agentProfileId, boardingSettingsId },
        },
      ],
      options: { startToCloseTimeout: '1m', retry: { maximumAttempts: 1 } },
    });
    return running.result();
  };
  await Promise.all(Array.from({ length: count }, create));
  const all = (await sandbox.ledger({ operation: 'create-merchant' })).map(({ at }) => Date.parse(at));
  const [first = 0] = all;
  const times = all.filter((at) => at >= first + BURST_MS);
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const baseline = { what: 'the limit', figure: LIMIT };
  const parts = { 'in the first 3 s': all.length - times.length };
  const mean = ((times.length - 1) * 1_000) / lastedMs;
  yield line({
    what: 'writes by 4 workers',
    figure: mean,
    unit: 'a second',
    baseline,
    goal: { atMost: 1 },
    parts,
  });
}

/** Straight boardings in a row: alone, while a batch is started, and while all of the batch waits for the partner. */
async function* urgent(bench: Bench, ours: RunningGangway): AsyncGenerator<Line> {
  const one = () => millisecondsOf(() => boarding(ours));
  const inARow = async (isOver: () => boolean) => {
    const times: number[] = [];
    while (!isOver() && times.length < bench.size(20, 3)) times.push(await one());
    return times;
  };
  // The first ones, which warm the workers up, are not measured.
  await inARow(() => false);
  const alone = await inARow(() => false);
  const size = bench.size(5_000, 50);
  const { file } = await merchantsFile(ours, size);
  let isStarted = false;
  const batch = spawnGangway(ours.env, ['batch', file, '--yes']).finally(() => {
    isStarted = true;
  });
  const starting = await inARow(() => isStarted);
  const { code, stderr } = await batch;
  if (code !== 0) throw new Error(`gangway batch ended with ${code}: ${stderr}`);
  await eventually(
    () => waitingWorkflowTasks(ours),
    // The server's count is approximate.
    (count) => count < 10,
    'the first tasks',
    TIMEOUT_MS,
  );
  const busy = await inARow(() => false);
  yield urgentLine(`while a batch of ${size} is started`, starting, alone);
  yield urgentLine(`during a batch of ${size}`, busy, alone, { atMost: 2 });
}

function urgentLine(when: string, times: readonly number[], alone: readonly number[], goal?: Goal): Line {
  return line({
    what: `urgent boarding ${when}`,
    figure: median(times),
    unit: 'ms',
    ...(goal && { goal }),
    baseline: { what: 'alone', figure: median(alone) },
    parts: { 'ms the slowest': Math.round(Math.max(...times)), boardings: times.length },
  });
}

/** How many tasks of workflows wait for a worker. */
async function waitingWorkflowTasks({ client, taskQueue }: RunningGangway): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

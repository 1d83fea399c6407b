import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { merchant } from '../../test/rigs/inputs.js';
import { eventually } from '../../test/rigs/waiting.js';
import { type BareWorker, bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway, rigOn } from '../gangway.js';
import { type Line, line } from '../line.js';
import { cpuMs } from '../timing.js';
import { startWaiting } from '../waiting.js';

/** For a hundred reads: they request a pause of a millisecond, but the server waits for some seconds. */
const TIMEOUT_MS = 1_200_000;

/** How often each boarding reads while CPU is measured. */
const PAUSE_MS = 500;

/**
 * What reading a status costs a boarding that waits, compared with a workflow that reads, sleeps and repeats, and with a
 * workflow of its own for each read: history, and CPU.
 */
export async function* polls(bench: Bench): AsyncGenerator<Line> {
  yield* histories(bench);
  yield* cpu(bench);
}

/** The history of a waiting boarding before and after 100 reads. */
async function* histories(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench, { poll: { minMs: 1, maxMs: 1 } });
  const bare = await bareWorker(bench, rig.sandbox.url);
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  const atOnce = await boarding.handle.describe();
  for (const reads of [0, bench.size(100, 10)]) {
    const attempts = async () => (await boarding.poll())?.attempt ?? 0;
    await eventually(attempts, (start) => start > reads, `${reads} reads`, TIMEOUT_MS);
    const ours = await boarding.handle.describe();
    const other = await sizeOf(bare, 'sleepLoop', merchantProfileId, reads);
    const what = `history of a boarding after ${reads} reads in one status`;
    const flat = { atMost: atOnce.historyLength };
    yield line({ what, figure: ours.historyLength, unit: 'events', goal: flat });
    const bytes = ours.historySize ?? 0;
    const baseline = { what: 'in a loop of reads and sleeps', figure: other.historySize ?? 0 };
    yield line({ what, figure: bytes, unit: 'bytes', baseline });
  }
  const { historySize: figure = 0 } = await sizeOf(bare, 'singlePoll', merchantProfileId);
  yield line({ what: 'history of a bare workflow that reads once', figure, unit: 'bytes' });
}

async function sizeOf({ client, taskQueue }: BareWorker, type: string, ...args: number[]) {
  const workflowId = `${type}-${randomUUID()}`;
  await client.workflow.execute(type, { workflowId, taskQueue, args });
  return client.workflow.getHandle(workflowId).describe();
}

/** The CPU of worker and server for each read, while many boardings read twice a second. */
async function* cpu(bench: Bench): AsyncGenerator<Line> {
  const [boardings, seconds] = [bench.size(50, 5), bench.size(30, 5)];
  const pace = { GANGWAY_POLL_MIN: `${PAUSE_MS}ms`, GANGWAY_POLL_MAX: `${PAUSE_MS}ms` };
  const ours = await gangway(bench, pace);
  const bare = await bareWorker(bench, ours.sandbox.url);
  const waiting = await startWaiting(ours, boardings);
  const server = await bench.serverPid();
  // A read of a merchant under review is two calls.
  const reads = async () => (await ours.sandbox.calls()) / 2;
  const each = async (worker: number) => {
    const before = [await reads(), await cpuMs(worker), await cpuMs(server)] as const;
    await sleep(seconds * 1_000);
    const after = [await reads(), await cpuMs(worker), await cpuMs(server)] as const;
    const value = after[0] - before[0];
    return { worker: (after[1] - before[1]) / value, server: (after[2] - before[2]) / value };
  };
  const poll = await each(ours.worker.child.pid ?? 0);
  ours.worker.child.kill('SIGKILL');
  await ours.worker.exit;
  const { client, taskQueue, pid } = bare;
  const stop = new AbortController();
  const rounds = Math.ceil((2 * seconds * 1_000) / PAUSE_MS);
  const start = (type: string, ...args: number[]) =>
    client.workflow.start(type, { workflowId: `${type}-${randomUUID()}`, taskQueue, args });
  const ids = waiting.map(({ merchantProfileId }) => merchantProfileId);
  const loops = await Promise.all(ids.map((id) => start('sleepLoop', id, rounds, PAUSE_MS)));
  const loop = await each(pid);
  await Promise.all(loops.map((handle) => handle.terminate()));
  const follow = async (id: number) => {
    for (; !stop.signal.aborted; await sleep(PAUSE_MS)) await (await start('singlePoll', id)).result();
  };
  const following = Promise.all(ids.map(follow));
  const single = await each(pid);
  stop.abort();
  await following;
  for (const of of ['worker', 'server'] as const) {
    const what = `${of} CPU of a read`;
    for (const [against, other] of [
      ['in a loop of reads and sleeps', loop],
      ['in a workflow of its own', single],
    ] as const) {
      const figures = { figure: poll[of], baseline: { what: against, figure: other[of] } };
      yield line({ what, ...figures, unit: 'ms' });
    }
  }
}

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TUNING } from '../../src/worker/tuning.js';
import { launchNode, type RunningProcess } from '../../test/rigs/processes.js';
import { eventually } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { partners, rigOn, runningWorker, stopped, withPartnersAt } from '../gangway.js';
import { type Line, line } from '../line.js';
import { millisecondsOf } from '../timing.js';
import { decline, nudgeToEnd, RARE_POLLS, startWaiting, type Waiting } from '../waiting.js';

/** Time for the server to hand out what is left. */
const SETTLING_MS = 3_000;

/** How long a forced collection in all threads may take. */
const COLLECTION_MS = 30_000;

/**
 * The memory of a worker with boardings that wait, after a forced garbage collection in each of its threads. That is what they use,
 * and what is resident, because the process rarely gives memory back. Then the worker is killed, and the next one reads for each
 * boarding that the partner has declined it. Compares that time with the time to start them.
 */
export async function* memory(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench, { worker: false });
  const sandbox = await partners(bench);
  const ours = { ...rig, sandbox };
  const env = { ...withPartnersAt(rig.env, sandbox.url), ...RARE_POLLS };
  const hook = fileURLToPath(new URL('../collect-garbage.mjs', import.meta.url));
  const args = ['--expose-gc', '--import', hook, 'dist/worker.js'];
  const worker = await launchNode(args, env, 'worker is ready');
  bench.atEnd(() => stopped(worker));

  const waiting: Waiting[] = [];
  const sizes: (Memory & { readonly count: number })[] = [];
  let startingMs = 0;
  // A fifth of the cache, all of it, twice and four times as many.
  const cache = TUNING.maxCachedWorkflows / bench.size(1, 50);
  for (const count of [0, cache / 5, cache, 2 * cache, 4 * cache]) {
    const more = count - waiting.length;
    startingMs += await millisecondsOf(async () => void waiting.push(...(await startWaiting(ours, more))));
    const { used, resident } = await memoryOf(worker);
    yield line({ what: `used after a garbage collection, ${count} wait`, figure: used, unit: 'MiB' });
    yield line({ what: `resident, ${count} wait`, figure: resident, unit: 'MiB' });
    sizes.push({ count, used, resident });
  }
  const each = (kind: keyof Memory, from: number, to: number) => {
    const [one, other] = [sizes[from], sizes[to]];
    return one && other ? (other[kind] - one[kind]) / (other.count - one.count) : Number.NaN;
  };
  for (const [where, from, to, atMost] of [
    ['in the cache', 1, 2, 0.4],
    ['evicted', 3, 4, 0.02],
  ] as const) {
    const what = `each workflow that waits, ${where}`;
    yield line({ what: `${what}, used`, figure: each('used', from, to), unit: 'MiB', goal: { atMost } });
    yield line({ what: `${what}, resident`, figure: each('resident', from, to), unit: 'MiB' });
  }

  worker.child.kill('SIGKILL');
  await worker.exit;
  await decline(ours, waiting);
  const resumingMs = await millisecondsOf(async () => {
    await runningWorker(bench, env);
    await nudgeToEnd(ours, waiting);
  });
  yield line({
    what: `restart until all ${waiting.length} have read and ended`,
    figure: resumingMs / 1_000,
    unit: 's',
    goal: { atMost: 0.35 },
    baseline: { what: 'to start them', figure: startingMs / 1_000 },
  });
}

/** The memory of a process in MiB. */
interface Memory {
  /** By JavaScript in all threads, without garbage. */
  readonly used: number;
  readonly resident: number;
}

/** Has a worker that runs bench/collect-garbage.mjs collect its garbage. Linux only. */
async function memoryOf({ child, stderr }: RunningProcess): Promise<Memory> {
  const { pid = 0 } = child;
  await sleep(SETTLING_MS);
  const reports = async () => [...stderr().matchAll(/^\{"usedMiB":([\d.]+)\}$/gm)];
  const { length } = await reports();
  process.kill(pid, 'SIGUSR2');
  const isNew = (all: readonly unknown[]) => all.length > length;
  const [, used] = (await eventually(reports, isNew, 'a garbage collection', COLLECTION_MS)).at(-1) ?? [];
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { used: Number(used), resident: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024 };
}

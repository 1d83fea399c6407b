import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TUNING } from '../../src/worker/create-worker.js';
import { launchNode } from '../../test/rigs/processes.js';
import type { Bench } from '../bench.js';
import { partners, rigOn, runningWorker, stopped, withPartnersAt } from '../gangway.js';
import { type Line, line } from '../line.js';
import { millisecondsOf } from '../timing.js';
import { decline, nudgeToEnd, RARE_POLLS, startWaiting, type Waiting } from '../waiting.js';

/** Time for the garbage collector and for the server to hand out what is left. */
const SETTLING_MS = 3_000;

/** Each forced collection frees what the one before has found. */
const COLLECTIONS = 3;

/**
 * The memory of a worker with boardings that wait, after a forced garbage collection in each of its threads. Then the worker is
 * killed, and the next one reads for each boarding that the partner has declined it. Compares that time with the time to start them.
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
  const pid = worker.child.pid ?? 0;

  const waiting: Waiting[] = [];
  const sizes = [{ count: 0, mib: await residentMiB(pid) }];
  yield line({ what: 'resident memory, nothing waits', figure: sizes[0]?.mib ?? 0, unit: 'MiB' });
  let startingMs = 0;
  // A fifth of the cache, all of it, twice and four times as many.
  const cache = TUNING.maxCachedWorkflows / bench.size(1, 50);
  for (const count of [cache / 5, cache, 2 * cache, 4 * cache]) {
    const more = count - waiting.length;
    startingMs += await millisecondsOf(async () => void waiting.push(...(await startWaiting(ours, more))));
    const mib = await residentMiB(pid);
    yield line({ what: `resident memory, ${count} wait`, figure: mib, unit: 'MiB' });
    sizes.push({ count, mib });
  }
  const between = (from: number, to: number) => {
    const [one, other] = [sizes[from], sizes[to]];
    return one && other ? (other.mib - one.mib) / (other.count - one.count) : Number.NaN;
  };
  const each = 'worker memory of each workflow that waits';
  yield line({ what: `${each}, in the cache`, figure: between(1, 2), unit: 'MiB', goal: { atMost: 0.4 } });
  yield line({ what: `${each}, evicted`, figure: between(3, 4), unit: 'MiB', goal: { atMost: 0.02 } });

  worker.child.kill('SIGKILL');
  await worker.exit;
  await decline(ours, waiting);
  const resumingMs = await millisecondsOf(async () => {
    await runningWorker(bench, env);
    await nudgeToEnd(ours, waiting);
  });
  yield line({
    what: `restart until all ${waiting.length} have read and ended`,
    ...{ figure: resumingMs / 1_000, unit: 's', goal: { atMost: 0.3 } },
    beside: { what: 'to start them', figure: startingMs / 1_000 },
  });
}

/** The resident memory of a process on Linux, without its garbage. */
async function residentMiB(pid: number): Promise<number> {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    await sleep(SETTLING_MS);
    process.kill(pid, 'SIGUSR2');
  }
  await sleep(SETTLING_MS);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

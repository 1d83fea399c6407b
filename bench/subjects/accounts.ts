import { setTimeout as sleep } from 'node:timers/promises';
import { SYSTEM_NAMES } from '../../src/partners/system-names.js';
import { manyAccounts, statusOf } from '../../test/rigs/process/many-accounts.js';
import type { Bench } from '../bench.js';
import { rigOn, runningWorker, stopped } from '../gangway.js';
import { type Line, line } from '../line.js';
import { cpuMs } from '../timing.js';

/** What polls need until each is in its turn. */
const SETTLING_MS = 15_000;

/** What a worker costs that works for many partner accounts while nothing happens, by how many partners of each are on. */
export async function* accounts(bench: Bench): AsyncGenerator<Line> {
  const { env, sandbox } = await rigOn(bench, { worker: false });
  const watchedMs = bench.size(30_000, 1_000);
  const most = bench.size(150, 4);
  for (const [count, on] of [
    [1, 1],
    [bench.size(40, 2), 1],
    [most, 1],
    [most, SYSTEM_NAMES.length],
  ] as const) {
    const worker = await runningWorker(bench, {
      ...env,
      ...manyAccounts(sandbox.url, count, SYSTEM_NAMES.slice(0, on)),
    });
    const { pid = 0 } = worker.child;
    await sleep(bench.size(SETTLING_MS, 1));
    const before = await cpuMs(pid);
    await sleep(watchedMs);
    const percent = (100 * ((await cpuMs(pid)) - before)) / watchedMs;
    const { threads, residentMiB } = await statusOf(pid);
    await stopped(worker);
    const what = `${count === 1 ? '1 account' : `${count} accounts`} with ${on === 1 ? 'one partner' : `${on} partners`} each, nothing happens`;
    const goals = count === most && on === 1;
    yield line({ what, figure: threads, unit: 'threads', ...(goals && { goal: { atMost: 200 } }) });
    yield line({ what, figure: residentMiB, unit: 'MiB resident', ...(goals && { goal: { atMost: 350 } }) });
    yield line({ what, figure: percent, unit: '% of a core' });
  }
}

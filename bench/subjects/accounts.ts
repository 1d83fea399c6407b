import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxAccount } from '../../src/apps/sandbox/systems.js';
import { SYSTEM_NAMES, settingsPrefix, urlSetting } from '../../src/partners/names.js';
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
    const worker = await runningWorker(bench, { ...env, ...settingsOf(sandbox.url, count, on) });
    const { pid = 0 } = worker.child;
    await sleep(bench.size(SETTLING_MS, 1));
    const before = await cpuMs(pid);
    await sleep(watchedMs);
    const percent = (100 * ((await cpuMs(pid)) - before)) / watchedMs;
    const { threads, residentMiB } = await statusOf(pid);
    await stopped(worker);
    const what = `${count} accounts with ${on === 1 ? 'one partner' : `${on} partners`} each, nothing happens`;
    const goals = count === most && on === 1;
    yield line({ what, figure: threads, unit: 'threads', ...(goals && { goal: { atMost: 200 } }) });
    yield line({ what, figure: residentMiB, unit: 'MiB resident', ...(goals && { goal: { atMost: 350 } }) });
    yield line({ what, figure: percent, unit: '% of a core' });
  }
}

/** The account without a name is off. */
function settingsOf(url: string, count: number, on: number): Record<string, string> {
  const own = sandboxAccount(url);
  const names = Array.from({ length: count }, (_, index) => `iso-${index + 1}`);
  const off = Object.fromEntries(SYSTEM_NAMES.map((system) => [urlSetting(system), '']));
  const of = (name: string) =>
    Object.entries(own)
      .filter(([setting]) =>
        SYSTEM_NAMES.slice(0, on).some((system) => setting.startsWith(settingsPrefix(system))),
      )
      .map(([setting, value]) => [settingsPrefix(name) + setting, value]);
  return { ...off, GANGWAY_ACCOUNTS: names.join(), ...Object.fromEntries(names.flatMap(of)) };
}

/** Linux only. */
async function statusOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, threads] = /^Threads:\s+(\d+)$/m.exec(status) ?? [];
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return { threads: Number(threads), residentMiB: Number(kilobytes) / 1_024 };
}

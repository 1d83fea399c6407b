import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import { percentile } from '../src/services/reports/statistics.js';

/**
 * Runs both in turns, so that both meet the same load of the machine and of the server.
 *
 * @returns the figures of all turns, in order
 */
export async function inTurns<Figure>(
  turns: number,
  ours: (turn: number) => Promise<Figure>,
  other: (turn: number) => Promise<Figure>,
): Promise<{ ours: Figure[]; other: Figure[] }> {
  const figures: { ours: Figure[]; other: Figure[] } = { ours: [], other: [] };
  for (let turn = 0; turn < turns; turn++) {
    figures.ours.push(await ours(turn));
    figures.other.push(await other(turn));
  }
  return figures;
}

/** More than the workflow tasks that the workers of one process run at a time. */
export const AT_ONCE = 64;

/** Runs something `count` times, `atOnce` at a time. @returns how many runs ended in a second */
export async function perSecond(count: number, atOnce: number, run: () => Promise<unknown>): Promise<number> {
  const limit = pLimit(atOnce);
  const milliseconds = await millisecondsOf(() =>
    Promise.all(Array.from({ length: count }, () => limit(run))),
  );
  return (count * 1_000) / milliseconds;
}

export async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Linux counts the CPU time of processes in ticks. */
const MS_PER_TICK = 10;

/** The CPU time of a process so far, in milliseconds. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain spaces.
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * MS_PER_TICK;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

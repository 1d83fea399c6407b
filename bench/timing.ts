import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import { percentile } from '../src/reports/figures.js';
import { type Line, line } from './line.js';

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

/** Runs something `count` times, `atOnce` at a time. @returns how many runs ended in a second */
export async function perSecond(count: number, atOnce: number, run: () => Promise<unknown>): Promise<number> {
  const limit = pLimit(atOnce);
  const milliseconds = await millisecondsOf(() =>
    Promise.all(Array.from({ length: count }, () => limit(run))),
  );
  return (count * 1_000) / milliseconds;
}

export async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
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

/** The 50th and the 99th percentile, beside those of the bare counterpart, with the most that their ratios may be. */
export async function* latencies(
  what: string,
  { ours, other }: { readonly ours: readonly number[]; readonly other: readonly number[] },
  most: { readonly p50: number; readonly p99: number },
): AsyncGenerator<Line> {
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    yield line({
      what: `${what}, ${name} of ${ours.length}`,
      ...{ figure: percentile(ours, share), unit: 'ms', goal: { atMost: most[name] } },
      beside: { what: 'signal to result, bare', figure: percentile(other, share) },
    });
  }
}

import type { Line } from './world.js';

/** How many lines of a trace people read. */
const MOST_LINES = 25;

/** A trace as a table: virtual time, who, what. */
export function tableOf(trace: readonly Line[]): string[] {
  return trace.map(({ at, who, what }) => `${new Date(at).toISOString()}  ${who.padEnd(10)}  ${what}`);
}

/** What is worth reading in a trace: reads without a fault are counted. */
export function digestOf(trace: readonly Line[]): Line[] {
  const lines: Line[] = [];
  let reads = 0;
  for (const line of trace) {
    reads = line.isRoutine ? reads + 1 : 0;
    if (reads < 2) lines.push(line);
    else lines[lines.length - 1] = { ...line, who: '', what: `… ${reads} reads` };
  }
  return lines;
}

/** The beginning and the end of lines that are too many to read. */
export function shortened(lines: readonly Line[]): Line[] {
  const half = (MOST_LINES - 1) / 2;
  const left = lines.length - 2 * half;
  if (left <= 1) return [...lines];
  const rest = { at: lines.at(-half)?.at ?? 0, who: '', what: `… ${left} more lines: see --trace` };
  return lines.toSpliced(half, left, rest);
}

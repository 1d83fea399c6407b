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
  if (lines.length <= MOST_LINES) return [...lines];
  const stored = (MOST_LINES - 1) / 2;
  const [first, last] = [lines.slice(0, stored), lines.slice(-stored)];
  const left = {
    at: last[0]?.at ?? 0,
    who: '',
    what: `… ${lines.length - 2 * stored} more lines: see --trace`,
  };
  return [...first, left, ...last];
}

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { markdownTable } from '../src/services/texts/docs.js';
import { cells, goalCells, type Line } from './line.js';
import type { machine } from './machine.js';

/** What a full run of a subject measured. */
export interface Result {
  /** Day of the run: `2026-11-22`. */
  readonly date: string;
  readonly seconds: number;
  readonly machine: Awaited<ReturnType<typeof machine>>;
  readonly lines: readonly Line[];
}

/** The results of all subjects, by name. */
export type Results = Readonly<Record<string, Result>>;

const place = (name: string) => new URL(name, import.meta.url);

/** The results that are kept. */
export function keptResults(): Results {
  return JSON.parse(readFileSync(place('results.json'), 'utf8')) as Results;
}

/**
 * Replaces the results of one subject.
 *
 * @param order names of all subjects
 */
export function replaced(stored: Results, name: string, result: Result, order: readonly string[]): Results {
  const all = { ...stored, [name]: result };
  return Object.fromEntries(order.flatMap((each) => (all[each] ? [[each, all[each]]] : [])));
}

/** Keeps results as data. */
export async function keep(results: Results): Promise<void> {
  await writeFile(place('results.json'), `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * A line of the results.
 *
 * @param baseline what it is compared with, where several lines differ only in that
 * @throws {Error} when the bench has not measured it
 */
export function lineOf(
  results: Results,
  subject: string,
  what: string,
  unit: string,
  baseline?: string,
): Line {
  const line = results[subject]?.lines.find(
    (each) =>
      each.what === what &&
      each.unit === unit &&
      (baseline === undefined || each.baseline?.what === baseline),
  );
  if (!line)
    throw new Error(`bench/results.json lacks “${what}” in ${unit}: run "npm run bench -- ${subject}"`);
  return line;
}

export const HEAD = ['what', 'figure', 'baseline', 'ratio', 'goal', 'made of'];

const ABOUT = `# Results of the bench

<!-- "npm run bench" writes this page, and "npm run docs" writes it again from results.json. -->

\`npm run bench\` measures all of this and replaces the page. \`npm run bench -- throughput memory\` replaces only these subjects, so a
run that was interrupted continues with those that are left. With \`--quick\` nothing is kept.

How to read it:

- A *figure* is Gangway's. The *baseline* is that of a counterpart, measured alternately on the same server. The *ratio* is
  the figure divided by the baseline. Times depend on the machine, so only ratios, and counts, can be compared.
- A *goal* bounds the ratio, or the figure where there is no ratio.
- The development server reacts at once to timers and tasks (src/apps/demo/dev-server.ts), for both sides.
- Workers, Temporal's development server, the sandbox and the client share one machine. A load before the run that is far from zero
  means that other work disturbed it. The ratios of times are not valid then. Counts are exact in any case, except that a busy
  machine may need some more workflow tasks.
`;

/** The page of the results. */
export function resultsMarkdown(results: Results): string {
  const goals = Object.values(results).flatMap(({ lines }) => lines.filter(({ goal }) => goal));
  const runs = Object.entries(results).map(([name, { date, seconds, machine }]) => {
    const { cpu, cores, memoryGiB, loadBefore, node, sdk, server } = machine;
    const hardware = `${cpu}, ${cores} cores, ${memoryGiB} GiB`;
    return [name, date, `${Math.ceil(seconds / 60)}`, `${loadBefore}`, hardware, node, sdk, server];
  });
  const subjects = Object.entries(results).map(
    ([name, { lines }]) => `## Subject ${name}\n\n${markdownTable(HEAD, lines.map(cells), FIGURES)}`,
  );
  const runHead = ['subject', 'date', 'minutes', 'load before', 'machine', 'node', 'sdk', 'server'];
  return [
    ABOUT,
    `## Goals\n\n${markdownTable(HEAD.slice(0, -1), goals.map(goalCells), FIGURES)}\n`,
    `## Runs\n\n${markdownTable(runHead, runs, ['minutes', 'load before'])}\n`,
    `${subjects.join('\n\n')}\n`,
  ].join('\n');
}

const FIGURES = ['figure', 'baseline', 'ratio'];

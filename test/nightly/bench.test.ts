import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from '../rigs/processes.js';

const bench = (...args: string[]) => run(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], {});

it('the bench prints its machine, a table of each subject and the goals last, and a quick run keeps nothing', async () => {
  const stored = readFileSync('bench/results.json', 'utf8');
  const { code, stdout } = await bench('--quick', 'peer');
  expect(code).toBe(0);
  expect(readFileSync('bench/results.json', 'utf8')).toBe(stored);
  expect(stdout).toMatch(
    /^cpu .+, cores \d+, memoryGiB \d+, loadBefore [\d.]+, node v24.+, sdk \d.+, server .+, quick true\n\npeer\n/,
  );
  const row =
    /^boardings, (.+?) +([\d.]+) a second +([\d.]+) written by hand, without intents +([\d.]+) +>= ([\d.]+): (met|missed) *$/gm;
  const [subject = '', goals = ''] = stdout.split('\ngoals\nWHAT');
  const rows = [...subject.matchAll(row)].map(([, ...cells]) => cells);
  expect(rows.map(([what, , , , goal]) => [what, goal])).toEqual([
    ['declined at the first read', '0.9'],
    ['approved at the first read, mid at the second', '0.9'],
    ['declined at the third read', '1'],
  ]);
  expect([...goals.matchAll(row)].map(([, ...cells]) => cells)).toEqual(rows);
  for (const [, figure, baseline, ratio, goal, met] of rows) {
    expect(Number(figure) / Number(baseline)).toBeCloseTo(Number(ratio), 1);
    expect(met).toBe(Number(ratio) >= Number(goal) ? 'met' : 'missed');
  }
}, 300_000);

it('a subject that does not exist ends it with the names of those that do', async () => {
  const { code, stderr } = await bench('tokens');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^no such subject: tokens; there are throughput, peer, histories, /);
});

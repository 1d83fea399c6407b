import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { jsonLines, run } from '../rigs/processes.js';

const bench = (...args: string[]) => run(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], {});

it('the bench prints JSON lines, the machine’s first, and a table for people', async () => {
  const kept = readFileSync('bench/results.json', 'utf8');
  const finished = await bench('--quick', '--json', 'catalogue', 'encryption');
  expect(finished.code).toBe(0);
  // A quick run keeps nothing.
  expect(readFileSync('bench/results.json', 'utf8')).toBe(kept);
  const [machine, ...lines] = jsonLines(finished);
  expect(machine).toEqual({
    subject: 'machine',
    cpu: expect.any(String),
    cores: expect.any(Number),
    memoryGiB: expect.any(Number),
    loadBefore: expect.any(Number),
    node: process.version,
    sdk: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    server: expect.stringContaining('Server '),
    quick: true,
  });
  const [boarding] = lines.filter(({ subject }) => subject === 'catalogue');
  expect(boarding).toEqual({
    ...{ subject: 'catalogue', what: 'operations of boarding', figure: 15, unit: 'operations' },
    parts: { documented: 4, assumed: 11 },
  });
  const [, boardings] = lines.filter(({ subject }) => subject === 'encryption');
  expect(boardings).toEqual({
    ...{ subject: 'encryption', what: 'straight boardings, encrypted' },
    ...{ figure: expect.any(Number), unit: 'a second', ratio: expect.any(Number) },
    ...{ goal: { atLeast: 0.97 }, met: expect.any(Boolean) },
    beside: { what: 'not encrypted', figure: expect.any(Number) },
  });
  // The table of the goals comes last.
  expect(finished.stderr).toMatch(
    /\ngoals\nWHAT +FIGURE +BESIDE +RATIO +GOAL\s*\nstraight boardings, encrypted [^\n]+\n$/,
  );
  const { figure, ratio, beside } = boardings as {
    figure: number;
    ratio: number;
    beside: { figure: number };
  };
  expect(figure / beside.figure).toBeCloseTo(ratio, 1);
  expect(finished.stderr).toMatch(
    /^straight boardings, encrypted +[\d.]+ a second +[\d.]+ not encrypted +[\d.]+/m,
  );
}, 300_000);

import { describe, expect, it } from 'vitest';
import { line } from '../../../bench/line.js';
import { type Results, replaced, resultsMarkdown } from '../../../bench/results.js';
import { scaleTables } from '../../../scripts/scale.js';

const MACHINE = {
  cpu: 'A CPU',
  cores: 2,
  memoryGiB: 4,
  loadBefore: 0.1,
  node: 'v24.0.0',
  sdk: '1.24.0',
  server: 'Server 1.32.0',
};

const result = (what: string) => ({
  date: '2026-11-22',
  seconds: 61,
  machine: MACHINE,
  lines: [
    line({ what, figure: 12, unit: 'ms', baseline: { what: 'bare', figure: 10 }, goal: { atMost: 1.1 } }),
    line({ what, figure: 3, unit: 'events', parts: { 'a|b': 3 } }),
  ],
});

const KEPT: Results = { memory: result('old memory'), nudges: result('old nudge') };

describe('the results of the bench', () => {
  it('a run of one subject replaces its rows, and no others, in the order of the subjects', () => {
    const order = ['nudges', 'polls', 'memory'];
    const now = replaced(KEPT, 'polls', result('new poll'), order);
    expect(Object.keys(now)).toEqual(order);
    expect(replaced(now, 'memory', result('new memory'), order)).toEqual({
      nudges: KEPT['nudges'],
      polls: result('new poll'),
      memory: result('new memory'),
    });
  });

  it('the rows of a subject that no longer exists are removed', () => {
    expect(Object.keys(replaced(KEPT, 'nudges', result('new nudge'), ['nudges']))).toEqual(['nudges']);
  });

  it('the page has a table of all goals, of all runs, and of each subject', () => {
    const page = resultsMarkdown(KEPT);
    expect(page).toContain('| old memory | 12 ms | 10 bare | 1.2 | <= 1.1: missed |\n| old nudge |');
    expect(page).toContain('| memory | 2026-11-22 | 2 | 0.1 | A CPU, 2 cores, 4 GiB | v24.0.0 |');
    expect(page).toContain('## Subject nudges\n\n| what |');
    expect(page).toContain('| old nudge | 3 events |  |  |  | 3 a\\|b |');
  });
});

describe('the tables of docs/scale.md', () => {
  it('a missing figure is reported with the subject that measures it', () => {
    expect(() => scaleTables({})).toThrow(/bench\/results\.json lacks .+: run "npm run bench -- polls"/);
  });
});

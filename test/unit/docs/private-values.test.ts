import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const CHANNELS = [
  'state',
  'log',
  'Web UI',
  'search attribute',
  'memo',
  'summary',
  'error',
  'event',
  'console',
  'report',
  'recording',
  'metric',
  'trace',
];

const page = readFileSync('docs/security.md', 'utf8');
const section = /^## Where a private value could appear$(.*?)^## /ms.exec(page)?.[1] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (---|place) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

it('docs/security.md has a guard and a test for each place where a private value could appear', () => {
  expect(rows.map(([place]) => place)).toEqual(CHANNELS);
});

it.each(rows)('%s: the guard and the test exist', (_, guard = '', test = '') => {
  const sources = [...guard.matchAll(/`(src\/[\w/.-]+)`/g)].map(([, path = '']) => path);
  expect(sources.length).toBeGreaterThan(0);
  for (const path of sources) expect(existsSync(path), path).toBe(true);
  const [, file = '', title = ''] = /^`(test\/[\w/.-]+)`: (.+)$/.exec(test) ?? [];
  expect(readFileSync(file, 'utf8')).toContain(`'${title}`);
});

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const text = (path: string) => readFileSync(path, 'utf8');
const ROOMS = globSync('src/*/').sort();

/** The names of invariants in the comments of these files, such as `// Keeps W1, W2.` */
function cited(verb: 'Keeps' | 'Proves', ...paths: readonly string[]): string[] {
  const comments = new RegExp(`^ *// ${verb} ((?:[A-Z]\\d+(?:, )?)+)\\.$`, 'gm');
  const names = globSync([...paths]).flatMap((path) =>
    [...text(path).matchAll(comments)].flatMap(([, list = '']) => list.split(', ')),
  );
  return [...new Set(names)].sort();
}

it('each room has a page of at most 60 lines, and each of its invariants is named in code that keeps it and in a test', () => {
  const invariants: string[] = [];
  for (const room of ROOMS) {
    const page = text(`${room}/README.md`);
    expect(page.split('\n').length, room).toBeLessThanOrEqual(61);
    invariants.push(...[...page.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, name = '']) => name));
  }
  expect(new Set(invariants).size).toBe(invariants.length);
  const code = cited('Keeps', 'src/**/*.{ts,tsx}', 'scripts/*.ts', '.dependency-cruiser.mjs');
  expect(code).toEqual([...invariants].sort());
  expect(cited('Proves', 'test/**/*.ts')).toEqual([...invariants].sort());
});

it('each file that a room names is in it', () => {
  const missing = ROOMS.flatMap((room) =>
    [...text(`${room}/README.md`).matchAll(/`([\w./*-]+\.(?:ts|tsx))`/g)]
      .map(([, file = '']) => (/^(src|test)\//.test(file) ? file : `${room}/${file}`))
      .filter((file) => globSync(file).length === 0),
  );
  expect(missing).toEqual([]);
});

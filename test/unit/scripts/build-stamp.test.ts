import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ensureFreshBuild, stampBuild } from '../../../scripts/build-stamp.js';
import { newFolder } from '../../rigs/folders.js';

let root: string;
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const remove = (path: string) => rmSync(join(root, path), { recursive: true });

beforeEach(async () => {
  root = await newFolder();
  for (const folder of ['dist', 'src/workflows']) mkdirSync(join(root, folder), { recursive: true });
  write('src/workflows/index.ts', 'export {};');
  stampBuild(root);
});

/** Whether what runs the built files builds them first. */
function builds(): boolean {
  const built: string[] = [];
  ensureFreshBuild(root, (where) => built.push(where));
  expect([[], [root]]).toContainEqual(built);
  return built.length > 0;
}

describe('what runs the built files', () => {
  it.each<[what: string, change: () => void, isBuilt: boolean]>([
    ['takes a build of the sources as they are', () => {}, false],
    ['builds when a file has changed', () => write('src/workflows/index.ts', 'export const a = 1;'), true],
    [
      'takes a build of a file that is as before again',
      () => write('src/workflows/index.ts', 'export {};'),
      false,
    ],
    ['builds when a file was added', () => write('src/added.ts', 'export {};'), true],
    ['builds when a file was removed', () => remove('src/workflows/index.ts'), true],
    ['builds when the dependencies have changed', () => write('package-lock.json', '{}'), true],
    ['builds when no build came to its end', () => remove('dist'), true],
  ])('%s', (_, change, isBuilt) => {
    change();
    expect(builds()).toBe(isBuilt);
  });

  it('reports what a failed build printed', () => {
    const build = 'echo src/wrong.ts: a type error; exit 2';
    write('package.json', JSON.stringify({ scripts: { build } }));
    write('src/wrong.ts', 'const one: number = "";');
    expect(() => ensureFreshBuild(root)).toThrow('"npm run build" failed:\nsrc/wrong.ts: a type error\n');
  });
});

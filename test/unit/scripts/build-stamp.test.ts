import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureFreshBuild, stampBuild } from '../../../scripts/build-stamp.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gangway-stamp-'));
  mkdirSync(join(root, 'dist'));
  mkdirSync(join(root, 'src', 'workflows'), { recursive: true });
  writeFileSync(join(root, 'src', 'workflows', 'index.ts'), 'export {};');
  stampBuild(root);
});

afterEach(() => rmSync(root, { recursive: true }));

/** Whether what runs the built files builds them first. */
function builds(): boolean {
  const built: string[] = [];
  ensureFreshBuild(root, (where) => built.push(where));
  expect([[], [root]]).toContainEqual(built);
  return built.length > 0;
}

describe('what runs the built files', () => {
  it('takes a build of the sources as they are', () => {
    expect(builds()).toBe(false);
  });

  it('builds when a file has changed since, and when it is as before again does not', () => {
    writeFileSync(join(root, 'src', 'workflows', 'index.ts'), 'export const changed = true;');
    expect(builds()).toBe(true);
    writeFileSync(join(root, 'src', 'workflows', 'index.ts'), 'export {};');
    expect(builds()).toBe(false);
  });

  it('builds when a file was added or removed', () => {
    writeFileSync(join(root, 'src', 'added.ts'), 'export {};');
    expect(builds()).toBe(true);
    rmSync(join(root, 'src', 'added.ts'));
    rmSync(join(root, 'src', 'workflows', 'index.ts'));
    expect(builds()).toBe(true);
  });

  it('builds when the dependencies have changed', () => {
    writeFileSync(join(root, 'package-lock.json'), '{}');
    expect(builds()).toBe(true);
  });

  it('builds when no build came to its end', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(builds()).toBe(true);
  });

  it('reports what a failed build printed', () => {
    writeFileSync(
      join(root, 'package.json'),
      '{ "scripts": { "build": "echo src/wrong.ts: a type error; exit 2" } }',
    );
    writeFileSync(join(root, 'src', 'wrong.ts'), 'const one: number = "";');
    expect(() => ensureFreshBuild(root)).toThrow('"npm run build" failed:\nsrc/wrong.ts: a type error\n');
  });
});

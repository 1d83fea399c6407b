import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireFreshBuild, stampBuild } from '../../../scripts/build-stamp.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gangway-stamp-'));
  mkdirSync(join(root, 'dist'));
  mkdirSync(join(root, 'src', 'workflows'), { recursive: true });
  writeFileSync(join(root, 'src', 'workflows', 'index.ts'), 'export {};');
  stampBuild(root);
});

afterEach(() => rmSync(root, { recursive: true }));

const CHANGED =
  'the sources have changed since dist/ was built, so this would run old code. Run "npm run build" first.';

describe('what runs the built files', () => {
  it('accepts a build of the sources as they are', () => {
    expect(() => requireFreshBuild(root)).not.toThrow();
  });

  it('refuses a build of a file that has changed since', () => {
    writeFileSync(join(root, 'src', 'workflows', 'index.ts'), 'export const changed = true;');
    expect(() => requireFreshBuild(root)).toThrow(CHANGED);
  });

  it('refuses a build from before a file was added or removed', () => {
    writeFileSync(join(root, 'src', 'added.ts'), 'export {};');
    expect(() => requireFreshBuild(root)).toThrow(CHANGED);
    rmSync(join(root, 'src', 'added.ts'));
    rmSync(join(root, 'src', 'workflows', 'index.ts'));
    expect(() => requireFreshBuild(root)).toThrow(CHANGED);
  });

  it('refuses a build from before the dependencies changed', () => {
    writeFileSync(join(root, 'package-lock.json'), '{}');
    expect(() => requireFreshBuild(root)).toThrow(CHANGED);
  });

  it('refuses a build that did not come to its end', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(() => requireFreshBuild(root)).toThrow('dist/ has no complete build');
  });
});

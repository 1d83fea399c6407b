import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// It alone notices a rule that Biome loads and that matches nothing.
it('the linter refuses a literal that is spread into a literal, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spreads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rule = `${ROOT}scripts/no-literal-spreads.grit`;
  writeFileSync(`${folder}/biome.json`, JSON.stringify({ root: true, plugins: [rule] }));
  const lines = [
    'export const a = { ...{ x: 1 }, y: 2 };',
    'export const b = [...[1, 2], 3];',
    'export const c = { ...(a.x > 1 && { z: 3 }) };',
    'export const d = { ...a, ...b };',
  ];
  writeFileSync(`${folder}/source.ts`, lines.join('\n'));
  const lint = () =>
    execFileSync(`${ROOT}node_modules/.bin/biome`, ['lint', '--reporter=github', 'source.ts'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  let output = '';
  try {
    output = lint();
  } catch (error) {
    output = (error as { readonly stdout: string }).stdout;
  }
  const refused = [...output.matchAll(/::error title=plugin[^\n]{0,300}?line=(\d+)/g)].map(
    ([, line]) => line,
  );
  expect(refused).toEqual(['1', '2']);
});

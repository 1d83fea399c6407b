import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { merchantsFile } from '../../rigs/commands/files.js';
import { run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

/** Runs a command at a terminal of its own. Standard output and standard error come together there. */
function atTerminal(command: string, env: Readonly<Record<string, string>>) {
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  return run('script', args, env);
}

it('shows a bar below the lines at a terminal, and clears it at the end', async () => {
  const { file, ids } = await merchantsFile(rig, 20);
  const { code, stdout } = await atTerminal(
    `"${process.execPath}" dist/starter.js batch ${file} --rate 20`,
    rig.env,
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/\[=+-+\] \d+ of 20 started, \ds to go/);
  const shown = screen(stdout);
  expect(shown.slice(0, 20).sort()).toEqual(ids.map((id, place) => `${place + 1} ${id} started`).sort());
  expect(shown.slice(20)).toEqual(['20 rows: 20 started', '']);
});

it('keeps the bar out of redirected output', async () => {
  const { file } = await merchantsFile(rig, 5);
  const lines = join(rig.documentDir, 'lines.txt');
  const command = `"${process.execPath}" dist/starter.js batch ${file} --rate 10 --json > ${lines}`;
  const { stdout } = await atTerminal(command, rig.env);
  expect(stdout).toContain(' of 5 started');
  expect(screen(stdout)).toEqual(['5 rows: 5 started', '']);
  const { stdout: written } = await run('cat', [lines], {});
  expect(
    written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).started),
  ).toEqual(Array(5).fill(true));
});

/** What a terminal shows in the end: the written lines, without those that were cleared. */
function screen(written: string): string[] {
  return written.split('\r\n').map((line) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they control terminals
    const [, last = ''] = /(?:\u001b\[2K|\u001b\[0?J|^)([^\u001b]*)$/.exec(line) ?? [];
    return last;
  });
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { screenAfter } from '../../rigs/terminal.js';

let rig: Rig;
let folder: string;
beforeAll(async () => {
  rig = await createRig();
  folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true });
});

const LIST = `"${process.execPath}" dist/starter.js show notifications --to 2026-01-03`;

/** Runs a command at a terminal of this many columns, in New York. @returns the lines of its screen */
async function atTerminal(columns: number, command: string, env: Readonly<Record<string, string>> = {}) {
  const script = `stty cols ${columns}; ${command}`;
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', script] : ['-qec', script, '/dev/null'];
  const { code, stdout } = await run('script', args, { ...rig.env, TZ: 'America/New_York', ...env });
  expect(code).toBe(0);
  return screenAfter(stdout.trimEnd());
}

const WHOLE = [
  'ID    CREATED               LEVEL    GROUP          READ  SUBJECT       BODY',
  '6001  2026-01-01 03:00 EST  Info     Notifications        Card shipped  On its way',
  '6002  2026-01-02 03:00 EST  Info     Notifications        Deposit       $1,200.00 arrived',
  '6003  2026-01-03 03:00 EST  Warning  Notifications        Low balance',
];

const AT_80 = [
  'ID    CREATED               LEVEL    SUBJECT       BODY',
  '6001  2026-01-01 03:00 EST  Info     Card shipped  On its way',
  '6002  2026-01-02 03:00 EST  Info     Deposit       $1,200.00 arrived',
  '6003  2026-01-03 03:00 EST  Warning  Low balance',
  'no room for group: widen the terminal, or use --csv or --json',
];

const AT_60 = [
  'ID    CREATED               SUBJECT       BODY',
  '6001  2026-01-01 03:00 EST  Card shipped  On its way',
  '6002  2026-01-02 03:00 EST  Deposit       $1,200.00 arrived',
  '6003  2026-01-03 03:00 EST  Low balance',
  'no room for level, group: widen the terminal, or use --csv',
  'or --json',
];

describe('a table at a terminal', () => {
  it('of 80 columns wraps no row', async () => {
    expect(await atTerminal(80, LIST)).toEqual(AT_80);
  });

  it('has the width of COLUMNS', async () => {
    expect(await atTerminal(160, LIST, { COLUMNS: '60' })).toEqual(AT_60);
  });

  it('is whole in a file, without control codes', async () => {
    const file = join(folder, 'table.txt');
    expect(await atTerminal(60, `${LIST} > ${file}`)).toEqual(['']);
    expect(await readFile(file, 'utf8')).toBe(`${WHOLE.join('\n')}\n`);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

describe('gangway setup and doctor', () => {
  it('setup is safe to run again', async () => {
    expect((await gangway(['setup'])).stdout).toBe('search attributes: all are registered already\n');
    expect(jsonLines(await gangway(['setup', '--json']))).toEqual([{ registered: [] }]);
  });

  it('doctor finds everything in order', async () => {
    const result = await gangway(['doctor', '--json']);
    const found = jsonLines(result).filter(({ check }) => check !== 'weak setting');
    const checks = found.map(({ check, ok }) => `${check}: ${ok}`);
    expect(checks).toEqual([
      'temporal: true',
      'namespace: true',
      'search attributes: true',
      'workers: true',
      'versions: true',
      'workflow tasks: true',
      'keys: true',
      'boarding partner: true',
      'banking partner: true',
      'plant store: true',
      'payments platform: true',
      'processor: true',
      'document store: true',
      'statement store: true',
      'clocks: true',
    ]);
    expect(found.at(-1)?.['detail']).toBe(
      'this machine, Temporal, the banking partner, the boarding partner, the payments partner, the plant-store partner: they agree to the minute',
    );
    expect(result.code).toBe(0);
  });

  it('doctor names each failed check', async () => {
    const wrong = { BOARDING_PASSWORD: 'wrong', GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
    const { code, stdout, stderr } = await runGangway({ ...rig.env, ...wrong }, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +workers +no worker polls task queue nobody-polls-this/);
    expect(stdout).toMatch(
      /!! +boarding partner +the boarding partner rejected our credentials \(401\): correct them in the settings/,
    );
    expect(stderr).toMatch(/^2 of \d+ checks failed\n$/);
  });

  it('doctor reports what is off without the banking partner, and does not fail', async () => {
    const off = await runGangway({ ...rig.env, BANKING_URL: '' }, ['doctor', '--json']);
    expect(jsonLines(off).find(({ check }) => check === 'banking partner')).toEqual({
      check: 'banking partner',
      ok: true,
      detail:
        'off: BANKING_URL is not set, so businesses, customers, cards, statements and lists are unavailable',
    });
    expect(off.code).toBe(0);
  });

  it('doctor checks the other systems that are on, and writes to none', async () => {
    const { url } = rig.sandbox;
    const on = {
      PLANT_STORE_URL: url,
      PLANT_STORE_TOKEN: 'sandbox',
      PAYMENTS_URL: url,
      PAYMENTS_API_KEY: 'sandbox',
      PROCESSOR_URL: url,
      PROCESSOR_API_KEY: 'guess',
    };
    const found = jsonLines(await runGangway({ ...rig.env, ...on }, ['doctor', '--json']));
    const others = ['plant store', 'payments platform', 'processor'];
    expect(found.filter(({ check }) => others.includes(String(check)))).toEqual([
      { check: 'plant store', ok: true, detail: `${url} accepts our credentials` },
      { check: 'payments platform', ok: true, detail: `${url} accepts our credentials; environment uat` },
      { check: 'processor', ok: true, detail: `${url}, not checked: it has no operation that only reads` },
    ]);
    const wrong = { ...on, PLANT_STORE_TOKEN: 'guess', PAYMENTS_API_KEY: 'guess' };
    const { code, stdout } = await runGangway({ ...rig.env, ...wrong }, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +plant store +the plant-store partner rejected the request \(HTTP 400\)/);
    expect(stdout).toMatch(/!! +payments platform +the payments partner rejected our credentials \(401\)/);
    const written = new Set((await rig.sandbox.ledger()).map(({ system }) => system));
    expect([...written].filter((system) => !['boarding', 'banking'].includes(system))).toEqual([]);
  });

  it('doctor reports a folder that cannot be used', async () => {
    const bad = { ...rig.env, STATEMENT_DIR: '/dev/null/statements' };
    const { code, stdout } = await runGangway(bad, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +statement store +.*(ENOTDIR|EEXIST|ENOENT)/);
  });
});

describe('gangway with a problem', () => {
  it('reports in one line that Temporal is unavailable', async () => {
    const unavailable = { ...rig.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    expect(await runGangway(unavailable, ['list'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'cannot reach Temporal at 127.0.0.1:1 (TEMPORAL_ADDRESS)\n',
    });
  });

  it.each([
    [{ BOARDING_URL: 'http://partner.example.com' }, 'BOARDING_URL: must be https (http only to loopback)\n'],
    [{ GANGWAY_UI_URL: 'ui' }, 'GANGWAY_UI_URL: must be a URL\n'],
    [{ BOARDING_PASSWORD: '' }, 'BOARDING_PASSWORD: is not set\n'],
    [
      { BOARDING_PASSWORD_FILE: '/nowhere' },
      'BOARDING_PASSWORD_FILE: is set beside BOARDING_PASSWORD; set one of the two\n',
    ],
  ])('stops at a bad setting with one line that names it: %o', async (settings, stderr) => {
    expect(await runGangway({ ...rig.env, ...settings }, ['list'])).toEqual({ code: 2, stdout: '', stderr });
  });

  it('checks the settings of the worker as well', async () => {
    expect(await runGangway({ ...rig.env, GANGWAY_POLL_MIN: 'soon' }, ['doctor'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'GANGWAY_POLL_MIN: must be a duration such as 200ms, 1m or 1h\n',
    });
  });

  it('shows its commands under headings', async () => {
    const { code, stdout } = await gangway(['--help']);
    expect(code).toBe(0);
    const headings = [...stdout.matchAll(/^(\S.*):\n((?: {2}.*\n)+)/gm)].map(([, heading, commands = '']) => [
      heading,
      ...[...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name),
    ]);
    expect(headings.slice(1)).toEqual([
      ['Onboard', 'board', 'onboard-business', 'onboard', 'batch'],
      [
        'Follow and answer requirements',
        ...['status', 'list', 'inbox', 'resolve', 'watch', 'nudge', 'cancel', 'events'],
      ],
      [
        'Single operations at the bank',
        ...['close-card', 'card-nickname', 'change-address', 'restore-sub-user'],
        ...['ensure-webhooks', 'statement', 'show'],
      ],
      ['Any operation of a partner', 'call'],
      ['Setup, backup and help', 'setup', 'keys', 'doctor', 'backup', 'restore', 'help'],
    ]);
  });

  it('shows help with 0, and an unknown command with 2', async () => {
    expect((await gangway(['board', '--help'])).code).toBe(0);
    expect(await gangway(['bord'])).toMatchObject({ code: 2 });
  });
});

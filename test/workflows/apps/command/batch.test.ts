import { writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { answered, gangway as runGangway, startGangway } from '../../../rigs/command.js';
import {
  batchFile,
  executions,
  idOf,
  merchantsFile,
  ndjson,
  wasStarted,
} from '../../../rigs/commands/files.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await createRig();
afterEach(() => rig.clear());
afterAll(() => rig.close());

/** No Temporal responds there. */
const OFFLINE = { TEMPORAL_ADDRESS: '127.0.0.1:9' };

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, ['batch', ...args], input);

/** Creates wait until the end of the test, because it is about starts, and a merchant costs more. */
const HELD = { times: 100, milliseconds: 100_000 };

const isThere = (id: string) => wasStarted(rig.client, id);

/** Those of these onboardings that Temporal lists, once it lists this many. One that ran twice is listed twice. */
async function listed(ids: readonly string[], count = ids.length): Promise<string[]> {
  const result = async () => {
    const all = await executions(rig.client, rig.taskQueue, 0);
    return all.map(({ workflowId }) => workflowId).filter((id) => ids.includes(id));
  };
  return (await eventually(result, (those) => those.length >= count, `${count} onboardings`)).sort();
}

describe('a file', () => {
  it('may mix kinds, and gets a line printed for each row', async () => {
    const [one, two, three] = [merchant(), business(), customer()];
    const file = await batchFile(rig, 'rows.ndjson', ndjson([one, two, three]));
    const { code, stdout, stderr } = await gangway([file, '--concurrency', '1']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = [
      idOf(one),
      `business-onboarding-${two.externalId}`,
      `customer-onboarding-${three.externalId}`,
    ];
    expect(stdout).toBe(`1 ${ids[0]} started\n2 ${ids[1]} started\n3 ${ids[2]} started\n3 rows: 3 started\n`);
    expect(await listed(ids)).toEqual(ids.toSorted());
    const again = await gangway([file, '--json', '--concurrency', '1']);
    expect(jsonLines(again)).toEqual(
      [one, two, three].map(({ externalId }, place) => ({
        line: place + 1,
        externalId,
        workflowId: ids[place],
        runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        started: false,
      })),
    );
    expect(again).toMatchObject({ code: 0, stderr: '3 rows: 3 attached\n' });
  });

  it('may be CSV from another program, and is read by its mapping', async () => {
    const file = 'examples/crm-export.csv';
    const read = ['--mapping', 'examples/mapping.json', '--delimiter', ';'];
    expect(await runGangway(OFFLINE, ['batch', file, ...read, '--dry-run'])).toMatchObject({
      code: 0,
      stdout: `${file}: 2 rows, all valid: 2 merchants\n`,
    });
  });
});

describe('an invalid file', () => {
  const twice = merchant().externalId;
  const wrong = [
    { ...merchant(), externalId: twice },
    '{"ssn": 000-12-3456}',
    { ...merchant(), merchant: { dba: '', firstName: 'Ada', lastName: 'Baker', cashDiscount: 'yes' } },
    {},
    { ...business(), externalId: twice },
    { externalId: 'c-1', boarding: customer().boarding },
    { ...merchant(), externalId: '000-12-3456' },
    { ...merchant(), application: { merchantProfile: 'private', equipment: {} } },
  ];
  const text = wrong.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  const kinds = 'a merchant has "merchant", a business "holder", a customer "boarding" and "business"';
  const problems = [
    [2, '', 'is not JSON: column 10: a comma, } or ] is missing'],
    [3, 'merchant.cashDiscount', 'must be one of Yes, No'],
    [3, 'merchant.dba', 'must not be empty'],
    [3, 'merchant.pos', 'is required: one of None, CustomPos'],
    [4, '', `is not an onboarding: ${kinds}`],
    [5, 'externalId', 'is the same as in line 1'],
    [6, 'business', 'is required'],
    [7, 'externalId', 'contains what looks like a social security number'],
    [8, 'application.merchantProfile', 'must be an object'],
  ] as const;

  it('is reported with each line, field and rule but no value, and nothing is started', async () => {
    const file = await batchFile(rig, 'rows.ndjson', text);
    const lines = problems.map(
      ([line, field, message]) => `${file}:${line}: ${field && `${field}: `}${message}\n`,
    );
    const report = `${lines.join('')}${file}: 7 of 8 rows are not valid; nothing was started\n`;
    for (const args of [[file], [file, '--dry-run']])
      expect(await gangway(args)).toEqual({ code: 2, stdout: '', stderr: report });
    const json = await gangway([file, '--json']);
    expect(json).toMatchObject({ code: 2, stderr: report });
    expect(jsonLines(json)).toEqual(problems.map(([line, field, message]) => ({ line, field, message })));
    expect(await isThere(idOf({ externalId: twice }))).toBe(false);
  });

  // Alone catches a file whose twins and differing rows show only after all else is corrected.
  it('also has the warnings about its other rows', async () => {
    const there = merchant('waiting');
    await rig.board(there);
    const different = { ...there, dueInHours: 7 };
    const file = await batchFile(rig, 'both.ndjson', ndjson([{ ...merchant(), dueInHours: 0 }, different]));
    const { code, stderr } = await gangway([file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`warning: ${file}:2: dueInHours: differs from the onboarding that exists`);
    expect(stderr).toContain(`${file}:1: dueInHours: must be more than 0, in hours\n`);
    expect(stderr).toContain(`${file}: 1 of 2 rows is not valid; nothing was started\n`);
  });

  it('has rows that are small in the file and too large for Temporal', async () => {
    const numbers = `"application": {"x": [${Array(100_000).fill('1e20')}]}}`;
    const row = JSON.stringify(merchant()).replace(/}$/, `,${numbers}`);
    const file = await batchFile(rig, 'rows.ndjson', `${ndjson([merchant()])}${row}\n`);
    expect(await gangway([file])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${file}:2: is longer than 1 MiB as an input\n${file}: 1 of 2 rows is not valid; nothing was started\n`,
    });
  });
});

it('--dry-run prints the number of rows, needs no Temporal, and starts nothing', async () => {
  const input = merchant();
  const file = await batchFile(rig, 'rows.ndjson', ndjson([input, business(), merchant()]));
  const args = ['batch', file, '--dry-run'];
  expect(await runGangway(OFFLINE, args)).toEqual({
    code: 0,
    stdout: `${file}: 3 rows, all valid: 2 merchants, 1 business\n`,
    stderr: 'Temporal does not respond, so existing onboardings and the partner’s lists were not compared.\n',
  });
  expect(jsonLines(await runGangway(OFFLINE, [...args, '--json']))).toEqual([
    { valid: true, rows: 3, merchantBoarding: 2, businessOnboarding: 1, warnings: [], warningCount: 0 },
  ]);
  expect(await runGangway(rig.env, args)).toMatchObject({ code: 0 });
  expect(await isThere(idOf(input))).toBe(false);
});

it('a doubtful file starts with warnings by line, with --strict starts nothing, and has none of rows that exist', async () => {
  const own = merchant(undefined, { agentProfileId: 999 });
  const input = { ...own, merchant: { ...own.merchant, email: 'not-an-email' } };
  const file = await batchFile(rig, 'rows.ndjson', ndjson([merchant(), input]));
  const line = `${file}:2: merchant.email: is not an e-mail address`;
  expect(await runGangway(OFFLINE, ['batch', file, '--dry-run', '--strict'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `${line}\n${file}: has warnings, which --strict rejects; nothing was started\n`,
  });
  const preview = () => gangway([file, '--dry-run', '--json']);
  const result = await eventually(
    preview,
    ({ stdout }) => stdout.includes('agentProfileId'),
    'the lists of the partner to be read',
  );
  expect([result.code, jsonLines(result)]).toEqual([
    0,
    [
      {
        valid: true,
        rows: 2,
        merchantBoarding: 2,
        attached: 0,
        warningCount: 2,
        warnings: [
          {
            line: 2,
            field: 'agentProfileId',
            message: expect.stringMatching(/does not list this id; choose/),
          },
          { line: 2, field: 'merchant.email', message: 'is not an e-mail address' },
        ],
      },
    ],
  ]);
  expect(await gangway([file, '--dry-run', '--strict'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('agentProfileId'),
  });
  expect(await gangway([file, '--strict'])).toMatchObject({ code: 2, stdout: '' });
  expect(await isThere(idOf(input))).toBe(false);
  const { code, stderr } = await gangway([file]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${line}\n`)]);
  expect(await isThere(idOf(input))).toBe(true);
  // What is there takes no new input, so its row is not doubtful any more.
  const attached = `${file}: 2 rows, all valid: 2 merchants\n2 of 2 rows would start nothing, because the onboarding exists.\n`;
  await eventually(
    () => gangway([file, '--strict', '--dry-run']),
    ({ code: ended, stdout }) => ended === 0 && stdout === attached,
    'the rows to be listed',
  );
  // Alone catches a command that compares less than the console.
  const changed = { ...input, merchant: { ...input.merchant, lastName: 'Other' } };
  const twin = { ...input, externalId: merchant().externalId };
  const next = await batchFile(rig, 'next.ndjson', ndjson([changed, twin]));
  const compared = await gangway([next, '--dry-run']);
  expect(compared).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 of 2 rows would start nothing'),
    stderr: expect.stringContaining(
      `warning: ${next}:1: merchant.lastName: differs from the onboarding that exists, which keeps its own value\n`,
    ),
  });
  expect(compared.stderr).toContain(
    `warning: ${next}:2: is the same as ${idOf(input)}, under another externalId\n`,
  );
  // One file at a time can be checked by the command of one onboarding, too.
  const alone = await batchFile(rig, 'twin.json', JSON.stringify(twin));
  expect(await runGangway(rig.env, ['board', alone, '--strict'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      `is the same as ${idOf(input)}, under another externalId: is it another one?\n`,
    ),
  });
  expect(await isThere(idOf(twin))).toBe(false);
});

describe('a run', () => {
  it('that is stopped leaves rows out, and the same file starts the rest and nothing twice', async () => {
    const { file, ids } = await merchantsFile(rig, 4);
    await rig.sandbox.plan('delay', 'create-merchant', HELD);
    // A busy machine has half a minute to stop it.
    const running = startGangway(rig.env, ['batch', file, '--rate', '0.1']);
    await running.printsLines(1);
    const [, id = ''] = /"gangway batches (\S+)" follows/.exec(running.stderr()) ?? [];
    expect(await runGangway(rig.env, ['batches', id, '--stop'])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await running.finished;
    const [, count = ''] = /^4 rows: (\d+) started, \d+ not started$/m.exec(stdout) ?? [];
    expect(Number(count)).toBeLessThan(4);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'the batch was stopped; what was started continues; run the same command again: it continues from here and starts nothing twice\n',
    });
    expect(await runGangway(rig.env, ['batches', id, '--stop'])).toMatchObject({
      code: 1,
      stderr: `${id} has ended: stopped\n`,
    });
    const rest = await gangway([file]);
    expect(rest).toMatchObject({ code: 0, stderr: '' });
    expect(rest.stdout).toMatch(
      new RegExp(`^4 rows: (?=.*\\b${4 - Number(count)} started).*\\b${count} attached`, 'm'),
    );
    expect(await listed(ids)).toEqual(ids.toSorted());
  });

  it('starts nothing when the file changes after it was checked', async () => {
    const { file, ids } = await merchantsFile(rig, 30);
    const running = startGangway(rig.env, ['batch', file], { terminal: true });
    await running.says('30 merchants');
    await writeFile(file, 'not JSON any more\n');
    running.type('y');
    const { code, stderr } = await running.finished;
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'changed while it was read; check the file and run the command again',
    );
    expect(await isThere(ids[0] ?? '')).toBe(false);
  });
});

describe('a start', () => {
  it('of more than 20 rows is confirmed, and of 20 rows is not, nor is a dry run', async () => {
    const { file, ids, inputs } = await merchantsFile(rig, 21);
    await rig.sandbox.plan('delay', 'create-merchant', HELD);
    const [first = ''] = ids;
    expect((await gangway([file, '--dry-run'])).code).toBe(0);
    const consequence = `This starts 21 rows of ${file} (21 merchants), which creates applications at the partners.`;
    expect(await gangway([file])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${consequence}\nNothing was done: without a terminal, confirm it with --yes\n`,
    });
    expect((await answered(rig.env, ['batch', file], 'n')).code).toBe(1);
    expect(await isThere(first)).toBe(false);
    const { code, stdout } = await answered(rig.env, ['batch', file], 'y');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^21 rows: 21 started$/m);
    // Whether a row starts or attaches, it is a row.
    const twenty = await gangway([await batchFile(rig, 'rows.ndjson', ndjson(inputs.slice(1)))]);
    expect(twenty).toMatchObject({ code: 0, stdout: expect.stringMatching(/^20 rows: 20 attached$/m) });
  });

  it('from standard input cannot ask there, also at a terminal', async () => {
    const rows = Array.from({ length: 21 }, () => JSON.stringify(merchant())).join('\n');
    const command = startGangway(rig.env, ['batch', '-', '--format', 'ndjson'], { terminal: true });
    command.type(rows);
    command.endInput();
    expect(await command.finished).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('confirm it with --yes\n'),
    });
  });
});

it('gangway batches has no batch of another id', async () => {
  for (const id of ['onboarding-batch-none', 'merchant-boarding-m-1'])
    expect(await runGangway(rig.env, ['batches', id])).toMatchObject({
      code: 1,
      stderr: `there is no batch "${id}"; "gangway batches" lists all\n`,
    });
});

it('--wait prints each outcome as it comes, whatever it is, and exits 0', async () => {
  const inputs = [merchant(), merchant('declined'), customer(), business()] as const;
  const [boarded, declined, both] = inputs;
  const file = await batchFile(rig, 'rows.ndjson', ndjson(inputs));
  const { code, stdout, stderr } = await gangway([file, '--wait']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of [
    `1 ${idOf(boarded)} boarded: mid 5180\\d+`,
    `2 ${idOf(declined)} declined: Business type is not supported.`,
    `3 customer-onboarding-${both.externalId} onboarded; merchant boarded: mid 5180\\d+; business onboarded: profile \\d+, no financial account, \\w+`,
    '4 rows: (?=.*1 boarded)(?=.*1 declined)(?=.*2 onboarded).*',
  ])
    expect(stdout).toMatch(new RegExp(`^${line}$`, 'm'));
  const csv = await gangway([file, '--wait', '--csv']);
  expect(csv).toMatchObject({ code: 0, stderr: expect.stringMatching(/^4 rows: 4 attached\n4 rows: /) });
  const rows: Record<string, string>[] = parse(csv.stdout, { columns: true });
  const outcomes = ['boarded', 'declined', 'onboarded', 'onboarded'];
  expect(rows).toMatchObject(
    inputs.map(({ externalId }, place) => ({
      line: `${place + 1}`,
      externalId,
      outcome: outcomes[place],
      started: 'false',
    })),
  );
});

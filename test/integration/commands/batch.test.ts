import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway as runGangway, startGangway } from '../../rigs/command.js';
import {
  batchFile,
  executions,
  idOf,
  inputFile,
  merchantsFile,
  ndjson,
  wasStarted,
} from '../../rigs/commands/files.js';
import { business, customer, merchant } from '../../rigs/inputs.js';
import { jsonLines, run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, ['batch', ...args], input);

const isThere = (id: string) => wasStarted(rig.client, id);

/** Those of these onboardings that Temporal lists, once it lists this many. One that ran twice is listed twice. */
async function listed(ids: readonly string[], count = ids.length): Promise<string[]> {
  const found = async () => {
    const all = await executions(rig.client, rig.taskQueue, 0);
    return all.map(({ workflowId }) => workflowId).filter((id) => ids.includes(id));
  };
  return (await eventually(found, (those) => those.length >= count, `${count} onboardings`)).sort();
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
    const { externalId } = merchant();
    const csv = `Key;Name;First;Last;Cash;Remark\r\n${externalId};"Corner; Bakery";Ada;Baker;N;x\r\n`;
    const mapping = await inputFile(rig, {
      columns: {
        Key: 'externalId',
        Name: 'merchant.dba',
        First: 'merchant.firstName',
        Last: 'merchant.lastName',
        Cash: { to: 'merchant.cashDiscount', words: { N: 'No' } },
        Remark: null,
      },
      constants: { 'merchant.pos': 'None', agentProfileId: 101, boardingSettingsId: 11 },
    });
    const file = await batchFile(rig, 'rows.csv', csv);
    const ran = await gangway([file, '--mapping', mapping, '--delimiter', ';']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('started'), stderr: '' });
    const { events = [] } = await rig.client.workflow.getHandle(idOf({ externalId })).fetchHistory();
    const begin = events?.[0]?.workflowExecutionStartedEventAttributes;
    // Lower than the priority of a single start, and with a fairness key for the agent.
    expect(begin?.priority).toMatchObject({ priorityKey: 4, fairnessKey: 'agent-101' });
    const payloads = begin?.input?.payloads ?? [];
    const [given] = await Promise.all(
      (await rig.client.options.loadedDataConverter.payloadCodecs[0]?.decode(payloads))?.map(({ data }) =>
        JSON.parse(Buffer.from(data ?? []).toString()),
      ) ?? [],
    );
    expect(given).toEqual({
      externalId,
      merchant: {
        dba: 'Corner; Bakery',
        firstName: 'Ada',
        lastName: 'Baker',
        cashDiscount: 'No',
        pos: 'None',
      },
      agentProfileId: 101,
      boardingSettingsId: 11,
      dueInHours: 48,
    });
  });

  it('may come from standard input', async () => {
    const input = merchant();
    expect(await gangway(['-', '--format', 'ndjson'], ndjson([input]))).toEqual({
      code: 0,
      stdout: `1 ${idOf(input)} started\n1 row: 1 started\n`,
      stderr: '',
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
    { ...merchant(), holder: business().holder },
    { ...merchant(), mail: 'private@example.com' },
    { ...business(), externalId: twice },
    { externalId: 'c-1', boarding: customer().boarding },
    { ...merchant(), externalId: '000-12-3456' },
    [1],
    { ...merchant(), application: { merchantProfile: 'private', equipment: {} } },
  ];
  const text = wrong.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  const problems = [
    [2, '', 'is not JSON: column 10: a comma, } or ] is missing'],
    [3, 'merchant.cashDiscount', 'must be one of Yes, No'],
    [3, 'merchant.dba', 'must not be empty'],
    [3, 'merchant.pos', 'is required: one of None, CustomPos'],
    [
      4,
      '',
      'is not an onboarding: a merchant has "merchant", a business "holder", a customer "boarding" and "business"',
    ],
    [5, '', 'has merchant and holder: put them in separate rows'],
    [6, 'mail', 'is not a known field'],
    [7, 'externalId', 'is the same as in line 1'],
    [8, 'business', 'is required'],
    [9, 'externalId', 'contains what looks like a social security number'],
    [10, '', 'must be a JSON object'],
    [11, 'application.merchantProfile', 'must be an object'],
  ] as const;

  it('is reported with each line, field and rule but no value, and nothing is started', async () => {
    const file = await batchFile(rig, 'rows.ndjson', text);
    const lines = problems.map(
      ([line, field, message]) => `${file}:${line}: ${field && `${field}: `}${message}\n`,
    );
    const report = `${lines.join('')}${file}: 10 of 11 rows are not valid; nothing was started\n`;
    for (const args of [[file], [file, '--dry-run']])
      expect(await gangway(args)).toEqual({ code: 2, stdout: '', stderr: report });
    const json = await gangway([file, '--json']);
    expect(json).toMatchObject({ code: 2, stderr: report });
    expect(jsonLines(json)).toEqual(problems.map(([line, field, message]) => ({ line, field, message })));
    expect(await isThere(idOf({ externalId: twice }))).toBe(false);
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

  it('is reported with a hundred problems at most, and with the number of the others', async () => {
    const file = await batchFile(rig, 'rows.csv', `externalId\n${'a b\n'.repeat(150)}`);
    const { code, stderr } = await gangway([file]);
    const lines = stderr.trimEnd().split('\n');
    expect(code).toBe(2);
    expect(lines).toHaveLength(102);
    expect(lines.slice(100)).toEqual([
      'and 50 more',
      `${file}: 150 of 150 rows are not valid; nothing was started`,
    ]);
  });

  it.each([
    ['without rows', 'rows.ndjson', '\n\n', [], 'FILE: has no rows\n'],
    [
      'of an unknown format',
      'rows.txt',
      '{}',
      [],
      'give --format csv or --format ndjson: the file name does not end in .csv or .ndjson\n',
    ],
    [
      'that takes no mapping',
      'rows.ndjson',
      '{}',
      ['--delimiter', ';'],
      '--delimiter and --mapping are for CSV\n',
    ],
  ])('%s is rejected', async (_, name, content, args, message) => {
    const file = await batchFile(rig, name, content);
    expect(await gangway([file, ...args])).toEqual({
      code: 2,
      stdout: '',
      stderr: message.replace('FILE', file),
    });
  });

  it.each([
    ['--rate', '0', 'It must be a number from 0.001 to 1000.'],
    ['--concurrency', '0', 'It must be a positive integer.'],
    ['--give-up-after', '2', 'It must be a duration such as 30s, 2m or 1h.'],
    ['--delimiter', ';;', 'It must be one character, or tab.'],
    ['--format', 'xlsx', 'Allowed choices are csv, ndjson.'],
  ])('%s %s is bad usage', async (option, value, rule) => {
    const { code, stdout, stderr } = await gangway(['rows.csv', option, value]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(rule);
  });
});

describe('--dry-run', () => {
  it('prints the number of rows, needs no Temporal, and starts nothing', async () => {
    const input = merchant();
    const file = await batchFile(rig, 'rows.ndjson', ndjson([input, business(), merchant()]));
    const env = { ...rig.env, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const args = ['batch', file, '--dry-run'];
    expect(await runGangway(env, args)).toEqual({
      code: 0,
      stdout: `${file}: 3 rows, all valid: 2 merchants, 1 business\n`,
      stderr:
        'Temporal does not respond, so existing onboardings and the partner’s lists were not compared.\n',
    });
    expect(jsonLines(await runGangway(env, [...args, '--json']))).toEqual([
      { valid: true, rows: 3, merchantBoarding: 2, businessOnboarding: 1, warnings: [], warningCount: 0 },
    ]);
    expect(await runGangway(rig.env, args)).toMatchObject({ code: 0 });
    expect(await isThere(idOf(input))).toBe(false);
  });
});

describe('a doubtful file', () => {
  const doubtful = (more = {}) => {
    const input = merchant(undefined, more);
    return { ...input, merchant: { ...input.merchant, email: 'not-an-email' } };
  };

  it('starts with warnings by line, and with --strict starts nothing', async () => {
    const input = doubtful();
    const file = await batchFile(rig, 'rows.ndjson', ndjson([merchant(), input]));
    const line = `${file}:2: merchant.email: is not an e-mail address`;
    expect(await runGangway(rig.env, ['batch', file, '--strict'])).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: `${line}\n${file}: is doubtful, which --strict rejects; nothing was started\n`,
    });
    expect(await isThere(idOf(input))).toBe(false);
    const { code, stderr } = await runGangway(rig.env, ['batch', file]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${line}\n`)]);
    expect(await isThere(idOf(input))).toBe(true);
    // What is there takes no new input, so its row is not doubtful any more.
    await eventually(
      () => runGangway(rig.env, ['batch', file, '--strict']),
      (ran) => ran.code === 0,
      'the rows to be listed',
    );
  });

  it('has its warnings in the JSON of a dry run, and without Temporal is checked by itself', async () => {
    const input = doubtful();
    const file = await batchFile(rig, 'rows.ndjson', ndjson([merchant(), input]));
    const line = `${file}:2: merchant.email: is not an e-mail address`;
    const preview = {
      ...{ valid: true, rows: 2, merchantBoarding: 2, warningCount: 1 },
      warnings: [{ line: 2, field: 'merchant.email', message: 'is not an e-mail address' }],
    };
    const args = ['batch', file, '--dry-run', '--json'];
    const ran = await runGangway(rig.env, args);
    expect([ran.code, jsonLines(ran)]).toEqual([0, [{ ...preview, attached: 0 }]]);
    const away = { ...rig.env, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    expect(jsonLines(await runGangway(away, args))).toEqual([preview]);
    expect(await runGangway(away, [...args, '--strict'])).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: `${line}\n${file}: is doubtful, which --strict rejects; nothing was started\n`,
    });
  });

  it('has an agent that the partner does not list, which is named once', async () => {
    const rows = [1, 2, 3].map(() => merchant(undefined, { agentProfileId: 999 }));
    const file = await batchFile(rig, 'rows.ndjson', ndjson([merchant(), ...rows]));
    const { code, stderr } = await eventually(
      () => runGangway(rig.env, ['batch', file, '--dry-run']),
      (ran) => ran.stderr.includes('does not list'),
      'the lists of the partner to be read',
    );
    expect(code).toBe(0);
    expect(stderr.match(/the partner does not list this id; choose one of: .*/g)).toEqual([
      expect.stringMatching(/\(agentProfileId \d+\).*, as in 2 rows more$/),
    ]);
    const strict = await runGangway(rig.env, ['batch', file, '--dry-run', '--strict']);
    expect(strict).toMatchObject({ code: 2, stdout: '' });
  });

  it('says how many rows would only attach', async () => {
    const first = merchant();
    expect(
      (await runGangway(rig.env, ['batch', await batchFile(rig, 'a.ndjson', ndjson([first]))])).code,
    ).toBe(0);
    const file = await batchFile(rig, 'b.ndjson', ndjson([first, merchant(), merchant()]));
    await eventually(
      () => runGangway(rig.env, ['batch', file, '--dry-run']),
      ({ stdout }) => stdout.includes('1 of 3 rows would only attach, because the onboarding exists.'),
      'the first row to be listed',
    );
  });
});

describe('a run', () => {
  it('that is stopped leaves rows out, and the same file starts the rest and nothing twice', async () => {
    const { file, ids } = await merchantsFile(rig, 30);
    // A busy machine has half a minute to stop it.
    const running = startGangway(rig.env, ['batch', file, '--rate', '1', '--yes']);
    await running.printsLines(3);
    const [, id = ''] = /"gangway batches (\S+)" follows/.exec(running.stderr()) ?? [];
    expect(await runGangway(rig.env, ['batches', id, '--stop'])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await running.finished;
    const [, count = ''] = /^30 rows: (\d+) started, \d+ not started$/m.exec(stdout) ?? [];
    expect(Number(count)).toBeLessThan(30);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'the batch was stopped; what was started continues; run the same command again: it continues from here and starts nothing twice\n',
    });
    expect(await runGangway(rig.env, ['batches', id, '--stop'])).toMatchObject({
      code: 1,
      stderr: `${id} has ended: stopped\n`,
    });
    const rest = await gangway([file, '--yes']);
    expect(rest).toMatchObject({ code: 0, stderr: '' });
    expect(rest.stdout).toMatch(
      new RegExp(`^30 rows: (?=.*\\b${30 - Number(count)} started).*\\b${count} attached`, 'm'),
    );
    expect(await listed(ids)).toEqual(ids.toSorted());
  });

  it('keeps nothing private: neither in the document store nor in what Temporal shows', async () => {
    const input = business();
    const file = await batchFile(rig, 'rows.ndjson', ndjson([input]));
    const running = startGangway(rig.env, ['batch', file, '--rate', '0.2']);
    const [, id = ''] =
      (await eventually(
        async () => /"gangway batches (\S+)" follows/.exec(running.stderr()),
        (found) => found !== null,
        'its id',
      )) ?? [];
    const names = (await readdir(rig.documentDir)).filter((name) => name.startsWith(id));
    expect(names).toEqual([`${id}.0.rows`]);
    const kept = await readFile(join(rig.documentDir, `${id}.0.rows`));
    const shown = JSON.stringify((await rig.client.workflow.getHandle(id).describe()).raw);
    for (const text of [input.holder.ssn, input.holder.doingBusinessAsName, input.externalId]) {
      expect(kept.includes(text)).toBe(false);
      expect(shown).not.toContain(text);
    }
    expect(await running.finished).toMatchObject({ code: 0 });
    await rig.client.workflow.getHandle(id).result();
    const left = (await readdir(rig.documentDir)).filter((name) => name.startsWith(id));
    expect(left).toEqual([`${id}.0.results`]);
  });

  it('needs a worker, and starts nothing without one', async () => {
    const { file, ids } = await merchantsFile(rig, 1);
    const env = { ...rig.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
    expect(await runGangway(env, ['batch', file])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'no worker polls task queue nobody-polls-this: is one running?\n',
    });
    expect(await isThere(ids[0] ?? '')).toBe(false);
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

  it('reports no success when the reader of its output closes the pipe', async () => {
    const { file } = await merchantsFile(rig, 40);
    const pipe = `"${process.execPath}" dist/starter.js batch ${file} --rate 10 --yes | head -3`;
    const { code, stdout } = await run('bash', ['-o', 'pipefail', '-c', pipe], rig.env);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(code).toBe(1);
  });

  it('ends when no row can be started, and reports why', async () => {
    const { file } = await merchantsFile(rig, 30);
    const nowhere = { ...rig.env, TEMPORAL_NAMESPACE: 'nowhere' };
    const { code, stdout, stderr } = await runGangway(nowhere, ['batch', file, '--yes']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('Temporal: Namespace nowhere is not found.\n');
  });
});

describe('gangway batches', () => {
  it('has no batch of another id', async () => {
    for (const id of ['onboarding-batch-none', 'merchant-boarding-m-1'])
      expect(await runGangway(rig.env, ['batches', id])).toMatchObject({
        code: 1,
        stderr: `there is no batch "${id}"\n`,
      });
  });

  it('stops only a batch that is named', async () => {
    expect(await runGangway(rig.env, ['batches', '--stop'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name the batch'),
    });
  });
});

it('--csv has no preview of a file', async () => {
  const { file } = await merchantsFile(rig, 2);
  expect(await gangway([file, '--csv', '--dry-run'])).toMatchObject({
    code: 2,
    stderr: "option '--csv' cannot be used with option '--dry-run'\n",
  });
});

it('--wait prints each outcome as it comes, whatever it is, also as JSON and CSV, and exits 0', async () => {
  const [boarded, declined, both, bank] = [merchant(), merchant('declined'), customer(), business()];
  const inputs = [boarded, declined, both, bank];
  const file = await batchFile(rig, 'rows.ndjson', ndjson(inputs));
  const { code, stdout, stderr } = await gangway([file, '--wait']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^1 ${idOf(boarded)} boarded: mid 5180\\d+$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^2 ${idOf(declined)} declined: Business type is not supported.$`, 'm'));
  expect(stdout).toMatch(
    new RegExp(
      `^3 customer-onboarding-${both.externalId} onboarded; merchant boarded: mid 5180\\d+; business onboarded: profile \\d+, no financial account, \\w+$`,
      'm',
    ),
  );
  expect(stdout).toMatch(/^4 rows: (?=.*1 boarded)(?=.*1 declined)(?=.*2 onboarded)/m);
  const ends = jsonLines(await gangway([file, '--wait', '--json'])).filter(({ outcome }) => outcome);
  expect(ends.find(({ line }) => line === 2)).toEqual({
    line: 2,
    externalId: declined.externalId,
    workflowId: idOf(declined),
    outcome: 'declined',
    comment: 'Business type is not supported.',
    merchantProfileId: expect.any(Number),
  });

  const csv = await gangway([file, '--wait', '--csv']);
  expect(csv).toMatchObject({ code: 0, stderr: expect.stringMatching(/^4 rows: 4 attached\n4 rows: /) });
  const rows: Record<string, string>[] = parse(csv.stdout, { columns: true });
  const outcomes = ['boarded', 'declined', 'onboarded', 'onboarded'];
  expect(rows).toEqual(
    inputs.map(({ externalId }, place) =>
      expect.objectContaining({
        line: `${place + 1}`,
        externalId,
        outcome: outcomes[place],
        started: 'false',
      }),
    ),
  );
  expect(rows[0]).toMatchObject({ mid: expect.stringMatching(/^5180\d+$/), comment: '', profileId: '' });
  expect(rows[1]).toMatchObject({ mid: '', comment: 'Business type is not supported.', profileId: '' });
  expect(rows[3]).toMatchObject({ mid: '', profileId: expect.stringMatching(/^\d+$/) });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { inputFile } from '../../rigs/commands/input-files.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  // Lists and the inbox show all onboardings of a server.
  rig = await createRig({ server: {} });
});
afterAll(() => rig.close());

/** On the same Temporal server. */
const beside = ({ env }: Rig) => ({ address: env['TEMPORAL_ADDRESS'] ?? '' });

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const file = (content: unknown) => inputFile(rig, content);

async function waiting(): Promise<{ boarding: Onboarding; externalId: string; id: string }> {
  const input = merchant('notes');
  const boarding = await rig.board(input);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  return { boarding, externalId: input.externalId, id: requirements[0]?.id ?? '' };
}

describe('gangway board', () => {
  it('starts a boarding, waits for it, and prints its outcome and where to look at it', async () => {
    const input = merchant();
    const { code, stdout, stderr } = await gangway(['board', await file(input), '--wait']);
    const [started, url, outcome] = stdout.split('\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(started).toBe(`started merchant-boarding-${input.externalId}`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/merchant-boarding-m-/);
    expect(outcome).toMatch(/ boarded: mid 5180\d+$/);
  });

  it('reads standard input, and with --json prints JSON lines only', async () => {
    const input = merchant('declined');
    const result = await gangway(['board', '-', '--wait', '--json'], JSON.stringify(input));
    const workflowId = `merchant-boarding-${input.externalId}`;
    expect(jsonLines(result)).toEqual([
      { workflowId, runId: expect.any(String), started: true, url: expect.any(String) },
      {
        workflowId,
        outcome: 'declined',
        comment: 'Business type is not supported.',
        merchantProfileId: expect.any(Number),
      },
    ]);
    expect(result.code).toBe(0);
  });

  it('called again attaches to the first boarding, and prints its outcome when it has ended', async () => {
    const input = merchant('waiting');
    const path = await file(input);
    const first = jsonLines(await gangway(['board', path, '--json']));
    const second = jsonLines(await gangway(['board', path, '--json']));
    expect(second).toEqual([{ ...first[0], started: false }]);
    const boarding = await rig.board(input);
    const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
    await rig.sandbox.transition(merchantProfileId, { status: 'Closed' });
    await boarding.outcome();
    const third = jsonLines(await gangway(['board', path, '--json']));
    expect(third[1]).toMatchObject({ outcome: 'closed' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);

    const again = jsonLines(await gangway(['board', path, '--again', '--json']));
    expect(again[0]).toMatchObject({ started: true });
    expect(again[0]?.['runId']).not.toBe(first[0]?.['runId']);
    await boarding.handle.terminate();
  });

  it.each([
    [
      'every wrong field with its rule',
      {
        ...merchant(),
        externalId: 'a b',
        merchant: { dba: 'X', pos: 'none', cashDiscount: 'yes' },
        dueInHours: 0,
      },
      [
        'externalId: takes letters, digits',
        'merchant.cashDiscount: Invalid option: expected one of "Yes"|"No"',
        'merchant.firstName: is required',
        'merchant.lastName: is required',
        'merchant.pos: Invalid option: expected one of "None"|"CustomPos"',
        'dueInHours: ',
      ],
    ],
    ['an unknown member', { ...merchant(), mail: 'x' }, ['mail: is not a known field']],
    [
      'fees out of bounds',
      { ...merchant(), fees: { minimumDiscountAmount: 501 } },
      ['fees.minimumDiscountAmount: '],
    ],
    [
      'an id beside a name',
      { ...merchant(), agent: 'Harbor Agents' },
      ['agent: is given beside agentProfileId'],
    ],
    [
      'a key that is an SSN',
      { ...merchant(), externalId: '000-12-3456' },
      ['externalId: looks like a social'],
    ],
  ])('names %s, exits 2 and starts nothing', async (_, input, problems) => {
    const { code, stdout, stderr } = await gangway(['board', await file(input)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const problem of problems) expect(stderr).toContain(`  ${problem}`);
    expect(await rig.sandbox.ledger({ guid: input.externalId })).toEqual([]);
  });

  it('says what is wrong with a file that is not there, or not JSON, without quoting it', async () => {
    const missing = await gangway(['board', '/nowhere/merchant.json']);
    expect(missing).toEqual({
      code: 2,
      stdout: '',
      stderr: '/nowhere/merchant.json: cannot be read (ENOENT)\n',
    });
    const path = await file('{"ssn": 000-12-3456}');
    expect(await gangway(['board', path])).toEqual({ code: 2, stdout: '', stderr: `${path}: is not JSON\n` });
  });
});

describe('gangway status', () => {
  it('prints just the answer of query state with --json, by workflow id or externalId', async () => {
    const { boarding, externalId } = await waiting();
    const state = await boarding.state();
    for (const id of [externalId, `merchant-boarding-${externalId}`]) {
      expect(jsonLines(await gangway(['status', id, '--json']))).toEqual([state]);
    }
  });

  it('shows a person the facts, the open requirements and the timeline', async () => {
    const { externalId, id } = await waiting();
    const { stdout, code } = await gangway(['status', externalId]);
    expect(code).toBe(0);
    for (const part of [
      'underwriting',
      'Pending',
      id,
      'voided check',
      'takes: text, documents',
      'merchant-created',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('says so when there is no such onboarding', async () => {
    const { code, stderr } = await gangway(['status', 'nobody']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'there is no onboarding "nobody"\n' });
    expect((await gangway(['status', 'close-card-x'])).stderr).toBe('there is no workflow "close-card-x"\n');
  });
});

describe('gangway list and inbox', () => {
  it('find what waits for a person, by agent profile too, and what it waits for', async () => {
    const { externalId } = await waiting();
    const workflowId = `merchant-boarding-${externalId}`;
    const listed = jsonLines(await gangway(['list', '--action-required', '--agent', '101', '--json']));
    expect(listed.find((row) => row['workflowId'] === workflowId)).toMatchObject({
      state: 'running',
      stage: 'underwriting',
      partnerStatus: 'Pending',
      merchantProfileId: expect.stringMatching(/^\d+$/),
      agentProfileId: '101',
      actionRequired: true,
    });
    const ofOther = jsonLines(await gangway(['list', '--agent', '102', '--json']));
    expect(ofOther.map((row) => row['workflowId'])).not.toContain(workflowId);
    const items = jsonLines(await gangway(['inbox', '--json'])).filter(
      (item) => item['workflowId'] === workflowId,
    );
    expect(items.map(({ kind, overdue }) => ({ kind, overdue }))).toEqual([
      { kind: 'underwriting-note', overdue: false },
      { kind: 'underwriting-note', overdue: false },
    ]);
    expect((await gangway(['inbox'])).stdout).toContain(
      'Please send a voided check for the deposit account.',
    );
    expect(
      jsonLines(await gangway(['inbox', '--overdue', '--json'])).map((item) => item['workflowId']),
    ).not.toContain(workflowId);
  });

  it('name the boardings that no worker answers for, and show the others', async () => {
    const abandoned = await createRig({
      ...beside(rig),
      payloadKeys: rig.env['PAYLOAD_KEYS'] ?? '',
      worker: false,
    });
    try {
      const worker = await abandoned.startWorker();
      const boarding = await abandoned.board(merchant('notes'));
      await boarding.requirement('underwriting-note');
      await worker.stop();
      const { externalId } = await waiting();
      const { code, stdout, stderr } = await gangway(['inbox']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^no worker answers for .*${boarding.workflowId}.*: is one running?`),
      );
      expect(stdout).toContain(externalId);
    } finally {
      await abandoned.close();
    }
  });

  it('name the boardings that are encrypted with another key, and show the others', async () => {
    const other = await createRig(beside(rig));
    try {
      const boarding = await other.board(merchant('notes'));
      await boarding.requirement('underwriting-note');
      const { externalId } = await waiting();
      const { code, stdout, stderr } = await gangway(['inbox']);
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^the key is not in PAYLOAD_KEYS for .*${boarding.workflowId}`, 'm'));
      expect(stdout).toContain(externalId);
      expect(await gangway(['status', boarding.workflowId])).toEqual({
        code: 1,
        stdout: '',
        stderr: `${boarding.workflowId} cannot be read: its key is not in PAYLOAD_KEYS\n`,
      });
    } finally {
      await other.close();
    }
  });

  it('take a stage and a query, and quote what they are given', async () => {
    const declined = await rig.board(merchant('declined'));
    await declined.outcome();
    const { stdout } = await gangway([
      'list',
      '--stage',
      'declined',
      '--query',
      "PartnerStatus = 'Declined'",
    ]);
    expect(stdout).toContain(declined.workflowId);
    expect(jsonLines(await gangway(['list', '--stage', "declined' OR ''='", '--json']))).toEqual([]);
  });
});

describe('gangway resolve', () => {
  it('answers with text and documents, as who and why', async () => {
    const { boarding, externalId } = await waiting();
    const [check, share] = (await boarding.state()).requirements;
    const scan = join(rig.documentDir, 'scan.pdf');
    await mkdir(rig.documentDir, { recursive: true });
    await writeFile(scan, '%PDF-1.7');
    const first = [
      'resolve',
      externalId,
      check?.id ?? '',
      '--document',
      scan,
      '--actor',
      'olga',
      '--reason',
      'called',
    ];
    expect(jsonLines(await gangway([...first, '--json']))).toMatchObject([
      { requirementId: check?.id, open: 1 },
    ]);
    const second = await gangway(['resolve', externalId, share?.id ?? '', '--text', 'One in ten.']);
    expect(second).toEqual({ code: 0, stdout: `${share?.id} resolved; 0 still open\n`, stderr: '' });
    await boarding.outcome();
    const { timeline, merchantProfileId = 0 } = await boarding.state();
    const resolved = timeline.find(({ detail }) => detail === `${check?.id}: documents`);
    expect(resolved).toMatchObject({ actor: 'olga', reason: 'called' });
    const { attachments } = await rig.sandbox.merchant(merchantProfileId);
    expect(attachments).toMatchObject([{ fileName: 'scan.pdf', contentType: 'application/pdf', bytes: 8 }]);
  });

  it.each([
    ['no answer', [], 'give exactly one of --text'],
    ['two answers', ['--text', 'a', '--retry'], 'give exactly one of --text'],
    ['a decision without a reason', ['--abandon'], '--abandon needs --reason'],
    ['a document that is not there', ['--document', '/nowhere.pdf'], '/nowhere.pdf: cannot be read (ENOENT)'],
    ['a patch that is not JSON', ['--patch', '{'], '--patch: is not JSON'],
    ['a patch that is no object', ['--patch', '[]'], '--patch: must be a JSON object'],
    ['an answer of the wrong kind', ['--adopt', '1', '--reason', 'x'], 'takes text, documents, abandon'],
    ['an unknown option', ['--txt', 'a'], "unknown option '--txt'"],
  ])('refuses %s, says why, exits 2', async (_, args, why) => {
    const { externalId, id } = await waiting();
    const { code, stdout, stderr } = await gangway(['resolve', externalId, id, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it('names the open requirements when the given one is not among them', async () => {
    const { externalId, id } = await waiting();
    const { code, stderr } = await gangway(['resolve', externalId, 'note-1', '--text', 'x']);
    expect(code).toBe(2);
    expect(stderr).toContain(`no requirement "note-1" is open; open: ${id}`);
  });
});

describe('gangway watch, nudge and cancel', () => {
  it('watch shows the timeline until the end', async () => {
    const boarding = await rig.board(merchant());
    const { code, stdout } = await gangway(['watch', boarding.workflowId, '--json']);
    expect(code).toBe(0);
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual(await boarding.events());
  });

  it('nudge makes it read now, or says that there is nothing to read', async () => {
    const { externalId } = await waiting();
    const { code, stdout } = await gangway(['nudge', externalId]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `merchant-boarding-${externalId} reads its status now\n`,
    });
    const ended = await rig.board(merchant('declined'));
    await ended.outcome();
    expect((await gangway(['nudge', ended.workflowId])).code).toBe(1);
  });

  it('cancel stops it, once', async () => {
    const { boarding, externalId } = await waiting();
    expect((await gangway(['cancel', externalId])).stdout).toContain('is asked to stop');
    await expect(boarding.outcome()).rejects.toThrow();
    const again = await gangway(['cancel', externalId]);
    expect(again).toMatchObject({ code: 1, stderr: `merchant-boarding-${externalId} has ended already\n` });
    expect(await gangway(['watch', externalId])).toMatchObject({ code: 1 });
  });
});

describe('gangway setup and doctor', () => {
  it('setup may be run again', async () => {
    expect((await gangway(['setup'])).stdout).toBe('search attributes: everything was there already\n');
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
      'boarding partner: true',
      'banking partner: true',
      'plant store: true',
      'payments platform: true',
      'processor: true',
      'document store: true',
      'statement store: true',
    ]);
    expect(result.code).toBe(0);
  });

  it('doctor names each thing that is not', async () => {
    const wrong = { BOARDING_PASSWORD: 'wrong', GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
    const { code, stdout, stderr } = await runGangway({ ...rig.env, ...wrong }, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +workers +none polls task queue nobody-polls-this/);
    expect(stdout).toMatch(/!! +boarding partner +.*Unauthorized, HTTP 401/);
    expect(stderr).toMatch(/^2 of \d+ checks failed\n$/);
  });

  it('doctor says what is off without the banking partner, and fails for no other reason', async () => {
    const off = await runGangway({ ...rig.env, BANKING_URL: '' }, ['doctor', '--json']);
    expect(jsonLines(off).find(({ check }) => check === 'banking partner')).toEqual({
      check: 'banking partner',
      ok: true,
      detail: 'off: BANKING_URL is not set, so no businesses, customers, cards, statements and lists',
    });
    expect(off.code).toBe(0);
  });

  it('doctor tries the other systems that are on, and writes to none', async () => {
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
      { check: 'plant store', ok: true, detail: `${url} knows us` },
      { check: 'payments platform', ok: true, detail: `${url} knows us, and is uat` },
      { check: 'processor', ok: true, detail: `${url}, not tried: nothing can be read` },
    ]);
    const wrong = { ...on, PLANT_STORE_TOKEN: 'guess', PAYMENTS_API_KEY: 'guess' };
    const { code, stdout } = await runGangway({ ...rig.env, ...wrong }, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +plant store +.*Rejected, HTTP 400/);
    expect(stdout).toMatch(/!! +payments platform +.*Unauthorized, HTTP 401/);
    const written = new Set((await rig.sandbox.ledger()).map(({ system }) => system));
    expect([...written].filter((system) => !['boarding', 'banking'].includes(system))).toEqual([]);
  });

  it('doctor finds a folder that cannot be used', async () => {
    const bad = { ...rig.env, STATEMENT_DIR: '/dev/null/statements' };
    const { code, stdout } = await runGangway(bad, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/!! +statement store +.*(ENOTDIR|EEXIST|ENOENT)/);
  });
});

describe('gangway in trouble', () => {
  it('says in one line that Temporal is away', async () => {
    const away = { ...rig.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    expect(await runGangway(away, ['list'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'cannot reach Temporal at 127.0.0.1:1 (TEMPORAL_ADDRESS)\n',
    });
  });

  it.each([
    [{ BOARDING_URL: 'http://partner.example.com' }, 'BOARDING_URL: must be https (http only to loopback)\n'],
    [{ GANGWAY_POLL_MIN: 'soon' }, 'GANGWAY_POLL_MIN: must be a duration such as 200ms, 1m or 1h\n'],
    [{ BOARDING_PASSWORD: '' }, 'BOARDING_PASSWORD: is not set\n'],
    [
      { BOARDING_PASSWORD_FILE: '/nowhere' },
      'BOARDING_PASSWORD_FILE: is set beside BOARDING_PASSWORD; set one of the two\n',
    ],
  ])('stops at a bad setting with one line that names it: %o', async (settings, stderr) => {
    expect(await runGangway({ ...rig.env, ...settings }, ['list'])).toEqual({ code: 2, stdout: '', stderr });
  });

  it('shows its commands under headings', async () => {
    const { code, stdout } = await gangway(['--help']);
    expect(code).toBe(0);
    const headings = [...stdout.matchAll(/^(\S.*):\n((?: {2}.*\n)+)/gm)].map(([, heading, commands = '']) => [
      heading,
      ...[...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name),
    ]);
    expect(headings.slice(1)).toEqual([
      ['Take aboard', 'board', 'onboard-business', 'onboard', 'batch'],
      [
        'Follow, and answer what the partners ask',
        ...['status', 'list', 'inbox', 'resolve', 'watch', 'nudge', 'cancel', 'events'],
      ],
      [
        'Single operations at the bank',
        ...['close-card', 'card-nickname', 'change-address', 'restore-sub-user'],
        ...['ensure-webhooks', 'statement', 'show'],
      ],
      ['Anything else a partner can do', 'call'],
      ['Set up, and help', 'setup', 'keys', 'doctor', 'help'],
    ]);
  });

  it('shows help with 0, and an unknown command with 2', async () => {
    expect((await gangway(['board', '--help'])).code).toBe(0);
    expect(await gangway(['bord'])).toMatchObject({ code: 2 });
  });
});

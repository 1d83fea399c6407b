import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gangway, startGangway } from '../../rigs/command.js';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
let folder: string;
beforeAll(async () => {
  rig = await createRig();
  folder = await mkdtemp(join(tmpdir(), 'gangway-call-'));
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (args: readonly string[], input?: string, env: Record<string, string> = {}) =>
  gangway({ ...rig.env, ...env }, ['call', ...args], input);

/** A merchant at the partner, made by `gangway call`. */
async function createMerchant(): Promise<number> {
  const request = {
    ...{ dba: 'Corner Bakery', firstName: 'Ada', lastName: 'Baker', email: 'ada@example.com' },
    ...{ cashDiscount: 'No', pos: 'None', agentProfileId: 101, boardingSettingsId: 11 },
  };
  const { stdout } = await call(['boarding', 'create-merchant', JSON.stringify(request), '--yes', '--json']);
  return (JSON.parse(stdout) as { merchantProfileId: number }).merchantProfileId;
}

describe('the help of gangway call', () => {
  it('lists the systems', async () => {
    const { code, stdout } = await call([]);
    expect(code).toBe(0);
    for (const line of [
      /boarding +Merchant boarding, 15 operations/,
      /banking +Banking, 44 operations/,
      /plant-store +Plant store, 3 operations/,
      /payments +Payments platform, 39 operations/,
      /processor +Processor webhook, 1 operations/,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  it('lists the fields of a request with their rules', async () => {
    const { code, stdout } = await call(['banking', 'close-card', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/It\s+cannot be undone\./);
    expect(stdout).toMatch(/paymentCardId +yes +string/);
    expect(stdout).toMatch(/notes +string +at most 600 characters/);
  });

  it.each([
    [['payment'], `unknown system 'payment'; did you mean payments?\n`],
    [['partner'], `unknown system 'partner'; "gangway call" lists them\n`],
    [['banking', 'foo'], `unknown operation 'foo'; "gangway call banking" lists them\n`],
  ])('%s is unknown', async (args, stderr) => {
    expect(await call(args)).toEqual({ code: 2, stdout: '', stderr });
  });
});

describe('a call', () => {
  it('is made by a worker, and prints the response of the partner', async () => {
    const { code, stdout, stderr } = await call(['boarding', 'list-agent-profiles']);
    expect({ code, stderr: stderr.replace(/call-\S+/, 'ID') }).toEqual({
      code: 0,
      stderr: 'private fields are redacted; "gangway call response ID --reveal" shows them\n',
    });
    const [first] = JSON.parse(stdout) as Record<string, unknown>[];
    expect(first).toMatchObject({ id: 101, email: '[Redacted]' });
    const id = /call-\S+/.exec(stderr)?.[0] ?? '';
    const activity = await rig.client.activity.getHandle(id).describe();
    expect(activity).toMatchObject({ activityType: 'callPartner', taskQueue: `${rig.taskQueue}-boarding` });
    const again = await call(['response', id, '--reveal', '--json']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const [revealed] = JSON.parse(again.stdout) as Record<string, unknown>[];
    expect(revealed?.['email']).toMatch(/@example\.com$/);
  });

  it('takes its request as an argument, from a file, and from standard input', async () => {
    const id = await createMerchant();
    const request = JSON.stringify({ id });
    const file = join(folder, 'request.json');
    await writeFile(file, request);
    const expected = { code: 0, stderr: '' };
    const status = expect.stringContaining('"status": "Not Submitted"');
    expect(await call(['boarding', 'get-status', request])).toMatchObject({ ...expected, stdout: status });
    expect(await call(['boarding', 'get-status', `@${file}`])).toMatchObject({ ...expected, stdout: status });
    expect(await call(['boarding', 'get-status', '-'], request)).toMatchObject({
      ...expected,
      stdout: status,
    });
    expect(await call(['boarding', 'get-status', request, '--local'])).toMatchObject({
      ...expected,
      stdout: status,
    });
  });

  it('with an invalid request names every field and costs no partner call', async () => {
    const proxy = await countingProxy(rig.sandbox.url);
    const wrong = ['banking', 'change-address', '{"city":"","state":99}', '--local'];
    expect(await call(wrong, '', { BANKING_URL: proxy.url })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^request: is not valid; nothing was sent\n(?=[\s\S]* {2}city: must not be empty\n)(?=[\s\S]* {2}state: )/,
      ),
    });
    expect(proxy.seen()).toEqual([]);
  });

  it.each([
    ['{', 'request: is not JSON: line 1, column 2: the text ends early\n'],
    ['[]', 'request: must be a JSON object\n'],
    ['@nowhere.json', 'nowhere.json: cannot be read (ENOENT): there is no such file\n'],
  ])('with request %s is rejected', async (request, stderr) => {
    expect(await call(['boarding', 'get-status', request])).toEqual({ code: 2, stdout: '', stderr });
  });

  it('that cannot be undone is confirmed, or not made', async () => {
    const refused = await call(['banking', 'close-card', '{"paymentCardId":"card-1001"}']);
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Close a card permanently: this cannot be undone.\nNothing was done: without a terminal, confirm it with --yes\n',
    });
    const args = ['call', 'banking', 'close-card', '{"paymentCardId":"card-1001"}'];
    const question = 'Close a card permanently: this cannot be undone. Continue? [y/N] ';
    const typed = async (answer: string) => {
      const command = startGangway(rig.env, args, { terminal: true });
      await command.says(question);
      command.type(answer);
      return command.finished;
    };
    expect(await typed('no')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${question}not confirmed; nothing was done\n`,
    });
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toEqual([]);
    expect((await typed('yes')).code).toBe(0);
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toHaveLength(1);
  });

  it('sends files, through the document store', async () => {
    const id = await createMerchant();
    const file = join(folder, 'check.txt');
    await writeFile(file, 'voided');
    const upload = (more: string[]) =>
      call(['boarding', 'upload-attachment', JSON.stringify({ id, file: `@${file}` }), ...more]);
    expect(await upload([])).toMatchObject({ code: 0 });
    expect(await upload(['--local'])).toMatchObject({ code: 0 });
    const { attachments } = await rig.sandbox.merchant(id);
    expect(attachments).toMatchObject([{ fileName: 'check.txt' }, { fileName: 'check.txt' }]);
  });

  it('whose response is a file saves it, readable by its owner only', async () => {
    const request = JSON.stringify({
      period: '2026-01-01T00:00:00Z',
      financialAccountId: 'fa-501-1',
      fileFormat: 'CSV',
    });
    for (const [output, more] of [
      [join(folder, 'worker.csv'), []],
      [join(folder, 'local.csv'), ['--local']],
    ] as const) {
      const args = ['banking', 'generate-statement', request, '--output', output, '--json', ...more];
      const { code, stdout, stderr } = await call(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ saved: output });
      expect((await stat(output)).mode & 0o777).toBe(0o600);
      expect((await readFile(output, 'utf8')).length).toBeGreaterThan(10);
      const taken = await call(args);
      expect(taken).toMatchObject({ code: 1, stderr: `${output}: cannot be written (EEXIST)\n` });
    }
  });

  it('is repeated by its worker only when that is safe', async () => {
    await rig.sandbox.plan('500-before-commit', 'list-terminals', { times: 2 });
    expect(await call(['payments', 'list-terminals'])).toMatchObject({ code: 0 });
    const before = (await rig.sandbox.ledger({ operation: 'create-ticket' })).length;
    await rig.sandbox.plan('500-after-commit', 'create-ticket');
    const { code, stderr } = await call(['banking', 'create-ticket', '{"text":"where is my card"}']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^the banking partner sent no clear response: HTTP 500/),
    });
    expect(await rig.sandbox.ledger({ operation: 'create-ticket' })).toHaveLength(before + 1);
  });

  it('to production needs a confirmation', async () => {
    const env = { PAYMENTS_ENVIRONMENT: 'production' };
    const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
    const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address };
    const args = ['payments', 'create-account', JSON.stringify(account), '--local'];
    expect(await call(args, '', env)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'create-account writes to production: confirm it with --production\n',
    });
    expect((await call([...args, '--production'], '', env)).code).toBe(0);
    // Also where a repetition does no harm.
    const ended = await call(['payments', 'delete-api-key', '{"apikey_id":"1"}', '--local'], '', env);
    expect(ended).toMatchObject({
      code: 2,
      stderr: 'delete-api-key writes to production: confirm it with --production\n',
    });
  });

  it('of a system that is off reports the missing setting', async () => {
    expect(await call(['plant-store', 'list-plants', '--local'], '', { PLANT_STORE_URL: '' })).toEqual({
      code: 4,
      stdout: '',
      stderr: 'the plant-store partner could not be reached: PLANT_STORE_URL is not set\n',
    });
  });

  it('that needs a one-time code names who answers it, and exits with 3', async () => {
    // An account has one workflow for all task queues.
    const other = await createRig({ bankingUser: 'mfa', ownNamespace: true });
    onTestFinished(() => other.close());
    const { code, stdout, stderr } = await gangway(other.env, ['call', 'banking', 'list-departments']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(
      'the banking partner requires a one-time code to sign in: answer its requirement ("gangway inbox"), or set BANKING_TOTP_SECRET',
    );
  });
});

describe('Ctrl-C', () => {
  it('leaves the call to its worker, and prints how to get the response', async () => {
    await rig.sandbox.plan('delay', 'list-terminals', { milliseconds: 3_000 });
    const command = startGangway(rig.env, ['call', 'payments', 'list-terminals', '--json']);
    const pending = `ActivityType = 'callPartner' AND TaskQueue = '${rig.taskQueue}-payments' AND ExecutionStatus = 'Running'`;
    await eventually(
      async () => (await rig.client.activity.count(pending)).count,
      (count) => count > 0,
      'the call',
    );
    command.kill('SIGINT');
    const { code, stderr } = await command.finished;
    const id = /call-payments-list-terminals-[\w-]+/.exec(stderr)?.[0] ?? '';
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: `the call continues; "gangway call response ${id}" waits for its response\n`,
    });
    expect(await call(['response', id])).toMatchObject({ code: 0, stderr: '' });
  });
});

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { answered, gangway, startGangway } from '../../../rigs/command.js';
import { business } from '../../../rigs/inputs.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await createRig();
afterEach(() => rig.clear());
const folder = await mkdtemp(join(tmpdir(), 'gangway-call-'));
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (args: readonly string[], input?: string, env: Record<string, string> = {}) =>
  gangway({ ...rig.env, ...env }, ['call', ...args], input);

/** A merchant at the partner, made by `gangway call`. */
async function createMerchant(): Promise<number> {
  const request = {
    dba: 'Corner Bakery',
    firstName: 'Ada',
    lastName: 'Baker',
    email: 'ada@example.com',
    cashDiscount: 'No',
    pos: 'None',
    agentProfileId: 101,
    boardingSettingsId: 11,
  };
  const { stdout } = await call(['boarding', 'create-merchant', JSON.stringify(request), '--yes', '--json']);
  return (JSON.parse(stdout) as { merchantProfileId: number }).merchantProfileId;
}

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

  it('has the credentials of the worker, or with --local those of the command', async () => {
    const env = { BOARDING_PASSWORD: 'wrong' };
    expect(await call(['boarding', 'list-agent-profiles'], '', env)).toMatchObject({ code: 0 });
    expect(await call(['boarding', 'list-agent-profiles', '--local'], '', env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the boarding partner rejected our credentials (401)'),
    });
  });

  it('takes its request as an argument, from a file, and from standard input, also with --local', async () => {
    const request = JSON.stringify({ id: await createMerchant() });
    const file = join(folder, 'request.json');
    await writeFile(file, request);
    for (const [args, input] of [
      [[request]],
      [[`@${file}`]],
      [['-'], request],
      [[request, '--local']],
    ] as const)
      expect(await call(['boarding', 'get-status', ...args], input)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"status": "Not Submitted"'),
        stderr: '',
      });
  });

  it('that cannot be undone is confirmed, or not made', async () => {
    const refused = await call(['banking', 'close-card', '{"paymentCardId":"card-1001"}']);
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Close a card permanently: this cannot be undone.\nNothing was done: without a terminal, confirm it with --yes\n',
    });
    const question = 'Close a card permanently: this cannot be undone. Continue? [y/N] ';
    const closing = ['call', 'banking', 'close-card', '{"paymentCardId":"card-1001"}'];
    expect(await answered(rig.env, closing, 'no')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${question}not confirmed; nothing was done\n`,
    });
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toEqual([]);
    expect((await answered(rig.env, closing, 'yes')).code).toBe(0);
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toHaveLength(1);
  });

  it('sends files, through the document store or with --local, and refuses those that the console refuses', async () => {
    const id = await createMerchant();
    const file = join(folder, 'check.txt');
    await writeFile(file, 'voided');
    const page = join(folder, 'check.pdf');
    await writeFile(page, '<!doctype html>');
    expect(await call(['boarding', 'upload-attachment', JSON.stringify({ id, file: `@${page}` })])).toEqual({
      code: 2,
      stdout: '',
      stderr: `file: ${page}: does not match its name.\n`,
    });
    for (const more of [[], ['--local']])
      expect(
        await call(['boarding', 'upload-attachment', JSON.stringify({ id, file: `@${file}` }), ...more]),
      ).toMatchObject({ code: 0 });
    const { attachments } = await rig.sandbox.merchant(id);
    expect(attachments).toMatchObject([{ fileName: 'check.txt' }, { fileName: 'check.txt' }]);
  });

  it.each([[[]], [['--local']]])('whose response is a file saves it for its owner only: %j', async (more) => {
    const period = '2026-01-01T00:00:00Z';
    const request = JSON.stringify({ period, financialAccountId: 'fa-501-1', fileFormat: 'CSV' });
    const output = join(folder, `statement${more.length}.csv`);
    const args = ['banking', 'generate-statement', request, '--output', output, '--json', ...more];
    const { code, stdout, stderr } = await call(args);
    expect([code, JSON.parse(stdout), stderr]).toMatchObject([0, { saved: output }, '']);
    expect((await stat(output)).mode & 0o777).toBe(0o600);
    expect((await readFile(output, 'utf8')).length).toBeGreaterThan(10);
    expect(await call(args)).toMatchObject({ code: 1, stderr: `${output}: cannot be written (EEXIST)\n` });
  });

  it('is repeated by its worker only when that is safe', async () => {
    await rig.sandbox.plan('500-before-commit', 'list-terminals', { times: 2 });
    expect(await call(['payments', 'list-terminals'])).toMatchObject({ code: 0 });
    await rig.sandbox.plan('500-after-commit', 'create-ticket');
    expect(await call(['banking', 'create-ticket', '{"text":"where is my card"}'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^the banking partner sent no clear response: HTTP 500/),
    });
    expect(await rig.sandbox.ledger({ operation: 'create-ticket' })).toHaveLength(1);
  });

  it('to production needs a confirmation', async () => {
    const env = { PAYMENTS_ENVIRONMENT: 'production' };
    const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
    const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address };
    const args = ['payments', 'create-account', JSON.stringify(account), '--local'];
    // Even where a repetition does no harm.
    for (const each of [args, ['payments', 'delete-api-key', '{"apikey_id":"1"}', '--local']])
      expect(await call(each, '', env)).toEqual({
        code: 2,
        stdout: '',
        stderr: `${each[1]} writes to production: confirm it with --production\n`,
      });
    expect((await call([...args, '--production'], '', env)).code).toBe(0);
  });
});

it('Ctrl-C leaves the call to its worker, and prints how to get the response', async () => {
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

const table = (...args: string[]) => gangway(rig.env, ['call', 'banking', ...args, '--table']);

describe('gangway call --table', () => {
  it('prints the records of a list, with the fields of the partner by their paths', async () => {
    const { code, stdout, stderr } = await table('list-departments');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ID +NAME +DESCRIPTION +CREATOR\.ID +CREATOR\.NAME +AUTHORIZEDUSERCOUNT\n31 +Operations +Day-to-day payments +11 +sandbox +0\n32 /,
    );
    const csv = await gangway(rig.env, ['call', 'banking', 'list-departments', '--csv']);
    expect(csv.stdout.split('\r\n')).toEqual([
      'id,name,description,creator.id,creator.name,authorizedUserCount',
      '31,Operations,Day-to-day payments,11,sandbox,0',
      '32,Finance,Books and statements,11,sandbox,1',
      '',
    ]);
  });

  it('prints the list in a response that is named, with times as the partner wrote them', async () => {
    const activityOf = (profileId: number, list = 'activity') =>
      table('get-external-account-activity', JSON.stringify({ profileId }), '--list', list);
    expect((await activityOf(501)).stdout).toMatch(/\nexternal-1 .*2026-01-05T09:00:00Z/);
    expect((await activityOf(502)).stdout).toBe('none\n');
    expect(await activityOf(501, 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the response has no list "x"; its lists: .*activity/),
    });
  });

  it('prints tickets without their terminal control characters, and a response without a list as one record', async () => {
    const waiting = await rig.onboardBusiness(business('ticket'));
    await waiting.requirement('ticket');
    const { profileId = 0 } = await waiting.state();
    await rig.sandbox.transitionProfile(profileId, { tickets: [{ text: 'Call \u001b[2J\u009bus.' }] });
    expect((await table('list-new-tickets')).stdout).toMatch(/\n\d+ .* Call \[2Jus\./);
    const profile = await table('get-profile', JSON.stringify({ id: profileId }));
    expect(profile.stdout.split('\n')).toHaveLength(3);
    await waiting.handle.terminate();
  });
});

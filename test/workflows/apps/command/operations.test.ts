import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { inputFile } from '../../../rigs/commands/files.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

// The workflow IDs of operations contain IDs of the sandbox, which other files use as well.
const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);
const file = (content: unknown) => inputFile(rig, content);
const writes = async (operation: string) => (await rig.sandbox.ledger({ operation })).length;
const anyRun = { runId: expect.any(String), url: expect.stringContaining('/workflows/') };

describe('gangway close-card', () => {
  it('closes a card once, however often it is called', async () => {
    const args = ['close-card', 'card-1001', '--last4', '1001', '--notes', 'lost in the post', '--yes'];
    const workflowId = 'operation-close-card-card-1001';
    const first = await gangway([...args, '--json']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(first)).toEqual([
      { workflowId, ...anyRun, started: true },
      { workflowId, outcome: 'done', paymentCardId: 'card-1001' },
    ]);
    const { code, stdout, stderr } = await gangway(args);
    const [attached, , outcome] = stdout.split('\n');
    expect([code, stderr, attached, outcome]).toEqual([
      0,
      '',
      `already started: ${workflowId}`,
      `${workflowId} done: card card-1001 is closed for good`,
    ]);
    expect(jsonLines(await gangway([...args, '--no-wait', '--json']))).toMatchObject([
      { started: false },
      { outcome: 'done' },
    ]);
    expect(await writes('close-card')).toBe(1);
  });

  it('prints the requirement and how to answer it, and keeps waiting', async () => {
    const workflowId = 'operation-close-card-card-1003';
    await rig.sandbox.plan('500-before-commit', 'close-card');
    const closing = startGangway(rig.env, ['close-card', 'card-1003', '--last4', '1003', '--yes']);
    for (const said of [
      `Ctrl-C ends the wait, not the operation; "gangway watch ${workflowId}" follows it again\n`,
      `${workflowId} has an open requirement:\n  uncertain-write-1 (uncertain-write, waiting `,
      '    Outcome unknown: close the card\n',
      `    gangway resolve ${workflowId} uncertain-write-1 --confirm ID --reason WHY\n`,
      `    gangway resolve ${workflowId} uncertain-write-1 --abandon --reason WHY\n`,
    ])
      await closing.says(said);
    await gangway(['resolve', workflowId, 'uncertain-write-1', '--retry', '--reason', 'looked']);
    const stdout = expect.stringContaining(`${workflowId} done: card card-1003 is closed for good\n`);
    expect(await closing.finished).toMatchObject({ code: 0, stdout });
  });
});

describe('gangway change-address', () => {
  const home = { streetAddress: '27 Harbor Road', postalCode: '12207', city: 'Albany', state: 33 };

  it('changes it each time, and once for the same --id', async () => {
    const path = await file(home);
    const [started, outcome] = jsonLines(await gangway(['change-address', path, '--json']));
    expect(outcome).toEqual({ workflowId: started?.['workflowId'], outcome: 'done' });
    expect(started?.['workflowId']).toMatch(/^operation-change-address-[0-9a-f-]{36}$/);
    const [another] = jsonLines(await gangway(['change-address', path, '--json']));
    expect(another).toMatchObject({ started: true });
    const one = ['change-address', '-', '--id', 'move-1', '--json'];
    await gangway(one, JSON.stringify(home));
    const [same] = jsonLines(await gangway(one, JSON.stringify(home)));
    expect(same).toMatchObject({ workflowId: 'operation-change-address-move-1', started: false });
    expect(await writes('change-address')).toBe(3);
  });

  it('asks a person at the terminal for the code, and for another one when that was wrong', async () => {
    const args = ['change-address', 'examples/address-change.json', '--id', 'move-5'];
    const running = startGangway(rig.env, args, { terminal: true });
    await running.says('one-time-code-1 (');
    await running.says('code (empty to answer later): ');
    running.type('111111');
    await running.says('one-time-code-2 (');
    // An answer counts once its own question is there.
    await expect.poll(() => running.stderr().match(/code \(empty to answer later\): /g)).toHaveLength(2);
    running.type('000000');
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('operation-change-address-move-5 done: the address is changed\n');
    const { timeline } = await new Onboarding(rig.client, 'operation-change-address-move-5').state();
    expect(timeline.filter(({ reason }) => reason === 'answered at the prompt')).toHaveLength(2);
  });

  it('abandoned is reported again for the same key, and started again with --again', async () => {
    const args = ['change-address', 'examples/address-change.json', '--id', 'move-4', '--json'];
    const workflowId = 'operation-change-address-move-4';
    const first = startGangway(rig.env, args);
    await first.says('one-time-code-1');
    const abandon = ['--abandon', '--reason', 'no phone'];
    await gangway(['resolve', workflowId, 'one-time-code-1', ...abandon]);
    const { code, stdout } = await first.finished;
    expect(code).toBe(1);
    expect(stdout).toContain(`{"workflowId":"${workflowId}","outcome":"abandoned","comment":"no phone"}\n`);
    const again = await gangway(args);
    expect(again).toMatchObject({
      code: 1,
      stderr: `${workflowId} abandoned: no phone; start it again with --again\n`,
    });
    expect(jsonLines(again)).toMatchObject([{ started: false }, { outcome: 'abandoned' }]);
    const second = await gangway([...args, '--again', '--no-wait']);
    expect(jsonLines(second)).toMatchObject([{ started: true }]);
    await rig.client.workflow.getHandle(workflowId).terminate();
  });
});

it('gangway card-nickname sets and clears it each time', async () => {
  const set = ['card-nickname', 'card-1004', 'Fuel'];
  const [started, outcome] = jsonLines(await gangway([...set, '--json']));
  expect(started?.['workflowId']).toMatch(/^operation-card-nickname-card-1004-[0-9a-f]{16}$/);
  const { workflowId } = started ?? {};
  expect(outcome).toEqual({ workflowId, outcome: 'done', paymentCardId: 'card-1004', last4: '1004' });
  const again = await gangway(set);
  expect(again.stdout).toMatch(/^started /);
  expect(again.stdout).toContain('done: card card-1004, which ends in 1004, is called "Fuel"\n');
  const cleared = await gangway(['card-nickname', 'card-1004', '--clear']);
  expect(cleared.stdout).toContain('done: card card-1004, which ends in 1004, has no nickname\n');
  expect(await writes('set-card-nickname')).toBe(3);
});

it('gangway restore-sub-user restores one; a second time the partner rejects it', async () => {
  const first = await gangway(['restore-sub-user', '71', '--json']);
  const workflowId = 'operation-restore-sub-user-71';
  expect(jsonLines(first)[1]).toEqual({ workflowId, outcome: 'done', subUserId: 71 });
  const message = 'no deleted or inactive sub-user 71';
  expect(await gangway(['restore-sub-user', '71'])).toMatchObject({
    code: 1,
    stderr: `${workflowId} rejected:\n  ${message}\n`,
  });
  // A rejected one starts again without --again.
  const again = jsonLines(await gangway(['restore-sub-user', '71', '--json']));
  const problems = [{ field: '', message }];
  expect(again).toMatchObject([{ started: true }, { outcome: 'rejected', problems }]);
});

describe('gangway ensure-webhooks', () => {
  const hook = (name: string) => ({
    name,
    url: `https://hooks.example.com/${name}`,
    notificationType: 'Fee',
  });

  it('registers the missing ones, and prints which', async () => {
    const first = await gangway(['ensure-webhooks', await file([hook('a')])]);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/ done: 1 registered\nNAME +TYPE +URL\na +Fee +https:\S+\/a +created/);
    const both = { webhooks: [hook('a'), hook('b')] };
    const [, outcome] = jsonLines(await gangway(['ensure-webhooks', '-', '--json'], JSON.stringify(both)));
    const webhooks = [
      { ...hook('a'), existed: true, id: null },
      { ...hook('b'), existed: false, id: expect.any(Number) },
    ];
    const workflowId = expect.stringMatching(/^operation-ensure-webhooks-[0-9a-f]{16}$/);
    expect(outcome).toEqual({ workflowId, outcome: 'done', webhooks });
  });
});

describe('an operation with a problem', () => {
  it('waits for the partner, and reports why; --timeout ends the wait with 4; it can be canceled', async () => {
    const off = await createRig({ ownNamespace: true, bankingUser: null });
    onTestFinished(() => off.close());
    const restoring = startGangway(off.env, ['restore-sub-user', '73']);
    const naming = startGangway(off.env, ['card-nickname', 'card-1', 'Fuel']);
    const why = `no worker polls task queue ${off.taskQueue}-banking: set BANKING_URL for a worker\n`;
    for (const waiting of [restoring, naming]) await waiting.says(`waiting for the partner: ${why}`);
    naming.timeOut();
    expect((await naming.finished).code).toBe(4);
    expect((await runGangway(off.env, ['cancel', 'operation-restore-sub-user-73', '--yes'])).code).toBe(0);
    const stderr = expect.stringContaining('it was canceled; run the same command to start it again\n');
    expect(await restoring.finished).toMatchObject({ code: 1, stderr });
  });

  it('is in the inbox, and is listed separately from onboardings', async () => {
    const change = [
      'change-address',
      'examples/address-change.json',
      '--id',
      'move-3',
      '--no-wait',
      '--json',
    ];
    expect(jsonLines(await gangway(change))).toHaveLength(1);
    const waiting = new Onboarding(rig.client, 'operation-change-address-move-3');
    await waiting.requirement('one-time-code');
    const query = ['--query', "WorkflowId = 'operation-change-address-move-3'", '--json'];
    expect(jsonLines(await gangway(['list', ...query]))).toEqual([]);
    const [listed] = await eventually(
      async () => jsonLines(await gangway(['list', '--operations', '--action-required', ...query])),
      (lines) => lines.length === 1,
      'the list of operations, which the server writes after the requirement',
    );
    const requirements = [{ kind: 'one-time-code' }];
    expect(listed).toMatchObject({ stage: 'working', state: 'running', requirements });
    expect(jsonLines(await gangway(['inbox', '--json']))).toMatchObject([
      { workflowId: 'operation-change-address-move-3', kind: 'one-time-code', task: 'enter code' },
    ]);
    const { stdout } = await gangway(['status', 'operation-change-address-move-3']);
    expect(stdout).toMatch(/^stage +working$/m);
    await waiting.handle.terminate();
  });
});

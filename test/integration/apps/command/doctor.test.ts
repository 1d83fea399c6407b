import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { listening } from '../../../rigs/listening.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

const rig = await createRig();
afterAll(() => rig.close());

const UNFIT = `the namespace has one of the same name with another type, or as many of the same type as it may have; not registered:
  Dba Keyword
  DbaWords Text
remove one that nobody uses with "temporal operator search-attribute remove --name NAME", or use another namespace; then run "gangway setup" again
`;

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

describe('gangway setup and doctor', () => {
  it('setup is safe to run again, and prints links to views of the Web UI', async () => {
    const env = { ...rig.env, GANGWAY_UI_URL: 'https://temporal.example.com/' };
    const list = 'https://temporal.example.com/namespaces/default/workflows';
    const waiting = `${list}?query=ActionRequired+%3D+true+AND+ExecutionStatus+%3D+%27Running%27+AND+WorkflowType+%21%3D+%27customerOnboarding%27&savedQuery=Waiting+for+a+person`;
    const onboardings = `${list}?query=Dba+IS+NOT+NULL&savedQuery=Onboardings`;
    expect((await runGangway(env, ['setup'])).stdout.split('\n')).toEqual([
      'search attributes: all are already registered',
      'Web UI: open each view once; your browser saves it',
      '  Waiting for a person',
      `    ${waiting}`,
      '  Onboardings',
      `    ${onboardings}`,
      '  In the list, choose the columns Dba, OnboardingStage, ActionRequired, ActionDueAt.',
      '',
    ]);
    const views = [
      { name: 'Waiting for a person', url: waiting },
      { name: 'Onboardings', url: onboardings },
    ];
    expect(jsonLines(await runGangway(env, ['setup', '--json']))).toEqual([{ registered: [], views }]);
    // The server accepts their queries.
    for (const { url } of views)
      await rig.client.workflow.count(new URL(url).searchParams.get('query') ?? '');
  });

  it('doctor finds everything in order', async () => {
    const result = await gangway(['doctor', '--json']);
    const matches = jsonLines(result).filter(({ check }) => check !== 'weak setting');
    expect(matches.map(({ state }) => state)).toEqual(Array(20).fill('ok'));
    expect(matches.at(-1)?.['detail']).toBe(
      'this machine, Temporal, the banking partner, the boarding partner, the payments partner, the plant-store partner: they agree to the minute. Workers are not asked',
    );
    expect(result).toMatchObject({ code: 0, stderr: '' });
    // It has signed in, and written nothing.
    const written = new Set((await rig.sandbox.ledger()).map(({ system }) => system));
    expect([...written].filter((system) => !['boarding', 'banking'].includes(system))).toEqual([]);
  });

  it('doctor prints a line for each finding, marked, and one for its fix', async () => {
    const { url } = rig.sandbox;
    const broken = { BANKING_URL: '', STATEMENT_DIR: '/dev/null/statements', BOARDING_PASSWORD: 'guess' };
    const env = { ...rig.env, ...broken };
    const { code, stdout, stderr } = await runGangway(env, ['doctor']);
    const text = stdout
      .replace(/(?<=server |workers: )[\d.]+/g, '#')
      .replaceAll(rig.taskQueue, 'TASK_QUEUE')
      .replaceAll(rig.client.options.namespace, 'NAMESPACE');
    expect(text.replaceAll(url, 'URL').replaceAll(rig.documentDir, 'DOCUMENTS')).toBe(GOLDEN);
    expect([code, stderr]).toEqual([1, '2 of 20 findings are wrong\n']);
  });

  it('doctor prints what it found while a slow check goes on', async () => {
    const url = `http://${await listening(createServer())}`;
    const doctor = startGangway({ ...rig.env, PAYMENTS_URL: url }, ['doctor']);
    await doctor.printsLines(12);
    expect(doctor.stdout()).toMatch(/^ok +plant store +\S+ accepts our credentials; called list-plants$/m);
    doctor.kill('SIGINT');
    expect(await doctor.finished).toMatchObject({
      code: 130,
      stdout: expect.not.stringContaining('payments'),
    });
  });
});

/** Golden text, with what differs from run to run replaced. */
const GOLDEN = `\
ok       temporal           server #
ok       namespace          NAMESPACE
ok       server features    it has what Gangway needs: version 1.31.0 or later, standalone activities, updates
ok       search attributes  all registered
ok       workers            polled in the last minute: task queue TASK_QUEUE and 5 of partners and events; workers: #
ok       builds             off: GANGWAY_BUILD_ID is not set, so any worker takes any task
ok       workflow tasks     none fail (the server reports a failing task after a minute)
ok       waits              nothing waits too long for a partner
ok       keys               no workflow of Gangway runs in namespace NAMESPACE
wrong    boarding partner   the boarding partner rejected our credentials (401): correct them in the settings; Unauthorized: Invalid credentials; called list-agent-profiles
                            fix: correct BOARDING_USERNAME, BOARDING_PASSWORD
ok       banking partner    off: BANKING_URL is not set, so businesses, customers, cards, statements and lists are unavailable
ok       plant store        URL accepts our credentials; called list-plants
ok       payments platform  URL accepts our credentials; called list-terminals; environment uat
ok       processor          URL, not checked: it has no read-only operation
ok       document store     DOCUMENTS, which is empty
wrong    statement store    /dev/null/statements: a part of the path is no folder (ENOTDIR)
                            fix: correct STATEMENT_DIR, or the permissions there
ok       webhooks           off: set GANGWAY_PROMETHEUS_URL to see how many changes webhooks bring
ok       fee plans          none: set GANGWAY_FEE_PLANS to let inputs name one
ok       proxy              none: HTTPS_PROXY is not set
ok       clocks             this machine, Temporal, the boarding partner, the payments partner, the plant-store partner: they agree to the minute. Workers are not asked
`;

it('setup names an attribute for which the namespace has no room, and registers the others', async () => {
  const namespace = `full-${randomUUID()}`;
  const { workflowService, operatorService } = rig.client.connection;
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
  const searchAttributes = { NoteOne: 1, NoteTwo: 1, NoteThree: 1, Dba: 3 };
  // The namespace is known everywhere a little later.
  await vi.waitFor(() => operatorService.addSearchAttributes({ namespace, searchAttributes }), 10_000);
  const full = () => runGangway({ ...rig.env, TEMPORAL_NAMESPACE: namespace }, ['setup']);
  expect(await full()).toEqual({ code: 1, stdout: '', stderr: UNFIT });
  // The others are there now.
  expect(await full()).toEqual({ code: 1, stdout: '', stderr: UNFIT });
  for (const name of ['NoteOne', 'Dba'])
    await operatorService.removeSearchAttributes({ namespace, searchAttributes: [name] });
  expect(await full()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('registered Dba, DbaWords'),
  });
});

it('gangway --help shows the commands under headings', async () => {
  const { code, stdout } = await gangway(['--help']);
  expect(code).toBe(0);
  const headings = [...stdout.matchAll(/^(\S.*):\n((?: {2}.*\n)+)/gm)].map(([, heading, commands = '']) => [
    heading,
    ...[...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name),
  ]);
  expect(headings.slice(1)).toEqual([
    ['Onboard', 'board', 'onboard-business', 'onboard', 'batch', 'batches', 'import', 'fees'],
    [
      'Follow and answer requirements',
      'status',
      'list',
      'inbox',
      'claim',
      'assign',
      'release',
      'resolve',
      'confirm',
      'ask',
      'revoke-link',
      'send-back',
      'watch',
      'nudge',
      'cancel',
      'events',
    ],
    [
      'Single operations at the bank',
      'close-card',
      'card-nickname',
      'change-address',
      'restore-sub-user',
      'ensure-webhooks',
      'statement',
    ],
    ['Any operation of a partner', 'call', 'probe'],
    ['Reports and audits', 'report', 'activity', 'export', 'bundle'],
    [
      'Setup and backup',
      'setup',
      'keys',
      'api-clients',
      'console-sessions',
      'doctor',
      'replay',
      'backup',
      'restore',
      'sandbox',
    ],
    ['Help', 'help', 'explain', 'completion'],
  ]);
});

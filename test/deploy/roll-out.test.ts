import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { type Builds, serveBuilds } from '../rigs/deploy/builds.js';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { type Finished, run } from '../rigs/processes.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { changedBuild } from '../rigs/worker/changed-build.js';
import { taskFailure } from '../rigs/workflows/workflow-tasks.js';

const TIMEOUT_MS = 900_000;

/** The patch of the documented change, which the new build has. */
const PATCH = 'fees-after-submission';

let rig: Rig;
let builds: Builds;
beforeAll(async () => {
  // Temporal checks every three minutes whether workflows are pinned to a draining build; here every second.
  const dynamicConfig = {
    'matching.wv.VersionDrainageStatusVisibilityGracePeriod': '1s',
    'matching.wv.VersionDrainageStatusRefreshInterval': '1s',
  };
  rig = await createRig({ worker: false, payloadKeys: '', server: { dynamicConfig } });
  // Twelve boardings wait most of the time, and the builds of both take their turns.
  const env = { ...rig.env, GANGWAY_POLL_MAX: '3s', GANGWAY_ACTIVE_PATCHES: PATCH };
  builds = await serveBuilds(env, { '0.1.0': undefined, '0.2.0': await changedBuild('documented') });
});
afterAll(async () => {
  await builds.close();
  await rig.close();
});

function rollOut(...args: string[]): Promise<Finished> {
  return run('deploy/roll-out.sh', args, {
    ...rig.env,
    WORKERS: builds.command,
    TEMPORAL: inject('temporalCli'),
  });
}

/** Standard error without the progress of a replay. */
const withoutProgress = (stderr: string) => stderr.replaceAll(/^\.\.\. .*\n/gm, '');

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await rollOut(...args);
  expect({ code, stderr: withoutProgress(stderr) }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await rollOut(...args);
  expect({ code, stdout }, args.join(' ')).toEqual({ code: 1, stdout: '' });
  return stderr.trimEnd();
}

/** Changes the time of the recorded replay of build 0.2.0. */
async function recordedAt(time: number): Promise<void> {
  const { code, stdout, stderr } = await temporalCli('describe-version', '--output', 'json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { data } = JSON.parse(stdout).metadata['gangway-replay'];
  const entry = { ...JSON.parse(Buffer.from(data, 'base64').toString()), at: new Date(time).toISOString() };
  const metadata = ['--metadata', `gangway-replay=${JSON.stringify(entry)}`];
  expect(await temporalCli('update-version-metadata', ...metadata)).toMatchObject({ code: 0 });
}

function temporalCli(command: string, ...options: string[]): Promise<Finished> {
  const version = ['--deployment-name', rig.env['GANGWAY_TASK_QUEUE'] ?? '', '--build-id', '0.2.0'];
  const [program = '', ...args] = inject('temporalCli').split(' ');
  return run(program, [...args, 'worker', 'deployment', command, ...version, ...options], rig.env);
}

async function waiting(count: number): Promise<Onboarding[]> {
  const all = await Promise.all(Array.from({ length: count }, () => rig.board(merchant('uw-level-1'))));
  await Promise.all(all.map((each) => each.requirement('underwriting-note')));
  return all;
}

/** The build of the last workflow task. */
async function buildOf({ handle }: Onboarding): Promise<string | null | undefined> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

const allOn = (onboardings: readonly Onboarding[], build: string) =>
  eventually(
    () => Promise.all(onboardings.map(buildOf)),
    (now) => now.every((each) => each === build),
    `all on ${build}`,
  );

const idsOf = (onboardings: readonly Onboarding[]) =>
  onboardings.map(({ workflowId }) => workflowId).toSorted();

/** The workflows that `back` lists after its first line; other lines as they are. */
const staying = (build: string, [, ...lines]: readonly string[]) =>
  lines
    .map((line) =>
      line.replace(/ stays on (\S+): merchantBoarding: .+/, (kept, on) => (on === build ? '' : kept)),
    )
    .toSorted();

async function tasksFailed({ handle }: Onboarding): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(taskFailure).length;
}

/** How long a query may take while workers start and stop on a busy machine. */
const QUERY_MS = 20_000;

/** Queries the state of waiting onboardings again and again: only a worker that polls for them responds, and a query waits for it. */
function keepAsking(onboardings: Onboarding[]) {
  const stopping = new AbortController();
  const silent: string[] = [];
  let asked = 0;
  const ask = async (onboarding: Onboarding) => {
    const result = await Promise.race([
      onboarding.state().then(
        ({ requirements }) => requirements.length === 1,
        (error: Error) => error.message,
      ),
      sleep(QUERY_MS, 'no response'),
    ]);
    asked += 1;
    if (result !== true) silent.push(`${onboarding.workflowId}: ${result}`);
  };
  const asking = (async () => {
    for (; !stopping.signal.aborted; await sleep(500)) await Promise.all(onboardings.map(ask));
  })();
  return {
    async stop() {
      stopping.abort();
      await asking;
      return { silent, asked };
    },
  };
}

it(
  'rolls a build out, ramps it and takes it back, and each waiting onboarding has a worker at each moment',
  async () => {
    await done('start', '0.1.0');
    expect(await done('promote', '0.1.0')).toBe('0.1.0 is current');
    const old = await waiting(6);
    const asking = keepAsking(old);
    onTestFinished(async () => void (await asking.stop()));

    await done('start', '0.2.0');
    expect(await refused('promote', '0.2.0')).toMatch(
      /^roll-out.sh: 0.2.0 was not replayed: run roll-out.sh replay 0.2.0, or set UNREPLAYED to the reason/,
    );
    expect(await refused('ramp', '0.2.0', '50')).toMatch(/: 0.2.0 was not replayed: .* to ramp it anyway$/);
    expect(await done('replay', '0.2.0', '--sample', '1')).toMatch(
      /^all \d replay on this build; \d others were left out of the sample$/,
    );
    expect(await refused('promote', '0.2.0')).toMatch(
      /0.2.0 was replayed in part \(\d of 6\): run roll-out.sh/,
    );
    const replayedBy = (build: string) => {
      const [program = '', ...args] = builds.command.split(' ');
      return run(program, [...args, 'run', build, 'replay', '--build', '0.2.0'], {});
    };
    expect(await replayedBy('0.1.0')).toMatchObject({ code: 0 });
    expect(await refused('promote', '0.2.0')).toContain('0.2.0 was replayed with other code than it runs');
    await done('replay', '0.2.0');
    await recordedAt(Date.now() - 30 * 3_600_000);
    expect(await refused('promote', '0.2.0')).toContain('0.2.0 was replayed 30 hours ago');
    expect(await done('replay', '0.2.0')).toBe('all 6 replay on this build');
    expect(await refused('stop', '0.1.0')).toBe('roll-out.sh: 0.1.0 is current: promote another build first');
    expect(await done('ramp', '0.2.0', '50')).toBe('0.2.0 gets 50% of the onboardings');
    const newcomers = await waiting(6);
    await eventually(
      () => Promise.all(newcomers.map(buildOf)),
      (now) => new Set(now).size === 2,
      'newcomers of both builds',
    );
    expect(await refused('stop', '0.2.0')).toBe(
      'roll-out.sh: 0.2.0 gets a part of the onboardings: ramp it to 0 first',
    );

    // Onboardings that the new build started have passed its patch, and stay on it.
    const started = await Promise.all(newcomers.map(buildOf));
    const kept = newcomers.filter((_, index) => started[index] === '0.2.0');
    const lines = (await done('back', '0.1.0')).split('\n');
    expect(lines[0]).toBe('0.1.0 is current again');
    expect(staying('0.2.0', lines)).toEqual(idsOf(kept));
    await allOn(old, '0.1.0');
    expect(new Set(await Promise.all(newcomers.map(buildOf)))).toEqual(new Set(['0.1.0', '0.2.0']));
    expect(await refused('stop', '0.2.0')).toMatch(/^roll-out.sh: 0.2.0 is draining: workflows are pinned/);

    expect(await refused('promote', '0.2.0', '--held')).toContain('was replayed without --held');
    expect(await done('replay', '0.2.0', '--held')).toBe('all 12 replay on this build');
    expect(await done('promote', '0.2.0', '--held')).toMatch(
      /^0.2.0 is current; to go back: roll-out.sh back 0.1.0; .*\nwhat was held follows the current build$/,
    );
    await allOn([...old, ...newcomers], '0.2.0');
    expect(await done('check')).toBe('all 12 go on');
    await eventually(
      () => rollOut('stop', '0.1.0'),
      ({ code }) => code === 0,
      'build 0.1.0, drained',
    );
    expect(builds.running()).toEqual(['0.2.0']);
    await Promise.all(old.map((each) => each.state()));

    const { silent, asked } = await asking.stop();
    expect(silent).toEqual([]);
    expect(asked).toBeGreaterThan(100);
    for (const each of [...old, ...newcomers]) {
      const { id } = await each.requirement('underwriting-note');
      await each.resolve(id, { kind: 'text', text: 'Answered.' });
      expect(await each.outcome()).toMatchObject({ outcome: 'boarded' });
    }
    for (const operation of ['create-merchant', 'submit-merchant'])
      expect(await rig.sandbox.ledger({ operation })).toHaveLength(12);
  },
  TIMEOUT_MS,
);

it(
  'finds the workflows that a bad build cannot replay before it moves, and by a check before any of their tasks fails',
  async () => {
    const quiet = await createRig({ worker: false, payloadKeys: '', server: {} });
    const env = { ...quiet.env, GANGWAY_POLL_MIN: '10m', GANGWAY_POLL_MAX: '10m' };
    const itsBuilds = await serveBuilds(env, {
      good: undefined,
      bad: await changedBuild('without-patch'),
    });
    onTestFinished(async () => {
      await itsBuilds.close();
      await quiet.close();
    });
    const settings = { ...env, WORKERS: itsBuilds.command, TEMPORAL: inject('temporalCli') };
    const does = (...args: string[]) => run('deploy/roll-out.sh', args, settings);
    await does('start', 'good');
    await does('promote', 'good');
    const waits = await quiet.board(merchant('notes', { fees: { minimumDiscountAmount: 25 } }));
    await waits.requirement('underwriting-note');
    expect(await does('check')).toEqual({ code: 0, stdout: 'all 1 go on\n', stderr: '' });

    await does('start', 'bad');
    const tried = await does('replay', 'bad');
    expect({ ...tried, stderr: withoutProgress(tried.stderr) }).toMatchObject({
      code: 1,
      stderr: '1 of 1 do not replay: do not promote this build\n',
    });
    expect(tried.stdout).toMatch(
      /^merchantBoarding: the history has activity \w+, the code requests activity \w+\n {2}\S+steps.ts:\d+\n {2}1 of them, such as merchant-boarding-/,
    );
    expect(await does('promote', 'bad')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('bad failed its replay (1 differ): run roll-out.sh replay bad, or'),
    });
    const anyway = await run('deploy/roll-out.sh', ['promote', 'bad'], { ...settings, UNREPLAYED: 'a test' });
    expect(anyway.stdout).toContain('bad failed its replay (1 differ), and gets onboardings anyway: a test');
    // Task queues switch a moment later.
    const found = await eventually(
      () => does('check'),
      ({ code }) => code === 1,
      'a check that finds something',
    );
    expect(found.stderr).toMatch(
      new RegExp(`^roll-out.sh: these cannot go on:\n${waits.workflowId}: .*Nondeterminism error`),
    );
    expect(await tasksFailed(waits)).toBe(0);
    await does('back', 'good');
    await eventually(
      () => does('check'),
      ({ stdout }) => stdout === 'all 1 go on\n',
      'a check that finds nothing',
    );
  },
  TIMEOUT_MS,
);

it(
  'takes back builds that have no patches, and each onboarding that advanced on them ends, without a second write',
  async () => {
    const its = await createRig({ worker: false, payloadKeys: '', server: {} });
    const env = { ...its.env, GANGWAY_POLL_MAX: '3s' };
    const itsBuilds = await serveBuilds(env, {
      good: undefined,
      'fees-last': await changedBuild('fees-last'),
      'answers-later': await changedBuild('answers-later'),
    });
    onTestFinished(async () => {
      await itsBuilds.close();
      await its.close();
    });
    const settings = { ...env, WORKERS: itsBuilds.command, TEMPORAL: inject('temporalCli') };
    const does = async (...args: string[]) => {
      const added = { UNREPLAYED: 'a test', RAMP_HOLD: '5' };
      const { code, stdout, stderr } = await run('deploy/roll-out.sh', args, { ...settings, ...added });
      expect(withoutProgress(stderr), args.join(' ')).toBe('');
      const lines = stdout.trimEnd().split('\n');
      return code === 0 ? lines : [`exit code ${code}`, ...lines];
    };
    const board = async (more?: object) => {
      const boarding = await its.board(merchant('uw-level-1', more));
      await boarding.requirement('underwriting-note');
      return boarding;
    };
    const fees = { fees: { minimumDiscountAmount: 25 } };
    await does('start', 'good');
    await does('promote', 'good');
    const old = await Promise.all([board(fees), board(fees)]);

    // What advanced has written in another order, and can continue only there.
    await does('start', 'fees-last');
    // Those that wait have set the fees first, and their tasks fail.
    expect(await does('ramp', 'fees-last', '100,100')).toEqual([
      'exit code 1',
      'fees-last was not replayed, and gets onboardings anyway: a test',
      'fees-last gets 100% of the onboardings',
      expect.stringMatching(/^fees-last is taken back: [12] more have a failing workflow task$/),
      'good is current again',
    ]);
    await allOn(old, 'good');

    await does('ramp', 'fees-last', '50');
    const swapped: Onboarding[] = [];
    const others: Onboarding[] = [];
    while (swapped.length < 2) {
      const newcomer = await board(fees);
      ((await buildOf(newcomer)) === 'fees-last' ? swapped : others).push(newcomer);
    }
    const lines = await does('back', 'good');
    expect(lines[0]).toBe('good is current again');
    expect(lines[1]).toContain(
      'the history has activity submitMerchant, the code requests activity changeFees',
    );
    expect(staying('fees-last', lines)).toEqual(idsOf(swapped));
    await allOn([...old, ...others], 'good');

    // A ramp that ended otherwise: the tasks of what advanced fail, and Temporal ignores that it is held.
    await does('ramp', 'fees-last', '100');
    const failing = await board(fees);
    await does('ramp', 'fees-last', '0');
    await eventually(
      () => tasksFailed(failing),
      (failed) => failed > 0,
      'a failed task',
    );
    const again = await does('back', 'good', 'fees-last');
    expect(staying('fees-last', again)).toEqual(idsOf([...swapped, failing]));

    // What advanced waits for a timer that the current build does not have, and nothing was written since.
    const answered = await board();
    await does('start', 'answers-later');
    expect(await does('ramp', 'answers-later', '100,100')).toEqual([
      'answers-later was not replayed, and gets onboardings anyway: a test',
      'answers-later gets 100% of the onboardings',
      'answers-later gets 100% of the onboardings',
    ]);
    await allOn([answered], 'answers-later');
    const { id } = await answered.requirement('underwriting-note');
    await answered.resolve(id, { kind: 'text', text: 'Answered.' });
    await eventually(
      () => answered.handle.fetchHistory(),
      ({ events }) =>
        (events ?? []).some(
          (event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds?.toString() === '3600',
        ),
      'the timer of the build',
    );
    expect(await does('back', 'good')).toEqual([
      'good is current again',
      expect.stringContaining(`${answered.workflowId} is reset to before answers-later: `),
    ]);
    expect(await its.client.workflow.getHandle(answered.workflowId).result()).toMatchObject({
      outcome: 'boarded',
    });

    const boardings = [...old, ...swapped, ...others, failing];
    for (const boarding of boardings) {
      const note = await boarding.requirement('underwriting-note');
      await boarding.resolve(note.id, { kind: 'text', text: 'Answered.' });
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    }
    expect(new Set(await Promise.all([...swapped, failing].map(buildOf)))).toEqual(new Set(['fees-last']));
    for (const operation of ['create-merchant', 'submit-merchant'])
      expect(await its.sandbox.ledger({ operation })).toHaveLength(boardings.length + 1);
  },
  TIMEOUT_MS,
);

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { gangway } from '../rigs/command.js';
import { buildOf, deployment } from '../rigs/deploy/deployment.js';
import { SECRET, subscriber } from '../rigs/events/subscriber.js';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { run } from '../rigs/processes.js';
import { eventually } from '../rigs/waiting.js';
import { changedBuild } from '../rigs/worker/changed-build.js';
import { bankOf } from '../rigs/workflows/bank.js';
import { taskFailure, tasksOf } from '../rigs/workflows/workflow-tasks.js';

const TIMEOUT_MS = 900_000;

/** The patch of the documented change, which the new build has. */
const PATCH = 'fees-after-submission';

/** Fees, which the documented change reads a second time. */
const FEES = { fees: { minimumDiscountAmount: 25 } };

const allOn = (onboardings: readonly Onboarding[], build: string) =>
  eventually(
    () => Promise.all(onboardings.map(buildOf)),
    (now) => now.every((each) => each === build),
    `all on ${build}`,
  );

/** How often its fees were read. */
const feesRead = async (boarding: Onboarding) =>
  (await boarding.events()).filter((event) => event === 'fees-read').length;

const idsOf = (onboardings: readonly Onboarding[]) =>
  onboardings.map(({ workflowId }) => workflowId).toSorted();

/** The workflows that `back` lists after its first line; other lines as they are. */
const staying = (build: string, [, ...lines]: readonly string[]) =>
  lines
    .map((line) =>
      line.replace(/ stays on (\S+): merchantBoarding: .+/, (stored, on) => (on === build ? '' : stored)),
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
  let question = 0;
  const ask = async (onboarding: Onboarding) => {
    const result = await Promise.race([
      onboarding.state().then(
        ({ requirements }) => requirements.length === 1,
        (error: Error) => error.message,
      ),
      sleep(QUERY_MS, 'no response'),
    ]);
    question += 1;
    if (result !== true) silent.push(`${onboarding.workflowId}: ${result}`);
  };
  const asking = (async () => {
    for (; !stopping.signal.aborted; await sleep(500)) await Promise.all(onboardings.map(ask));
  })();
  return {
    async stop() {
      stopping.abort();
      await asking;
      return { silent, question };
    },
  };
}

it(
  'rolls a build out, ramps it and takes it back, and each waiting onboarding has a worker at each moment',
  async () => {
    const { rig, builds, rollOut, done, refused, workers, waiting, allBoarded } = await deployment(
      { '0.1.0': undefined, '0.2.0': await changedBuild('documented') },
      { GANGWAY_ACTIVE_PATCHES: PATCH },
      // Temporal checks every three minutes whether workflows are pinned to a draining build; here every second.
      {
        'matching.wv.VersionDrainageStatusVisibilityGracePeriod': '1s',
        'matching.wv.VersionDrainageStatusRefreshInterval': '1s',
      },
    );
    const deploymentCli = (command: string, ...options: string[]) => {
      const version = ['--deployment-name', rig.taskQueue, '--build-id', '0.2.0'];
      return run(inject('temporalCli'), ['worker', 'deployment', command, ...version, ...options], rig.env);
    };
    /** Changes the time of the recorded replay of build 0.2.0. */
    const recordedAt = async (time: number) => {
      const { stdout } = await deploymentCli('describe-version', '--output', 'json');
      const { data } = JSON.parse(stdout).metadata['gangway-replay'];
      const entry = JSON.parse(Buffer.from(data, 'base64').toString());
      const changed = JSON.stringify({ ...entry, at: new Date(time).toISOString() });
      const metadata = ['--metadata', `gangway-replay=${changed}`];
      expect(await deploymentCli('update-version-metadata', ...metadata)).toMatchObject({ code: 0 });
    };
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
    expect(await workers('run', '0.1.0', 'replay', '--build', '0.2.0')).toMatchObject({ code: 0 });
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
    const entries = newcomers.filter((_, index) => started[index] === '0.2.0');
    const lines = (await done('back', '0.1.0')).split('\n');
    expect(lines[0]).toBe('0.1.0 is current again');
    expect(staying('0.2.0', lines)).toEqual(idsOf(entries));
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
      () => rollOut(['stop', '0.1.0']),
      ({ code }) => code === 0,
      'build 0.1.0, drained',
    );
    expect(builds.running()).toEqual(['0.2.0']);
    await Promise.all(old.map((each) => each.state()));

    const { silent, question } = await asking.stop();
    expect(silent).toEqual([]);
    expect(question).toBeGreaterThan(100);
    await allBoarded([...old, ...newcomers]);
  },
  TIMEOUT_MS,
);

it(
  'finds the workflows that a bad build cannot replay before it moves, and by a check before any of their tasks fails',
  async () => {
    const { rig, rollOut, done } = await deployment(
      { good: undefined, bad: await changedBuild('without-patch') },
      { GANGWAY_POLL_MIN: '10m', GANGWAY_POLL_MAX: '10m' },
    );
    await done('start', 'good');
    await done('promote', 'good');
    const waits = await rig.board(merchant('notes', FEES));
    await waits.requirement('underwriting-note');
    expect(await done('check')).toBe('all 1 go on');

    await done('start', 'bad');
    const tried = await rollOut(['replay', 'bad']);
    expect(tried).toMatchObject({
      code: 1,
      stderr: '1 of 1 do not replay: do not promote this build\n',
    });
    expect(tried.stdout).toMatch(
      /^merchantBoarding: the history has activity \w+, the code requests activity \w+\n {2}\S+steps.ts:\d+\n {2}1 of them, such as merchant-boarding-/,
    );
    expect(await rollOut(['promote', 'bad'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('bad failed its replay (1 differ): run roll-out.sh replay bad, or'),
    });
    const anyway = await rollOut(['promote', 'bad'], { UNREPLAYED: 'a test' });
    expect(anyway.stdout).toContain('bad failed its replay (1 differ), and gets onboardings anyway: a test');
    // Task queues switch a moment later.
    const result = await eventually(
      () => rollOut(['check']),
      ({ code }) => code === 1,
      'a check that finds something',
    );
    expect(result.stderr).toMatch(
      new RegExp(`^roll-out.sh: these cannot go on:\n${waits.workflowId}: .*Nondeterminism error`),
    );
    expect(await tasksFailed(waits)).toBe(0);
    await done('back', 'good');
    await eventually(
      () => rollOut(['check']),
      ({ stdout }) => stdout === 'all 1 go on\n',
      'a check that finds nothing',
    );
  },
  TIMEOUT_MS,
);

it(
  'takes back builds that have no patches, and each onboarding that advanced on them ends, without a second write',
  async () => {
    const { rig, rollOut, waiting, allBoarded } = await deployment({
      good: undefined,
      'fees-last': await changedBuild('fees-last'),
      'answers-later': await changedBuild('answers-later'),
    });
    const does = async (...args: string[]) => {
      const { code, stdout, stderr } = await rollOut(args, {
        UNREPLAYED: 'a test',
        RAMP_HOLD: '5',
        RAMP_STARTS: '0',
      });
      expect(stderr, args.join(' ')).toBe('');
      const lines = stdout.trimEnd().split('\n');
      return code === 0 ? lines : [`exit code ${code}`, ...lines];
    };
    const board = async (more?: object) => (await waiting(1, more))[0] as Onboarding;
    await does('start', 'good');
    await does('promote', 'good');
    const old = await waiting(2, FEES);

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
      const newcomer = await board(FEES);
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
    const failing = await board(FEES);
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
    expect(await rig.client.workflow.getHandle(answered.workflowId).result()).toMatchObject({
      outcome: 'boarded',
    });

    await allBoarded([...old, ...swapped, ...others, failing], 1);
    expect(new Set(await Promise.all([...swapped, failing].map(buildOf)))).toEqual(new Set(['fees-last']));
  },
  TIMEOUT_MS,
);

it(
  'a patch that is deployed first and activated later strands nobody: forward, back, forward, activated',
  async () => {
    const crm = await subscriber();
    crm.response = { status: 503, headers: { 'retry-after': '5' } };
    const { rig, env, done, workers, waiting, allBoarded } = await deployment(
      { '0.1.0': undefined, '0.2.0': await changedBuild('documented') },
      { EVENTS_URLS: crm.url, EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' },
    );
    const board = async () => (await waiting(1, FEES))[0] as Onboarding;
    /** Waits until doctor finds this. The server lists a worker a moment after its first poll. */
    const result = (words: RegExp) =>
      eventually(
        () => gangway(rig.env, ['doctor']),
        ({ stdout }) => words.test(stdout),
        `${words}`,
        120_000,
      );
    await done('start', '0.1.0');
    await result(/has no current version[\s\S]* set-current-version .* --build-id 0\.1\.0 --yes"/);
    await done('promote', '0.1.0');
    const old = await board();
    const pinned = await bankOf(rig).closingInWarning();

    await done('start', '0.2.0');
    await done('replay', '0.2.0');
    await done('promote', '0.2.0');
    await allOn([old], '0.2.0');
    const inactive = await board();
    await allOn([inactive], '0.2.0');
    expect(await feesRead(inactive)).toBe(1);
    await result(/:0\.1\.0 is draining, pinned to it: 1/);
    const { id: whetherClosed } = await pinned.requirement('uncertain-write');
    await pinned.resolve(whetherClosed, { kind: 'retry' });
    expect(await pinned.outcome()).toMatchObject({ outcome: 'done' });
    expect(new Set(await tasksOf(pinned))).toEqual(new Set(['0.1.0']));

    // It has passed the place of the patch on the new build, and no patch needs to be named.
    await done('back', '0.1.0');
    await allOn([old, inactive], '0.1.0');
    await done('promote', '0.2.0');
    await allOn([old, inactive], '0.2.0');

    env['GANGWAY_ACTIVE_PATCHES'] = PATCH;
    // Only workflows are tied to a build: the new one delivers events of the old one.
    for (const [verb, build] of [
      ['stop', '0.2.0'],
      ['start', '0.2.0'],
      ['stop', '0.1.0'],
    ] as const)
      expect(await workers(verb, build)).toMatchObject({ code: 0 });
    const refused = new Set(crm.received.map(({ id }) => id));
    expect(refused.size).toBeGreaterThan(0);
    const before = crm.received.length;
    crm.response = { status: 204 };
    await eventually(
      async () => new Set(crm.received.slice(before).map(({ id }) => id)),
      (delivered) => [...refused].every((id) => delivered.has(id)),
      'the delivered events',
      120_000,
    );
    const all = [old, inactive, await board()];
    await allBoarded(all);
    expect(await Promise.all(all.map(feesRead))).toEqual([1, 1, 2]);
    expect(await Promise.all(all.map(async (each) => new Set(await tasksOf(each))))).toEqual([
      new Set(['0.1.0', '0.2.0']),
      new Set(['0.1.0', '0.2.0']),
      new Set(['0.2.0']),
    ]);
  },
  TIMEOUT_MS,
);

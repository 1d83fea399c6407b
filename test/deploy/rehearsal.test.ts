import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../../scripts/cluster/cluster.js';
import type { Party } from '../../simulation/cast.js';
import { castFor } from '../rigs/chaos/chaos.js';
import { misjudged, truthOf } from '../rigs/chaos/judged.js';
import { Operator } from '../rigs/chaos/operator.js';
import { Sender } from '../rigs/chaos/sender.js';
import { serveInOne } from '../rigs/chaos/served.js';
import { Stage } from '../rigs/chaos/stage.js';
import { startByClient } from '../rigs/chaos/starts.js';
import { rollOuts } from '../rigs/deploy/deployment.js';
import { Onboarding } from '../rigs/onboarding.js';
import { markers } from '../rigs/privacy/markers.js';
import { eventually } from '../rigs/waiting.js';
import { changedBuild } from '../rigs/worker/changed-build.js';

/**
 * Rehearses releases while onboardings are in all stages. Before a release: `REHEARSED=300 REHEARSED_ON=cluster npx vitest run
 * test/deploy/rehearsal.test.ts` prints how long each step takes.
 */

const COUNT = Number(process.env['REHEARSED'] ?? 40);
const serve =
  process.env['REHEARSED_ON'] === 'cluster'
    ? (folder: string) => startCluster(folder, (line) => void process.stdout.write(`${line}\n`))
    : serveInOne;

const PACE_MS = 1_000;
const TIMEOUT_MS = 240_000;

/** Of few onboardings, one percent may be none. */
const STEPS = COUNT < 200 ? '10,50,100' : '1,10,50,100';

/** A bad build, and the first line of the workflow that cannot replay on it. */
const BAD = [
  ['without-fees', /the history has activity changeFees, the code requests activity submitMerchant/],
  ['fees-last', /the history has activity changeFees, the code requests activity submitMerchant/],
  // The code itself fails, and its error stays readable although the workers encrypt theirs.
  ['inverted', /^merchantBoarding: (?!.*encrypted)\S.+\n {2}\S+\.ts:\d+$/m],
] as const;

it('refuses three bad builds, promotes a good one, and takes back one that fails at the partner', async () => {
  const marked = markers();
  const stage = await Stage.set(marked, PACE_MS, serve, { withWorkers: false });
  onTestFinished(() => stage.strike().then(() => undefined));
  const { client, taskQueue } = stage.rig;
  /** No two casts have a business of the same name. */
  const castOf = (seed: number, count: number) =>
    castFor(seed, count, { ...marked, dba: `${marked.dba} of ${seed}` });
  const roots = {
    first: undefined,
    good: await changedBuild('documented'),
    'unknown-agent': await changedBuild('unknown-agent'),
    ...Object.fromEntries(await Promise.all(BAD.map(async ([name]) => [name, await changedBuild(name)]))),
  };
  const { rollOut, done, refused, workers } = await rollOuts(stage.env, roots);
  const timed = async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
    const began = performance.now();
    const result = await run();
    process.stdout.write(`${what}: ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
    return result;
  };
  const counted = async (query: string) => (await client.workflow.count(query)).count;
  const on = (build: string) => counted(`TemporalWorkerDeploymentVersion = '${taskQueue}:${build}'`);

  await done('start', 'first');
  await done('promote', 'first');
  const cast = castOf(1, COUNT);
  await timed(`start ${COUNT}`, () => startAll(stage, cast));
  await eventually(
    () => counted('ActionRequired = true'),
    (asking) => asking >= COUNT / 4,
    'onboardings that wait for a person',
  );

  for (const [build, cause] of BAD) {
    await done('start', build);
    const replayed = await timed(`replay ${build}`, () => rollOut(['replay', build]));
    expect(replayed).toMatchObject({ code: 1, stdout: expect.stringMatching(cause) });
    expect(replayed.stdout).toMatch(/^ {2}\S+\.ts:\d+$/m);
    expect(await refused('promote', build)).toContain(`${build} failed its replay`);
    expect(await refused('ramp', build, STEPS)).toContain(`${build} failed its replay`);
    expect(await on(build)).toBe(0);
    await done('stop', build);
  }

  const joining = castOf(2, COUNT);
  const refusedOnes = castOf(3, Math.max(20, COUNT / 5));
  const everyone = [...cast, ...joining, ...refusedOnes];
  const operator = new Operator(stage, new Sender(stage.receiverUrls), everyone, marked);
  const ramp = async (build: string, parties: readonly Party[]) => {
    const [ramped] = await Promise.all([
      timed(`ramp ${build} to ${STEPS}`, () =>
        rollOut(['ramp', build, STEPS], { RAMP_HOLD: '10', RAMP_STARTS: '0' }),
      ),
      startAll(stage, parties, PAUSE_MS),
    ]);
    return ramped;
  };

  await done('start', 'good');
  await timed('replay good', () => done('replay', 'good'));
  const answering = new AbortController();
  const attended = operator.attend(() => answering.signal.aborted, TIMEOUT_MS);
  expect(await ramp('good', joining)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/good gets 100% of the onboardings\n$/),
    stderr: '',
  });
  await timed('promote good', () => done('promote', 'good'));
  answering.abort();
  await timed('answer all', () => attended);

  // It replays everything, and its creations name an agent that the partner does not have.
  await done('start', 'unknown-agent');
  await timed('replay unknown-agent', () => done('replay', 'unknown-agent'));
  expect(await ramp('unknown-agent', refusedOnes)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /unknown-agent is taken back: \d+ wait for a person because of rejected input or an uncertain write\ngood is current again$/m,
    ),
  });
  const rejected = await rejectedCreations(stage);
  process.stdout.write(`creations that the partner rejected: ${rejected.length}\n`);
  expect(rejected.length).toBeGreaterThan(1);
  for (const [onboarding, id] of rejected) await onboarding.resolve(id, { kind: 'retry' });

  const standing = await timed('answer the rest', () => operator.attend(() => true, TIMEOUT_MS));
  expect([...operator.surprises]).toEqual([]);
  expect(await misjudged(stage, everyone, standing, marked)).toEqual([]);
  expect(await truthOf(stage, everyone, marked)).toEqual({ contradicted: [], questions: [] });
  expect(await counted("ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')")).toBe(0);
  await workers('stop', 'unknown-agent');
}, 3_600_000);

/** Between two starts during a ramp, in milliseconds. */
const PAUSE_MS = 500;

async function startAll(stage: Stage, parties: readonly Party[], pauseMs = 50): Promise<void> {
  for (const party of parties) {
    await startByClient(stage, party);
    await sleep(pauseMs);
  }
}

/** The onboardings whose creation of a merchant was rejected, and the requirement of each. */
async function rejectedCreations({ rig: { client } }: Stage): Promise<(readonly [Onboarding, string])[]> {
  const matches: (readonly [Onboarding, string])[] = [];
  // A customer shows the requirements of its parts.
  const query =
    "Requirements = 'rejected-input' AND WorkflowType = 'merchantBoarding' AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of client.workflow.list({ query })) {
    const onboarding = new Onboarding(client, workflowId);
    const { requirements } = await onboarding.state();
    const about = requirements.find(
      ({ kind, title }) => kind === 'rejected-input' && /create the merchant/.test(title),
    );
    if (about) matches.push([onboarding, about.id]);
  }
  return matches;
}

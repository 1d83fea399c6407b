import { readFile, writeFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatePayloadKey } from '../../../../src/temporal/payload-codec.js';
import { WORKFLOW_BUNDLES } from '../../../../src/worker/bundles.js';
import { type Difference, replayHistories } from '../../../../src/worker/replay.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { inputFile } from '../../../rigs/commands/files.js';
import { merchant } from '../../../rigs/inputs.js';
import { run } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { recorded } from '../../../rigs/workflows/recorded-histories.js';

// It replays all onboardings of a namespace.
const rig = await createRig({ ownNamespace: true });
afterAll(() => rig.close());

const gangway = (...args: string[]) => runGangway(rig.env, ['replay', ...args]);

describe('gangway replay', () => {
  it('replays what runs and what ended lately, encrypted as it is, and resumes', async () => {
    const waits = await rig.board(merchant('notes'));
    await waits.requirement('underwriting-note');
    const ended = await rig.board(merchant());
    await ended.outcome();
    await ended.listed(" AND ExecutionStatus = 'Completed'");
    await waits.listed(" AND OnboardingStage = 'underwriting'");

    const file = await inputFile(rig, '');
    const { code: exit, stdout, stderr } = await gangway('--resume', file);
    expect({ code: exit, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('all 2 replay on this build\n');
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^(\w{64} [\w-]{36} \d+\n){2}$/);

    const resumed = await gangway('--resume', file, '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ replayed: 0, skipped: 2, failed: 0 });
    // A file of other code, or of a crash in the middle of a line, says nothing.
    await writeFile(file, `${text.replaceAll(/^\w{64}/gm, '0'.repeat(64))}${text.slice(0, 70)}`);
    const again = await gangway('--resume', file, '--ended', '0s', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ replayed: 1, skipped: 0 });

    const sampled = await gangway('--sample', '1', '--json', '--query', `WorkflowId = '${waits.workflowId}'`);
    const { stdout: digest } = await gangway('--code');
    const [, code = ''] = /^(\w{64})\n$/.exec(digest) ?? [];
    expect(text).toContain(`${code} `);
    expect(JSON.parse(sampled.stdout)).toMatchObject({ replayed: 1, sample: 1, left: 0, held: false, code });
  });

  it('fails for each workflow that it cannot decrypt, and writes nothing of it', async () => {
    const { PAYLOAD_KEYS: _, ...env } = rig.env;
    const one = ['--query', "ExecutionStatus = 'Running'"];
    const { code, stdout } = await runGangway(env, ['replay', ...one]);
    expect(code).toBe(1);
    expect(stdout).toContain('Unknown encoding: binary/encrypted');
    expect(stdout).not.toContain('Corner Bakery');

    const other = await runGangway({ ...rig.env, PAYLOAD_KEYS: generatePayloadKey() }, ['replay']);
    expect(other.code).toBe(1);
    // One cause for all.
    expect(other.stdout).toMatch(
      /^merchantBoarding: the code fails, with an encrypted error: check that PAYLOAD_KEYS .+\n(.+\n)? {2}\d+ of them, such as .+\n$/,
    );
  });

  it('rejects what it cannot use, and replays nothing', async () => {
    const file = await inputFile(rig, 'dba,email\n');
    for (const [args, why, code = 2] of [
      [['--query', 'Stage = 1'], '--query: Stage is not a field'],
      [['--query', "WorkflowId = 'x'", '--build', 'a'], '--build: a replay with --query covers too little'],
      [['--resume', '/nowhere/file'], '--resume: /nowhere/file cannot be used (ENOENT)'],
      [['--resume', file], 'was not written by a replay: name a new file'],
      [['--build', ''], '--build: must not be empty'],
      [['--build', 'never-polled'], 'run roll-out.sh start never-polled first', 1],
    ] as const)
      expect(await gangway(...args)).toMatchObject({ code, stderr: expect.stringContaining(why) });
    expect(await readFile(file, 'utf8')).toBe('dba,email\n');
  });
});

/** In a process of its own, because the workers of this one keep the SDK's runtime alive. */
it('lets its process end when there is nothing to replay', async () => {
  const script = `
    import { replayHistories } from './dist/worker/replay.js';
    const config = { namespace: 'default', taskQueue: 'gangway', payloadKeys: undefined, code: '' };
    for await (const run of replayHistories(config, async () => undefined)) console.log(run);
    console.log('done');`;
  const ended = await run(process.execPath, ['--input-type=module', '--eval', script], {});
  expect(ended).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
});

const PLAIN = await readFile(WORKFLOW_BUNDLES.plain, 'utf8');

/** The names that the bundle gives to the modules of the steps, whose numbers depend on the other imports. */
const [STEPS] = /_boarding_steps_js__WEBPACK_IMPORTED_MODULE_\d+__/.exec(PLAIN) ?? [];
const [SUBMISSION] = /_boarding_submission_js__WEBPACK_IMPORTED_MODULE_\d+__/.exec(PLAIN) ?? [];
const WORKFLOW = '_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__';
const FEES = `await (0,${STEPS}.setFees)(boarding);`;
const SET_FEES = `${FEES}\n            await (0,${SUBMISSION}.submitToUnderwriting)(boarding);`;
const OVERDUE = `(await (0,${WORKFLOW}.condition)(hasMoved, end - Date.now(), { summary }))`;
const UPSERT = `(0,${WORKFLOW}.upsertSearchAttributes)(changed);`;

/** Changes of the code: a part of the bundle, and what is there in place of it. */
const CHANGES = {
  'an activity that was removed': [SET_FEES, FEES],
  'an activity that was added': [SET_FEES, `${SET_FEES} ${FEES}`],
  'a timer that was removed': [OVERDUE, `(await (0,${WORKFLOW}.condition)(hasMoved), true)`],
  'an upsert that was added': [UPSERT, `${UPSERT} ${UPSERT}`],
  'an upsert that was removed': [UPSERT, ''],
  'a timer that was added': [SET_FEES, `await (0,${WORKFLOW}.sleep)(5);\n${SET_FEES}`],
  'an error of the code': [SET_FEES, 'throw new Error("of ada@example.com");'],
} as const;

type Name = keyof typeof CHANGES;

const WITH_NOTES: readonly Name[] = [
  'a timer that was removed',
  'an upsert that was added',
  'an upsert that was removed',
  'a timer that was added',
];

/** The bundle, in which the change of its name applies to each onboarding, so that one replay shows them all. */
function changedBundle(): string {
  const changes = Object.entries(CHANGES);
  return [SET_FEES, OVERDUE, UPSERT].reduce((bundle, part) => {
    expect(bundle.split(part)).toHaveLength(2);
    const is = (name: string) => `(0,${WORKFLOW}.workflowInfo)().workflowId === '${name}'`;
    const ofPart = changes.filter(([, [where]]) => where === part);
    const by = part.endsWith(';')
      ? ofPart.reduceRight((rest, [name, [, code]]) => `if (${is(name)}) { ${code} } else { ${rest} }`, part)
      : ofPart.reduceRight((rest, [name, [, code]]) => `(${is(name)} ? ${code} : ${rest})`, part);
    return bundle.replace(part, () => by);
  }, PLAIN);
}

describe('a replay of code that has changed', () => {
  const matches = new Map<string, Difference | undefined>();
  beforeAll(async () => {
    const names: Name[] = Object.keys(CHANGES) as Name[];
    const place = { namespace: 'default', taskQueue: 'gangway', payloadKeys: undefined };
    const all = replayHistories({ ...place, code: changedBundle() }, async () => {
      const name = names.shift();
      if (name === undefined) return undefined;
      const run = WITH_NOTES.includes(name) ? 'more-notes' : 'straight';
      const history = historyFromJSON(await recorded(`0.1.0/${run}.json`));
      return { workflowId: name, runId: name, type: 'merchantBoarding', history };
    });
    for await (const { workflowId, difference } of all) matches.set(workflowId, difference);
  });

  it.each<[Name, cause: string]>([
    [
      'an activity that was removed',
      'the history has activity submitMerchant, the code requests activity changeFees',
    ],
    [
      'an activity that was added',
      'the history has activity awaitStatusChange, the code requests activity changeFees',
    ],
  ])('names %s, with its place', (name, cause) => {
    expect(matches.get(name)).toEqual({
      cause: `merchantBoarding: ${cause}`,
      at: expect.stringMatching(/^src\/workflows\/boarding\/\w+\.ts:\d+$/),
      eventId: expect.stringMatching(/^\d+$/),
    });
  });

  it.each<[Name, what: string, eventId: string]>([
    ['a timer that was removed', 'No command scheduled for event HistoryEvent(id: …, TimerStarted)', '20'],
    [
      'an upsert that was added',
      'UpsertWorkflowSearchAttributesMachine does not handle HistoryEvent(id: …, ActivityTaskScheduled)',
      '12',
    ],
    [
      'an upsert that was removed',
      'Activity machine does not handle this event: HistoryEvent(id: …, UpsertWorkflowSearchAttributes)',
      '11',
    ],
    [
      'a timer that was added',
      'Timer machine does not handle this event: HistoryEvent(id: …, UpsertWorkflowSearchAttributes)',
      '11',
    ],
  ])('names %s, by its event, and the place of nothing else', (name, what, eventId) => {
    const cause = `merchantBoarding: [TMPRL1100] Nondeterminism error: ${what}`;
    expect(matches.get(name)).toEqual({ cause, eventId });
  });

  it('explains an error of the code itself', () => {
    expect(matches.get('an error of the code')).toEqual({
      cause: 'merchantBoarding: of [Redacted]',
      at: expect.stringMatching(/^src\/workflows\/merchant-boarding\.ts:\d+$/),
    });
  });
});

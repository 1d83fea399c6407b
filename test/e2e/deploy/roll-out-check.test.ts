import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../src/apps/command/cli/arguments.js';
import { newFolder } from '../../rigs/folders.js';
import { run } from '../../rigs/processes.js';

/** Runs `roll-out.sh check` with a `temporal` command that prints these errors, one for each query of the only workflow. */
async function check(errors: readonly string[], timeoutS = 60) {
  const folder = await newFolder();
  const temporal = join(folder, 'temporal');
  const listed = JSON.stringify([{ execution: { workflowId: 'merchant-boarding-m-1' } }]);
  await writeFile(join(folder, 'errors'), errors.map((error) => `${error}\n`).join(''));
  await writeFile(
    temporal,
    `#!/usr/bin/env bash
cd '${folder}'
case "$1 $2" in
  'workflow list') echo '${listed}' ;;
  'workflow stack')
    error=$(head -n 1 errors)
    [ -n "$error" ] || exit 0
    tail -n +2 errors > rest; mv rest errors
    echo "Error: $error" >&2; exit 1 ;;
esac
`,
  );
  await chmod(temporal, 0o755);
  const env = { TEMPORAL: temporal, ROLL_OUT_TIMEOUT: `${timeoutS}` };
  return run('deploy/roll-out.sh', ['check'], env);
}

it.each([
  ['busy', ['Workflow is busy.', 'Workflow is busy.']],
  ['late', ['querying workflow failed: context deadline exceeded']],
])('an onboarding whose workflow is %s is asked again, and goes on', async (_, errors) => {
  expect(await check(errors)).toEqual({
    code: 0,
    stdout: 'all 1 go on\n',
    stderr: '... asks 1 running workflows, in at most 61 s\n',
  });
});

it.each([
  [['Workflow is busy.', '[TMPRL1100] Nondeterminism error: no command']],
  [['[TMPRL1100] Nondeterminism error: no command']],
])('after %j, an onboarding cannot go on', async (errors) => {
  const stderr =
    '... asks 1 running workflows, in at most 61 s\n' +
    'roll-out.sh: these cannot go on:\n' +
    'merchant-boarding-m-1: Error: [TMPRL1100] Nondeterminism error: no command\n';
  expect(await check(errors)).toEqual({ code: 1, stdout: '', stderr });
});

it('an onboarding that stays busy is reported when the patience ends', async () => {
  expect(await check(Array(9).fill('Workflow is busy.'), 0)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('merchant-boarding-m-1: Error: Workflow is busy.'),
  });
});

/**
 * Runs the script with a `temporal` command that has two builds, a and b, and that answers a list or count by the first pattern that
 * its query contains.
 */
async function rollOut(
  args: readonly string[],
  {
    counts = {},
    lists = {},
    failing = [],
    current = 'a',
    isLate = false,
  }: {
    readonly counts?: Readonly<Record<string, number>>;
    /** Workflow IDs by a part of the query. */
    readonly lists?: Readonly<Record<string, readonly string[]>>;
    /** IDs of workflows with an activity that keeps failing in our own code. */
    readonly failing?: readonly string[];
    readonly current?: string;
    /** The server applies a change, and responds too late. */
    readonly isLate?: boolean;
  },
) {
  const folder = await newFolder();
  const [temporal, workers] = [join(folder, 'temporal'), join(folder, 'workers')];
  const byQuery = (all: Readonly<Record<string, unknown>>) =>
    Object.entries(all)
      .map(([part, printed]) => `*${shellWord(part)}*) echo ${shellWord(JSON.stringify(printed))}`)
      .join(' ;;\n    ');
  const counted = Object.fromEntries(
    Object.entries(counts).map(([part, count]) => [part, { count: String(count) }]),
  );
  const listed = Object.fromEntries(
    Object.entries(lists).map(([part, ids]) => [
      part,
      ids.map((workflowId) => ({ execution: { workflowId, runId: 'r' } })),
    ]),
  );
  const pending = (type: string) =>
    shellWord(
      JSON.stringify({
        pendingActivities: [{ attempt: 3, lastFailure: { applicationFailureInfo: { type } } }],
      }),
    );
  await writeFile(join(folder, 'current'), current);
  await writeFile(
    temporal,
    `#!/usr/bin/env bash
file=${shellWord(join(folder, 'current'))}
of() {
  while [ $# -gt 1 ]; do [ "$1" != "$name" ] || { printf %s "$2"; return; }; shift; done
}
option() { name=$1 of "\${args[@]}"; }
args=("$@")
query=$(option --query)
case "$*" in
  'workflow count'*) case "$query" in
    ${byQuery({ ...counted, '': { count: '0' } })} ;;
    esac ;;
  'workflow list'*) case "$query" in
    ${byQuery({ ...listed, '': [] })} ;;
    esac ;;
  'workflow describe'*) case "$(option --workflow-id)" in
    ${failing.map((id) => `${shellWord(id)}) echo ${pending('SoftwareError')} ;;`).join('\n    ')}
    *) echo ${pending('PartnerError')} ;;
    esac ;;
  *describe-version*) echo '{}' ;;
  *'deployment describe --name'*)
    printf '{"routingConfig":{"currentVersionBuildID":"%s"}}\\n' "$(<"$file")" ;;
  *set-current-version*)
    was=$(<"$file")
    build=$(option --build-id)
    printf %s "$build" >"$file"
    ${isLate ? '' : 'exit 0'}
    if [ "$was" = "$build" ]; then echo 'Error: the version is already current' >&2
    else echo 'Error: context deadline exceeded' >&2
    fi
    exit 1 ;;
esac
`,
  );
  await writeFile(workers, '#!/bin/sh\n');
  await Promise.all([temporal, workers].map((each) => chmod(each, 0o755)));
  const env = {
    TEMPORAL: temporal,
    WORKERS: workers,
    ROLL_OUT_TIMEOUT: '2',
    UNREPLAYED: 'a test',
    RAMP_HOLD: '1',
    RAMP_STARTS: '1',
  };
  const ended = await run('deploy/roll-out.sh', args, env);
  return { ...ended, current: await readFile(join(folder, 'current'), 'utf8') };
}

const ON_B = "TemporalWorkerDeploymentVersion = 'gangway:b'";
const ON_A = "TemporalWorkerDeploymentVersion != 'gangway:b'";

describe('a ramp', () => {
  const STARTS = 'b gets 50% of the onboardings\nb gets 100% of the onboardings\n';
  const ramp = (more: object) => rollOut(['ramp', 'b', '50,100'], more);
  const newest = (where: string, kind: string) => `${where} AND\n      WorkflowType = '${kind}'`;
  const quiet = { 'AND Requirements': 0, TemporalReportedProblems: 0, "IN ('Failed'": 0 };

  it('goes back when our own code fails in activities of the build, and not of the other ones', async () => {
    const lists = {
      [newest(ON_B, 'businessOnboarding')]: ['t-1', 't-2'],
      [newest(ON_A, 'merchantBoarding')]: ['m-1'],
    };
    const { code, stdout } = await ramp({ counts: quiet, lists, failing: ['t-2'] });
    expect([code, stdout]).toEqual([
      1,
      'b was not replayed, and gets onboardings anyway: a test\nb gets 50% of the onboardings\n' +
        'b is taken back: in 1 of 2 onboardings an activity fails in our own code, and in 0 of 1 on other builds\n' +
        'a is current again\n',
    ]);
  });

  it('continues when it fails as often on the other builds', async () => {
    const lists = {
      [newest(ON_B, 'merchantBoarding')]: ['m-3', 'm-4'],
      [newest(ON_A, 'merchantBoarding')]: ['m-1', 'm-2'],
    };
    const counts = { ...quiet, [ON_B]: 1, 'WorkflowType =': 0 };
    const { code, stdout } = await ramp({ counts, lists, failing: ['m-1', 'm-3'] });
    expect([code, stdout]).toEqual([0, expect.stringContaining(STARTS)]);
  });

  it('does not succeed before each kind of onboarding of the last week has started on the build', async () => {
    const kind = (name: string) => `AND WorkflowType = '${name}' AND StartTime >=`;
    const counts = {
      ...quiet,
      [`${ON_B} ${kind('merchantBoarding')}`]: 1,
      [`${ON_B} ${kind('businessOnboarding')}`]: 0,
      [kind('merchantBoarding')]: 7,
      [kind('businessOnboarding')]: 7,
      [ON_B]: 1,
    };
    const { code, stdout, stderr } = await ramp({ counts });
    expect([code, stdout, stderr]).toEqual([
      1,
      expect.stringContaining(STARTS),
      'roll-out.sh: b keeps its 100%, and none of these has started on it: businessOnboarding; start one, and ramp it again\n',
    ]);
  });
});

it('a build that became current on a server that responded too late is promoted', async () => {
  const { code, stdout, current } = await rollOut(['promote', 'b'], { isLate: true });
  expect([code, current]).toEqual([0, 'b']);
  expect(stdout).toContain('b is current; to go back: roll-out.sh back a');
});

it.each([
  [[], 'a command and a build are needed'],
  [['promote'], 'a command and a build are needed'],
  [['promote', 'No_Build'], 'BUILD takes lower-case letters, digits, "-" and "."'],
  [['ramp', '0.2.0', '101'], 'PERCENT is a whole number from 0 to 100'],
  [['push', '0.2.0'], 'there is no command push'],
])('rejects %j, and does nothing', async (args, why) => {
  expect(await run('deploy/roll-out.sh', args, {})).toEqual({
    code: 2,
    stdout: '',
    stderr: `roll-out.sh: ${why}; see roll-out.sh --help\n`,
  });
});

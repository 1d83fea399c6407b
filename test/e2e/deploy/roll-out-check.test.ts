import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../rigs/folders.js';
import { run } from '../../rigs/processes.js';

/** Runs `roll-out.sh check` with a `temporal` command that prints these errors, one for each query of the only workflow. */
async function check(errors: readonly string[], patience = 60) {
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
  const env = { TEMPORAL: temporal, ROLL_OUT_TIMEOUT: `${patience}` };
  return run('deploy/roll-out.sh', ['check'], env);
}

it.each([
  ['busy', ['Workflow is busy.', 'Workflow is busy.']],
  ['late', ['querying workflow failed: context deadline exceeded']],
])('an onboarding whose workflow is %s is asked again, and goes on', async (_, errors) => {
  expect(await check(errors)).toEqual({ code: 0, stdout: 'all 1 go on\n', stderr: '' });
});

it.each([
  [['Workflow is busy.', '[TMPRL1100] Nondeterminism error: no command']],
  [['[TMPRL1100] Nondeterminism error: no command']],
])('after %j, an onboarding cannot go on', async (errors) => {
  const stderr =
    'roll-out.sh: these cannot go on:\n' +
    'merchant-boarding-m-1: Error: [TMPRL1100] Nondeterminism error: no command\n';
  expect(await check(errors)).toEqual({ code: 1, stdout: '', stderr });
});

it('an onboarding that stays busy is reported when the patience ends', async () => {
  expect(await check(['Workflow is busy.'], 0)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('merchant-boarding-m-1: Error: Workflow is busy.'),
  });
});

it.each([
  [[], 'a command and a build are needed'],
  [['promote'], 'a command and a build are needed'],
  [['promote', 'No_Build'], 'BUILD takes lower-case letters, digits, "-" and "."'],
  [['ramp', '0.2.0', '101'], 'PERCENT is a whole number from 0 to 100'],
  [['push', '0.2.0'], 'there is no command push'],
])('rejects %j, and does nothing', async (args, why) => {
  expect(await run('deploy/roll-out.sh', args, {})).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: `roll-out.sh: ${why}; see roll-out.sh --help\n`,
  });
});

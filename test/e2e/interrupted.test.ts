import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { launchNode } from '../rigs/processes.js';
import { eventually } from '../rigs/waiting.js';

it('a test that is killed leaves no process behind of those that it has started', async () => {
  // Every process inherits the PATH, and `ps` shows it.
  const mark = `/${randomUUID()}`;
  const env = { PATH: `${process.env['PATH']}:${mark}`, TEMPORAL_CLI_PATH: inject('temporalCli') };
  const args = ['--import', 'tsx', 'test/rigs/interrupted/endless.ts'];
  const { stop } = await launchNode(args, env, 'all run');
  const left = async () => {
    const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(mark));
  };
  // Itself, a Temporal server, a sandbox, a shell and its child.
  expect((await left()).length).toBeGreaterThanOrEqual(5);
  expect(await stop('SIGKILL')).toBeNull();
  await eventually(left, (all) => all.length === 0, 'the end of all processes');
});

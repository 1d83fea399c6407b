import { expect, inject, onTestFinished } from 'vitest';
import { merchant } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import { run } from '../processes.js';
import { createRig } from '../rig.js';
import { serveBuilds } from './builds.js';

/** deploy/roll-out.sh for builds of the workers by name, until the running test ends. */
export async function rollOuts(
  env: Readonly<Record<string, string>>,
  roots: Readonly<Record<string, string | undefined>>,
) {
  const builds = await serveBuilds(env, roots);
  onTestFinished(() => builds.close());
  /** Runs the script, and leaves out the progress of a replay. */
  const rollOut = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const places = { WORKERS: builds.command, TEMPORAL: inject('temporalCli') };
    const ended = await run('deploy/roll-out.sh', args, { ...env, ...places, ...more });
    return { ...ended, stderr: ended.stderr.replaceAll(/^\.\.\. .*\n/gm, '') };
  };
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await rollOut(args);
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
    return stdout.trimEnd();
  };
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await rollOut(args);
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 1, stdout: '' });
    return stderr.trimEnd();
  };
  const workers = (...args: string[]) => {
    const [program = '', ...first] = builds.command.split(' ');
    return run(program, [...first, ...args], {});
  };
  return { builds, rollOut, done, refused, workers };
}

/** Builds of the workers by name, on a Temporal server of their own, until the running test ends. */
export async function deployment(
  roots: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, string>> = {},
  dynamicConfig: Readonly<Record<string, string>> = {},
) {
  const rig = await createRig({ worker: false, payloadKeys: '', server: { dynamicConfig } });
  onTestFinished(() => rig.close());
  // Boardings wait most of the time, and the builds of all tests take their turns.
  const env: Record<string, string> = { ...rig.env, GANGWAY_POLL_MAX: '3s', ...settings };
  const ofBuilds = await rollOuts(env, roots);
  const waiting = async (count: number, more?: object) => {
    const boardings = Array.from({ length: count }, () => rig.board(merchant('uw-level-1', more)));
    const all = await Promise.all(boardings);
    await Promise.all(all.map((each) => each.requirement('underwriting-note')));
    return all;
  };
  /** Answers what each is asked, and then all have been boarded, each once. */
  const allBoarded = async (all: readonly Onboarding[], before = 0) => {
    for (const each of all) {
      const { id } = await each.requirement('underwriting-note');
      await each.resolve(id, { kind: 'text', text: 'Answered.' });
      expect(await each.outcome()).toMatchObject({ outcome: 'boarded' });
    }
    for (const operation of ['create-merchant', 'submit-merchant'])
      expect(await rig.sandbox.ledger({ operation })).toHaveLength(all.length + before);
  };
  return { rig, env, ...ofBuilds, waiting, allBoarded };
}

/** The build of the last workflow task. */
export async function buildOf({ handle }: Onboarding): Promise<string | null | undefined> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

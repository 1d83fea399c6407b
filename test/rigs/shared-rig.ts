import { test as base } from 'vitest';
import { createRig, type Rig, type RigOptions } from './rig.js';

/** The rigs that the test files of this process share, by their options. */
const opened = new Map<string, Promise<Rig>>();

/** Closes the shared rigs when vitest ends the process, which runs many test files. */
const test = base
  .extend('opened', { scope: 'worker' }, opened)
  .extend('rigs', { scope: 'worker' }, ({ opened }, { onCleanup }) => {
    onCleanup(async () => {
      await Promise.all([...opened.values()].map(async (rig) => (await rig).close()));
    });
    return opened;
  });

/** Options of a rig that several test files may share: values that JSON has. */
export type SharedOptions = Pick<
  RigOptions,
  | 'accounts'
  | 'bankingUser'
  | 'dbaForm'
  | 'fourEyes'
  | 'limits'
  | 'ownNamespace'
  | 'stalledCalls'
  | 'poll'
  | 'user'
>;

/**
 * The rig with these options that all test files of this process share. A test file calls it at its top level: `const rig = await
 * sharedRig()`. When the file ends, the rig is cleared for the next one. A test that stops or configures a server, a worker or a
 * sandbox needs a rig of its own: {@link createRig}.
 */
export async function sharedRig(options: SharedOptions = {}): Promise<Rig> {
  const key = JSON.stringify(options);
  const opening = opened.get(key) ?? createRig(options);
  opened.set(key, opening);
  const rig = await opening;
  test.afterAll(({ rigs: _ }) => rig.clear());
  return rig;
}

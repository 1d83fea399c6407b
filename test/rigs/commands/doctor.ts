import { expect, onTestFinished } from 'vitest';
import { gangway } from '../command.js';
import { jsonLines } from '../processes.js';
import { createRig, type Rig, type RigOptions } from '../rig.js';

/** A finding of doctor. */
export interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly fix?: string;
}

export const wrong = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'wrong',
  detail,
  fix,
});

/** The findings of doctor that are not in order, without weak settings. */
export async function problems(env: Record<string, string>): Promise<Finding[]> {
  const result = await gangway(env, ['doctor', '--json']);
  const matches = jsonLines<Finding>(result).filter(
    ({ state, check }) => state !== 'ok' && check !== 'weak setting',
  );
  expect(result.code).toBe(matches.some(({ state }) => state === 'wrong') ? 1 : 0);
  return matches;
}

export async function ownRig(options: RigOptions = {}): Promise<Rig> {
  const own = await createRig(options);
  onTestFinished(() => own.close());
  return own;
}

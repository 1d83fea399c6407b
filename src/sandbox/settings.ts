import { z } from 'zod';
import { readWordings, wordingSettings } from '../partners/account-settings.js';
import { listenAddress, readSettings } from '../settings/settings.js';
import { readRecording } from './playback.js';
import { pace } from './scenario.js';
import type { SandboxOptions } from './server.js';

/** The settings of the sandbox. */
export const sandboxSettings = z.object({
  SANDBOX_ADDRESS: listenAddress.prefault('127.0.0.1:4010').describe('Where the sandbox listens.'),
  SANDBOX_PACE: pace
    .prefault('1s')
    .describe('Time, or number of status reads, between two steps of its underwriters.'),
  SANDBOX_RECORDING: z.string().optional().meta({
    description: 'Folder of a recording that responds to the operations that it has, see `GANGWAY_RECORD`.',
    format: 'path of a folder',
    unset: 'all operations are emulated',
  }),
  ...wordingSettings().shape,
});

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadSandboxSettings(environment: NodeJS.ProcessEnv): SandboxOptions {
  const set = readSettings(sandboxSettings, environment);
  const { posNames } = readWordings(environment);
  return {
    ...set.SANDBOX_ADDRESS,
    pace: set.SANDBOX_PACE,
    posNames,
    playback: set.SANDBOX_RECORDING === undefined ? undefined : readRecording(set.SANDBOX_RECORDING),
  };
}

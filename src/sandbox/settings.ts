import { z } from 'zod';
import { readWordings, wordingSettings } from '../partners/account-settings.js';
import { listenAddress, readSettings } from '../settings/settings.js';
import { pace } from './scenario.js';
import type { SandboxOptions } from './server.js';

export const sandboxSettings = z.object({
  SANDBOX_ADDRESS: listenAddress.prefault('127.0.0.1:4010').describe('Where the sandbox listens.'),
  SANDBOX_PACE: pace
    .prefault('1s')
    .describe('Time, or number of status reads, between two steps of the underwriters.'),
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
  };
}

#!/usr/bin/env node
import { startSandbox } from './sandbox/server.js';
import { sandboxSettings } from './sandbox/settings.js';
/** The sandbox process: all partner systems over real HTTP, until SIGTERM or SIGINT. */
import { BadSetting, loadConfig, readSettings } from './settings/settings.js';

async function main(): Promise<void> {
  const set = readSettings(sandboxSettings, process.env);
  const { SANDBOX_ADDRESS: address, SANDBOX_PACE, SANDBOX_TOKEN_LIFETIME: tokenLifetimeMs } = set;
  const { posNames } = loadConfig(process.env);
  const sandbox = await startSandbox({ ...address, pace: SANDBOX_PACE, posNames, tokenLifetimeMs }).catch(
    (error: unknown) => {
      throw new BadSetting('SANDBOX_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
    },
  );
  process.stdout.write(`sandbox is ready at ${sandbox.url}; scenarios: ${sandbox.url}/sandbox/scenarios\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void sandbox.close());
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof BadSetting ? error.message : error}\n`);
  process.exitCode = 2;
});

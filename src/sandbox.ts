#!/usr/bin/env node
/** The sandbox process: all partner systems over real HTTP, until SIGTERM or SIGINT. */
import { startSandbox } from './sandbox/server.js';
import { loadSandboxSettings } from './sandbox/settings.js';
import { BadSetting } from './settings/settings.js';

async function main(): Promise<void> {
  const sandbox = await startSandbox(loadSandboxSettings(process.env)).catch((error: unknown) => {
    if (error instanceof BadSetting) throw error;
    throw new BadSetting('SANDBOX_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
  });
  process.stdout.write(`sandbox is ready at ${sandbox.url}; scenarios: ${sandbox.url}/sandbox/scenarios\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void sandbox.close());
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof BadSetting ? error.message : error}\n`);
  process.exitCode = 2;
});

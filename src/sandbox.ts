#!/usr/bin/env node
/** The sandbox process: all partner systems over real HTTP, until SIGTERM or SIGINT. */
import { z } from 'zod';
import { TOKEN_LIFETIME_MS } from './sandbox/banking/users.js';
import { pace } from './sandbox/scenario.js';
import { startSandbox } from './sandbox/server.js';
import { BadSetting, duration, listenAddress, loadConfig, readSettings } from './settings/settings.js';

const settings = z.object({
  SANDBOX_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 4010 }),
  SANDBOX_PACE: pace.default({ milliseconds: 1_000 }),
  SANDBOX_TOKEN_LIFETIME: duration.default(TOKEN_LIFETIME_MS),
});

async function main(): Promise<void> {
  const set = readSettings(settings, process.env);
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

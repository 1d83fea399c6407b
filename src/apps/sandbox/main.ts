#!/usr/bin/env node
/** The sandbox process: all partner systems over real HTTP, until SIGTERM or SIGINT. */
import '../../platform/process/node-version.js';
import { BadSetting } from '../../platform/settings/settings.js';
import { loadSandboxSettings, serveSandbox } from './server.js';

async function main(): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
  const print = (line: string) => process.stdout.write(`${line}\n`);
  await serveSandbox(loadSandboxSettings(process.env), ending.signal, print);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof BadSetting ? error.message : error}\n`);
  process.exitCode = 2;
});

#!/usr/bin/env node
/** The sandbox process: all partner systems over real HTTP, until SIGTERM or SIGINT. */
import './process/node-version.js';
import { loadSandboxSettings, serveSandbox } from './sandbox/server.js';
import { BadSetting } from './settings/settings.js';

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

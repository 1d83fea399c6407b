#!/usr/bin/env node
/** `gangway`: the command for operators and their scripts. */
import { crash, Interrupted } from './apps/command/cli/errors.js';
import { run } from './apps/command/program.js';

import './platform/process/node-version.js';

process.on('uncaughtException', crash);

const interruption = new AbortController();
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A second signal ends the process at once. */
function interrupt(signal: NodeJS.Signals): void {
  for (const each of SIGNALS) process.off(each, interrupt);
  interruption.abort(Interrupted.by(signal));
}
for (const signal of SIGNALS) process.on(signal, interrupt);

// A reader that closes the pipe early, as in "gangway list | head", is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  interruption.abort(new Interrupted('a closed pipe', 0));
});

const { argv, env, stdin, stdout, stderr } = process;
process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr, signal: interruption.signal });

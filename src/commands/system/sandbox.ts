import { serveSandbox } from '../../sandbox/server.js';
import { loadSandboxSettings } from '../../sandbox/settings.js';
import type { CommandLine } from '../cli/command-line.js';

/** Runs the emulated partners until Ctrl-C. */
export async function sandbox(cli: CommandLine): Promise<void> {
  await serveSandbox(loadSandboxSettings(cli.env), cli.signal, (line) => cli.line(line));
  cli.signal.throwIfAborted();
}

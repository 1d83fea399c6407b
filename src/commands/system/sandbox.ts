import { serveSandbox } from '../../sandbox/server.js';
import { loadSandboxSettings } from '../../sandbox/settings.js';
import type { CommandLine } from '../cli/command-line.js';

export async function sandbox(cli: CommandLine): Promise<void> {
  await serveSandbox(loadSandboxSettings(cli.env), cli.signal, (line) => cli.line(line));
  cli.signal.throwIfAborted();
}

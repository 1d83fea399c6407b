import { readRecording } from '../../sandbox/playback.js';
import { serveSandbox } from '../../sandbox/server.js';
import { loadSandboxSettings } from '../../sandbox/settings.js';
import type { CommandLine } from '../cli/command-line.js';

/** Runs the emulated partners until Ctrl-C. */
export async function sandbox(
  cli: CommandLine,
  { recording }: { readonly recording?: string },
): Promise<void> {
  const playback = recording === undefined ? {} : { playback: readRecording(recording, '--recording') };
  await serveSandbox({ ...loadSandboxSettings(cli.env), ...playback }, cli.signal, (line) => cli.line(line));
  cli.signal.throwIfAborted();
}

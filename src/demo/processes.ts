import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endWithUs } from '../process/lifecycle.js';

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const built = (name: string) => fileURLToPath(new URL(`../${name}.js`, import.meta.url));

export interface Process {
  stop(): Promise<void>;
}

/**
 * Starts one of the project's processes and waits until the URL `probe` responds. The process has a process group of its own, so
 * that Ctrl-C reaches the demo only, which stops the processes in order.
 *
 * @param log file for what it prints
 */
export async function start(
  name: 'worker' | 'receiver' | 'sandbox' | 'codec-server',
  env: NodeJS.ProcessEnv,
  log: string,
  probe: string,
): Promise<Process> {
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, [built(name)], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  endWithUs(child);
  await untilUp(name, child, probe, log);
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

const START_TIMEOUT_MS = 60_000;

async function untilUp(name: string, child: ChildProcess, probe: string, log: string): Promise<void> {
  for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await sleep(100)) {
    if (child.exitCode !== null) break;
    const up = await fetch(probe).then(
      // A rejection is a response as well.
      ({ status }) => status < 500,
      () => false,
    );
    if (up) return;
  }
  throw new Error(`the ${name} did not start; see ${log}`);
}

/** Runs `gangway` as a person or a script does, and returns its JSON lines. */
export async function gangway<Line>(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Line[]> {
  const { stdout } = await run(process.execPath, [built('starter'), ...args, '--json'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

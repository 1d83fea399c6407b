import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { endWithUs } from '../../src/process/lifecycle.js';

/** A program of the cluster. */
export interface Logged {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** Starts a program that appends to a log what it writes, and that does not outlive this process. */
export function logged(log: string, start: (stdio: ['ignore', number, number]) => ChildProcess): Logged {
  const file = openSync(log, 'a');
  try {
    const child = start(['ignore', file, file]);
    endWithUs(child);
    return { child, exited: once(child, 'exit') };
  } finally {
    closeSync(file);
  }
}

/** Waits until a program is up. @throws {Error} when it ends before that */
export async function untilUp(name: string, { exited }: Logged, isUp: Promise<unknown>): Promise<void> {
  const ended = exited.then(() => Promise.reject(new Error(`${name} ended at once`)));
  // It is an error only during the start.
  ended.catch(() => undefined);
  await Promise.race([isUp, ended]);
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { BadSetting } from '../settings/settings.js';
import { createLogger } from './logging.js';

/**
 * Runs a process. An error that people can correct ends it with one line: a bad setting with exit code 2, another `foreseen`
 * error with 1. Any other error is a bug. It ends the process with 1 and goes through the logger, because Node itself would
 * print the whole message.
 */
export function runProcess(
  main: (process: NodeJS.Process) => Promise<void>,
  isForeseen: (error: unknown) => boolean = () => false,
): void {
  const end = (error: unknown) => {
    if (error instanceof Error && (error instanceof BadSetting || isForeseen(error))) {
      process.stderr.write(`${error.message}\n`);
    } else {
      const failure = error instanceof Error ? error : new Error(String(error));
      createLogger('fatal').fatal({ error: failure }, 'the process has failed');
    }
    // Open handles, native connections included, would keep the process alive.
    process.exit(error instanceof BadSetting ? 2 : 1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  main(process).catch(end);
}

/** @throws {BadSetting} which names the setting of the address, when `server` cannot listen there */
export function awaitListening<Server>(setting: string, server: Promise<Server>): Promise<Server> {
  return server.catch((error: unknown) => {
    throw new BadSetting(setting, error instanceof Error ? error.message : 'cannot be used');
  });
}

/**
 * The first of these signals stops a process in order, with exit code 0 (docs/operations.md, Stop and start). A second one ends it
 * at once. In a worker, the Temporal SDK handles them.
 */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Closes these one after the other on the first signal. On the second one, Node ends the process. */
export function closeOnSignal(open: readonly { close(): Promise<void> }[], closed: () => void): void {
  const onSignal = async () => {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    for (const each of open) await each.close();
    closed();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
}

const children = new Set<() => void>();

/**
 * Ends a child process when this process ends, however that happens. An exit handler kills it at once. A signal that cannot be
 * caught runs no handler, so a shell kills it as well: its input is a pipe that closes with this process.
 *
 * @param target `group` for a child that was spawned `detached`, and for everything that it has started
 */
export function endWithUs(child: ChildProcess, target: 'child' | 'group' = 'child'): void {
  const { pid } = child;
  if (pid === undefined) return;
  const id = target === 'group' ? -pid : pid;
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', `${id}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If there is no shell, the exit handler still runs.
  guard.on('error', () => undefined);
  // Neither keeps this process running.
  guard.unref();
  (guard.stdin as Socket).unref();
  const kill = () => killAll(id);
  if (children.size === 0) process.on('exit', killChildren);
  children.add(kill);
  child.once('exit', () => {
    guard.kill('SIGKILL');
    children.delete(kill);
    if (children.size === 0) process.off('exit', killChildren);
  });
}

function killChildren(): void {
  for (const kill of children) kill();
}

function killAll(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Children that are killed when this process exits. */
const children = new Set<() => void>();

/**
 * Has a child process end when this process ends, however that happens. An exit handler kills it at once. A signal that
 * cannot be caught runs no handler, so a shell kills it as well: its input is a pipe that closes with this process.
 *
 * @param target `group` for a child that was spawned `detached`, and for all that it has started
 */
export function endWithUs(child: ChildProcess, target: 'child' | 'group' = 'child'): void {
  const { pid } = child;
  if (pid === undefined) return;
  const id = target === 'group' ? -pid : pid;
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', `${id}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is still the exit handler.
  guard.on('error', () => undefined);
  // Neither keeps this process running.
  guard.unref();
  (guard.stdin as Socket).unref();
  const kill = () => killAll(id);
  if (children.size === 0) process.on('exit', killEveryone);
  children.add(kill);
  child.once('exit', () => {
    guard.kill('SIGKILL');
    children.delete(kill);
    if (children.size === 0) process.off('exit', killEveryone);
  });
}

function killEveryone(): void {
  for (const kill of children) kill();
}

function killAll(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

import { closeSync, openSync } from 'node:fs';

/** Starts a process that appends to a log what it writes. */
export function logged<Child>(log: string, start: (stdio: ['ignore', number, number]) => Child): Child {
  const file = openSync(log, 'a');
  try {
    return start(['ignore', file, file]);
  } finally {
    closeSync(file);
  }
}

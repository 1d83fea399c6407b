import { setImmediate } from 'node:timers/promises';

/** Resolves once what has happened by now to any socket is known: of two such turns, one polls the sockets in between. */
export async function pendingEvents(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

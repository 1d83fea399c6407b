/** Calls back once what has happened by now to any socket is known: of two such turns, one polls the sockets in between. */
export function afterPendingEvents(done: () => void): void {
  setImmediate(() => setImmediate(done));
}

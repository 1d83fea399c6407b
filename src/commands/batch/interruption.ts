import { constants } from 'node:os';

/** Somebody stopped the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }

  /** As shells tell it. */
  readonly exitCode: number;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs something that Ctrl-C asks to stop; a second Ctrl-C ends the process at once. */
export async function interruptible<T>(stop: AbortController, what: () => Promise<T>): Promise<T> {
  const onSignal = (signal: NodeJS.Signals) => stop.abort(new Interrupted(signal));
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    return await what();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { NamespaceNotFoundError } from '@temporalio/client';
import { isUnavailable } from '../../temporal/unavailable.js';
import { CommandFailed } from '../cli/errors.js';
import { EXIT } from '../cli/exit-codes.js';

export const RERUN = 'run the same command again: it continues from here and starts nothing twice';

/** Between two attempts, in milliseconds. */
const PAUSE_MS = 1_000;

/** Repeats a call while Temporal is unavailable. */
export type Persistently = <Result>(call: () => Promise<Result>) => Promise<Result>;

interface Persistence {
  /** The time for which Temporal may be unavailable, in milliseconds. */
  readonly giveUpAfter: number;
  /** Ends all calls. Aborted here when Temporal was unavailable for too long. */
  readonly stop: AbortController;
  readonly note: (text: string) => void;
}

/** All calls share the time limit: it ends when none of them got a response for that long. */
export function persistent({ giveUpAfter, stop, note }: Persistence): Persistently {
  let unavailableSince: number | undefined;
  let hasResponded = false;
  // A frontend that starts while its database is down reports that a namespace does not exist.
  const isTransient = (error: unknown) =>
    isUnavailable(error) || (hasResponded && error instanceof NamespaceNotFoundError);
  return async (call) => {
    for (;;) {
      try {
        const result = await call();
        unavailableSince = undefined;
        hasResponded = true;
        return result;
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (unavailableSince === undefined) note('Temporal does not respond; trying again');
        unavailableSince ??= Date.now();
        if (Date.now() - unavailableSince >= giveUpAfter) stop.abort(gaveUp());
        await sleep(PAUSE_MS, undefined, { signal: stop.signal });
      }
    }
  };
}

function gaveUp(): CommandFailed {
  const message = `gave up, because Temporal does not respond (--give-up-after)\n${RERUN}`;
  return new CommandFailed(message, { exitCode: EXIT.unavailable });
}

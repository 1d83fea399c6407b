import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isAway } from '../../temporal/away.js';
import { CommandFailed } from '../errors.js';

export const HOW_TO_GO_ON = 'run the same command again: it goes on from here, and starts nothing twice';

/** How long Temporal may take over one question, in milliseconds. */
const DEADLINE_MS = 10_000;

/** Between two tries, in milliseconds. */
const PAUSE_MS = 1_000;

/** Asks something of Temporal that it should answer at once. */
export function promptly<Answer>(client: Client, ask: () => Promise<Answer>): Promise<Answer> {
  return client.connection.withDeadline(Date.now() + DEADLINE_MS, ask);
}

/** Asks again while Temporal does not answer. */
export type Persistently = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

export interface Patience {
  /** How long Temporal may be away, in milliseconds. */
  readonly giveUpAfter: number;
  /** Ends all asking. Aborted here when Temporal has been away for too long. */
  readonly stop: AbortController;
  readonly note: (text: string) => void;
}

/** One patience for all who ask: it runs out when none of them got an answer for that long. */
export function persistent({ giveUpAfter, stop, note }: Patience): Persistently {
  let awaySince: number | undefined;
  return async (ask) => {
    for (;;) {
      try {
        const answer = await ask();
        awaySince = undefined;
        return answer;
      } catch (error) {
        if (!isAway(error)) throw error;
        if (awaySince === undefined) note('Temporal does not answer; trying on');
        awaySince ??= Date.now();
        if (Date.now() - awaySince >= giveUpAfter)
          stop.abort(
            new CommandFailed(`gave up: Temporal does not answer (--give-up-after)\n${HOW_TO_GO_ON}`),
          );
        await sleep(PAUSE_MS, undefined, { signal: stop.signal });
      }
    }
  };
}

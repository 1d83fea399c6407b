import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';
import {
  AT_MOST_ONCE,
  type Outcome,
  outcomeFromFailure,
  type ProxiesOf,
  resolveUncertainWrite,
  sendUntilResolved,
} from '../../src/at-most-once/workflow.js';
import type { Bakery } from './activities.js';

const { orderCake } = proxyActivities(AT_MOST_ONCE) as unknown as ProxiesOf<Bakery>;

/** A person who has looked gives the number of the order, or says that it may be sent again. */
export const answer = defineUpdate<void, [{ readonly confirm: string } | 'again']>('answer');

/** Orders a cake, and never two by accident. @returns the number of the order */
export async function birthday(cake: string): Promise<string> {
  const answers: ({ readonly confirm: string } | 'again')[] = [];
  setHandler(answer, (input) => void answers.push(input));
  const ask = () => condition(() => answers.length > 0).then(() => answers.shift());
  const failed = async (error: Error) => Promise.reject(error);
  return sendUntilResolved<string, Error>({
    send: (sendOnce) =>
      sendOnce(orderCake, cake).then((result) => ({ is: 'done', result }) as const, outcomeOf),
    rejected: failed,
    forbidden: failed,
    uncertain: () =>
      resolveUncertainWrite({ ask, evidence: () => undefined, confirm: async (id) => ({ result: id }) }),
  });
}

function outcomeOf(error: unknown): Outcome<never, Error> {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === 'rejected')
    return { is: 'rejected', failure: cause };
  if (cause === undefined || outcomeFromFailure(cause)?.outcome === 'none') throw error;
  return { is: 'uncertain', failure: cause };
}

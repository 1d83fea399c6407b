import { ApplicationFailure } from '@temporalio/common';
import { atMostOnce } from '../../src/at-most-once/activity.js';
import type { Permit } from '../../src/at-most-once/permit.js';
import type { AtMostOnce } from '../../src/at-most-once/workflow.js';

class Refused extends Error {}

/** The client of a made-up bakery. It does not compile without a permit. */
async function postCake(name: string, permit: Permit): Promise<string> {
  await permit();
  const response = await fetch('https://bakery.example/cakes', { method: 'POST', body: name });
  if (response.status === 422) throw new Refused('there is no such cake');
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.text();
}

const typeOf = (error: unknown) => (error instanceof Refused ? 'rejected' : 'uncertain');
const { sendOnce } = atMostOnce({
  classify: typeOf,
  toFailure: (error, retryable) =>
    ApplicationFailure.create({ type: typeOf(error), message: String(error), nonRetryable: !retryable }),
  toUnsentFailure: (error) => error,
});

export interface Bakery {
  orderCake(name: string): AtMostOnce<string>;
}

export const bakery: Bakery = {
  orderCake: (name) => sendOnce(({ beforeSending }) => postCake(name, beforeSending)),
};

import type { Client } from '@temporalio/client';

/** How long Temporal may take to say that it is there, in milliseconds. */
const DEADLINE_MS = 2_000;

/** How long an answer holds, in milliseconds: however many ask, Temporal is asked once. */
const HOLDS_MS = 1_000;

/** @returns asks whether Temporal answers for our namespace, and answers in bounded time */
export function temporalCheck(client: Client): () => Promise<boolean> {
  const { namespace } = client.options;
  const describe = () => client.workflowService.describeNamespace({ namespace });
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= client.connection
      .withDeadline(Date.now() + DEADLINE_MS, describe)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        setTimeout(() => {
          answer = undefined;
        }, HOLDS_MS).unref();
      });
    return answer;
  };
}

import { condition, isCancellation, log } from '@temporalio/workflow';
import type { PublishedState } from './published-state.js';
import type { RequirementQueue } from './requirement-queue.js';

/** Reports each overdue requirement once, while the workflow runs. */
export function watchDueDates(requirements: RequirementQueue, state: PublishedState): void {
  watch(requirements, state).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
}

async function watch(requirements: RequirementQueue, state: PublishedState): Promise<never> {
  const next = () => requirements.inTime.map(({ dueAt }) => Date.parse(dueAt));
  for (;;) {
    await condition(() => next().length > 0);
    const due = Math.min(...next());
    // The requirement may be closed by now, as by the end of the workflow.
    if (due === Number.POSITIVE_INFINITY) continue;
    const isAnswered = () => !next().includes(due);
    const summary = 'Wait until an answer is overdue';
    const isInTime = due > Date.now() && (await condition(isAnswered, due - Date.now(), { summary }));
    if (isInTime) continue;
    for (const requirement of requirements.inTime) {
      if (Date.parse(requirement.dueAt) > due) continue;
      requirements.overdue(requirement);
      log.warn('a requirement is overdue');
      state.report();
    }
  }
}

import { condition, isCancellation } from '@temporalio/workflow';
import type { Requirement } from '../../messages/requirements.js';

/** Which open requirements are overdue. */
export class DueDates {
  readonly #overdue: Set<string>;

  constructor(
    private readonly open: () => readonly Requirement[],
    private readonly onOverdue: (requirement: Requirement) => void,
    overdue: readonly string[] = [],
  ) {
    this.#overdue = new Set(overdue);
  }

  get overdue(): readonly string[] {
    return [...this.#overdue];
  }

  /** Reports each requirement once that becomes overdue, as long as the workflow runs. */
  watch(): void {
    this.#watch().catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  async #watch(): Promise<void> {
    const next = () => this.#inTime.map(({ dueAt }) => Date.parse(dueAt));
    for (;;) {
      await condition(() => next().length > 0);
      const due = Math.min(...next());
      // The requirement may be closed by now, as by the end of the workflow.
      if (due === Number.POSITIVE_INFINITY) continue;
      const isAnswered = () => !next().includes(due);
      const summary = 'Wait until an answer is overdue';
      const isInTime = due > Date.now() && (await condition(isAnswered, due - Date.now(), { summary }));
      if (isInTime) continue;
      for (const requirement of this.#inTime) {
        if (Date.parse(requirement.dueAt) > due) continue;
        this.#overdue.add(requirement.id);
        this.onOverdue(requirement);
      }
    }
  }

  get #inTime(): readonly Requirement[] {
    return this.open().filter(({ id }) => !this.#overdue.has(id));
  }
}

import { setHandler } from '@temporalio/workflow';
import {
  type PartnerAccountActivities,
  type PartnerAccountInput,
  readsUnreadable,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import type { Journey } from '../journey/journey.js';
import { accountName, partnerActivities, REPEATABLE, WAIT } from '../journey/partner-activities.js';
import { masked } from '../journey/published-state.js';
import type { Question } from '../journey/requirement-queue.js';
import { type Task, unlessEnded } from '../journey/tasks.js';

/** Only this many of the workflows that wait for one operation are read. */
const MOST_WORKFLOWS = 20;

interface Unreadable {
  readonly report: UnreadableReport;
  readonly workflowIds: Set<string>;
  /** Id of the requirement, once it is raised. */
  id?: string;
}

/**
 * Asks people about operations whose responses cannot be read: one requirement for each operation, however many onboardings
 * wait. The requirement closes when none of the reported onboardings waits any more.
 */
export class UnreadableReads {
  readonly #operations = new Map<string, Unreadable>();
  /** How many reports were new. */
  #reports = 0;

  constructor(
    private readonly journey: Journey,
    private readonly system: PartnerAccountInput['system'],
  ) {
    setHandler(readsUnreadable, (report) => this.#onReport(report));
  }

  get dueTasks(): readonly Task[] {
    return this.#operations.size > 0 ? [{ name: 'unreadable responses', run: this.#ask }] : [];
  }

  readonly #ask = async (): Promise<void> => {
    const { awaitReadable, retryReads } = partnerActivities<PartnerAccountActivities>(this.system)({
      awaitReadable: { ...WAIT, summary: 'Wait until responses can be read' },
      retryReads: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Retry waiting activities' },
    });
    while (this.#operations.size > 0) {
      this.#raise();
      const reports = this.#reports;
      const readable = await unlessEnded(
        () => awaitReadable({ reads: this.#reads }),
        () => this.#reports > reports || this.#answered.length > 0,
      );
      for (const operation of readable ?? []) this.#close(operation, 'its responses can be read again');
      for (const { operation, workflowIds } of this.#answered) {
        this.#close(operation, 'answered');
        await retryReads({ operation, workflowIds });
      }
      this.journey.state.publish();
    }
  };

  #onReport(report: UnreadableReport): void {
    const { operation, workflowId } = report;
    const known = this.#operations.get(operation);
    const workflowIds = known?.workflowIds ?? new Set();
    if (!known) this.#operations.set(operation, { report, workflowIds });
    if (workflowIds.has(workflowId) || workflowIds.size >= MOST_WORKFLOWS) return;
    workflowIds.add(workflowId);
    this.#reports += 1;
  }

  get #reads(): UnreadableRead[] {
    return [...this.#operations].map(([operation, { workflowIds }]) => ({
      operation,
      workflowIds: [...workflowIds],
    }));
  }

  get #answered(): UnreadableRead[] {
    const isAnswered = (id: string | undefined) =>
      id !== undefined && this.journey.requirements.isAnswered(id);
    return this.#reads.filter(({ operation }) => isAnswered(this.#operations.get(operation)?.id));
  }

  #raise(): void {
    for (const unreadable of this.#operations.values())
      unreadable.id ??= this.journey.requirements.raise(questionOf(this.system, unreadable.report));
    this.journey.state.publish();
  }

  #close(operation: string, why: string): void {
    const { id = '' } = this.#operations.get(operation) ?? {};
    this.journey.requirements.withdraw(id, why);
    this.journey.requirements.take(id);
    this.#operations.delete(operation);
  }
}

function questionOf(
  system: PartnerAccountInput['system'],
  { operation, since, what }: UnreadableReport,
): Question {
  const account = accountName();
  const partner = `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${partner}`,
    detail:
      `Since ${since}, responses to ${operation} cannot be read. The last one: ${masked(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}

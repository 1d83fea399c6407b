import { setHandler } from '@temporalio/workflow';
import {
  type PartnerAccountInput,
  readsUnreadable,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import type { Journey } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import { partnerAccount } from '../journey/partner-account.js';
import type { Question } from '../journey/requirement-desk.js';
import { activitiesAt } from './activities.js';
import { earlier } from './credentials.js';
import type { Duty } from './duties.js';

/** Of the workflows that wait for one operation, so many are looked at. */
const MOST_LOOKED_AT = 20;

interface Unreadable {
  readonly report: UnreadableReport;
  readonly workflowIds: Set<string>;
  /** Of the requirement, once it is raised. */
  id?: string;
}

/**
 * Asks people about operations whose responses cannot be read: one requirement for each, however many onboardings wait. It
 * closes when none of those that were reported waits any more.
 */
export class UnreadableReads {
  readonly #operations = new Map<string, Unreadable>();
  /** How often something was reported that was not known. */
  #news = 0;

  constructor(
    private readonly journey: Journey,
    private readonly system: PartnerAccountInput['system'],
  ) {
    setHandler(readsUnreadable, (report) => this.#hear(report));
  }

  readonly asking: Duty = {
    isDue: () => this.#operations.size > 0,
    run: async () => {
      const { awaitReadable, retryReads } = activitiesAt(this.system);
      while (this.#operations.size > 0) {
        this.#raise();
        const news = this.#news;
        const readable = await earlier(
          () => awaitReadable({ reads: this.#reads }),
          () => this.#news > news || this.#answered.length > 0,
        );
        for (const operation of readable ?? []) this.#close(operation, 'its responses can be read again');
        for (const { operation, workflowIds } of this.#answered) {
          this.#close(operation, 'answered');
          await retryReads({ operation, workflowIds });
        }
        this.journey.publish();
      }
    },
  };

  #hear(report: UnreadableReport): void {
    const { operation, workflowId } = report;
    const known = this.#operations.get(operation);
    const workflowIds = known?.workflowIds ?? new Set();
    if (!known) this.#operations.set(operation, { report, workflowIds });
    if (workflowIds.has(workflowId) || workflowIds.size >= MOST_LOOKED_AT) return;
    workflowIds.add(workflowId);
    this.#news += 1;
  }

  get #reads(): UnreadableRead[] {
    return [...this.#operations].map(([operation, { workflowIds }]) => ({
      operation,
      workflowIds: [...workflowIds],
    }));
  }

  get #answered(): UnreadableRead[] {
    const isAnswered = (id: string | undefined) => id !== undefined && this.journey.desk.isAnswered(id);
    return this.#reads.filter(({ operation }) => isAnswered(this.#operations.get(operation)?.id));
  }

  #raise(): void {
    for (const unreadable of this.#operations.values())
      unreadable.id ??= this.journey.desk.raise(questionOf(this.system, unreadable.report));
    this.journey.publish();
  }

  #close(operation: string, why: string): void {
    const { id = '' } = this.#operations.get(operation) ?? {};
    this.journey.desk.withdraw(id, why);
    this.journey.desk.take(id);
    this.#operations.delete(operation);
  }
}

function questionOf(
  system: PartnerAccountInput['system'],
  { operation, since, what }: UnreadableReport,
): Question {
  const account = partnerAccount();
  const partner = `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${partner}`,
    detail:
      `Since ${since}, responses to ${operation} cannot be read. The last one: ${masked(what) || 'nothing is known of it'}. ` +
      'Ask the partner whether it has changed its contract. The reads are repeated, and this requirement closes when they ' +
      'succeed. Retry: reads at once.',
    answers: ['retry'],
  };
}

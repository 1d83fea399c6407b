import { setHandler } from '@temporalio/workflow';
import type { OpenTicket, UnmatchedTicket } from '../../messages/banking-activities.js';
import {
  type PartnerAccountInput,
  readsUnreadable,
  ticketsSeen,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import type { Requirement } from '../../messages/requirements.js';
import { masked } from '../../privacy/masked.js';
import { aboutTicket, detailOf, reply, ticketQuestion, titleOfReply } from '../business/tickets.js';
import { minuteOf } from '../journey/current-details.js';
import type { Journey } from '../journey/journey.js';
import { accountName, POLL, partnerActivities, REPEATABLE, WAIT } from '../journey/partner-activities.js';
import { Abandoned, type Question } from '../journey/requirement-queue.js';
import { RejectedByPartner, runStep } from '../journey/run-step.js';
import { Pacer } from '../journey/status-poll.js';
import { type Task, unlessEnded } from '../journey/tasks.js';

/** A nudge resets it by its id, as after a reply. */
const { awaitUnmatchedTickets } = partnerActivities('banking')({
  awaitUnmatchedTickets: { ...POLL, summary: 'Wait until the tickets without an onboarding change' },
});

/**
 * Asks people about the tickets that no running onboarding shows, and delivers their replies. It reads them while the partner
 * lists one, answered or not, so that it asks about none twice.
 */
export class UnmatchedTickets {
  /** The poll of an onboarding has listed tickets that are not about its profile. */
  #isReported = false;
  #listed: readonly UnmatchedTicket[] = [];
  readonly #pacer = new Pacer();
  /** What closed tickets asked, by {@link Requirement.about}. */
  readonly #closed = new Map<string, string>();
  /** Why the partner rejected the last reply to a ticket. */
  readonly #remarks = new Map<string, string>();
  /** Our replies, which are tickets as well. */
  readonly #replies = new Set<number>();

  constructor(private readonly journey: Journey) {
    setHandler(ticketsSeen, () => {
      this.#isReported = true;
    });
  }

  /** Reads the tickets while there are any, and processes the answers to them. */
  get dueTasks(): readonly Task[] {
    const isListing = this.#isReported || this.#listed.length > 0;
    return [
      ...(isListing ? [{ name: 'read tickets', run: this.#awaitChange }] : []),
      ...(this.journey.requirements.hasAnswered('ticket')
        ? [{ name: 'answer tickets', run: this.#processAnswers }]
        : []),
    ];
  }

  readonly #awaitChange = async (): Promise<void> => {
    this.#isReported = false;
    // Without a known ticket there is no change to wait for, and the first read ends the wait.
    const seen = this.#listed.length > 0 ? questionsOf(this.#listed) : null;
    const { pace } = this.#pacer;
    const run = () => awaitUnmatchedTickets({ seen, pace });
    this.#listed = await runStep(this.journey, {
      effect: 'read',
      title: 'read the tickets',
      waitsForChange: true,
      run,
    }).then(({ snapshot, polls }) => {
      this.#pacer.ended(polls);
      return snapshot;
    }, noneIfAbandoned);
    this.#raiseTickets();
  };

  readonly #processAnswers = async (): Promise<void> => {
    const { requirements } = this.journey;
    for (const answered of requirements.answeredOf('ticket')) {
      const { requirement, resolution } = answered;
      const { answer } = resolution;
      if (answer.kind === 'text')
        await requirements.whileSending([answered], titleOfReply(requirement), () =>
          this.#reply(requirement, answer.text),
        );
      else this.#close(requirement);
    }
    this.#raiseTickets();
  };

  async #reply(requirement: Requirement, text: string): Promise<void> {
    const { id, about = id } = requirement;
    const { requirements, timeline } = this.journey;
    try {
      const replyId = await reply(this.journey, requirement, text);
      if (replyId !== null) this.#replies.add(replyId);
      timeline.add('ticket-answered', { detail: id });
      this.#close(requirement);
    } catch (error) {
      if (error instanceof RejectedByPartner) {
        requirements.take(id);
        timeline.add('answer-rejected', { detail: `${id}: ${error.message}` });
        this.#remarks.set(about, `the last answer was rejected: ${error.message}`);
      } else if (error instanceof Abandoned) {
        requirements.drop(id, 'a person abandoned the reply');
        this.#close(requirement);
      } else throw error;
    }
  }

  #close({ id, about = id, detail }: Requirement): void {
    this.journey.requirements.take(id);
    this.#remarks.delete(about);
    this.#closed.set(about, detail);
  }

  /** Raises the listed tickets, and closes those that are no longer listed here. */
  #raiseTickets(): void {
    const { requirements } = this.journey;
    const tickets = this.#listed.filter(({ ticketId }) => !this.#replies.has(ticketId));
    const asked = new Map(tickets.map((ticket) => [aboutTicket(ticket.ticketId), detailOf(ticket)]));
    for (const { id, about = id, detail } of requirements.openOf('ticket')) {
      const why = asked.has(about)
        ? 'the partner asks something else'
        : 'the partner no longer asks, or an onboarding shows the ticket';
      if (asked.get(about) !== detail) requirements.withdraw(id, why);
    }
    for (const [about, detail] of this.#closed) if (asked.get(about) !== detail) this.#closed.delete(about);
    for (const ticket of tickets) {
      const about = aboutTicket(ticket.ticketId);
      if (this.#closed.has(about) || requirements.has(about)) continue;
      requirements.raise(ticketQuestion(ticket, ['text', 'retry'], this.#remarks.get(about)));
    }
    this.journey.state.publish();
  }
}

function questionsOf(tickets: readonly OpenTicket[]): Readonly<Record<number, string>> {
  return Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks]));
}

/** A person who is asked about a read that is not permitted may abandon it. */
function noneIfAbandoned(error: unknown): readonly UnmatchedTicket[] {
  if (error instanceof Abandoned) return [];
  throw error;
}

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
    const { awaitReadable, retryReads } = partnerActivities(this.system)({
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
      `Since ${minuteOf(since)}, responses to ${operation} cannot be read. The last one: ${masked(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}

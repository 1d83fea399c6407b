import { setHandler } from '@temporalio/workflow';
import type { OpenTicket, UnmatchedTicket } from '../../messages/banking-activities.js';
import { ticketsSeen } from '../../messages/partner-account.js';
import type { Requirement } from '../../messages/requirements.js';
import { aboutTicket, detailOf, reply, ticketQuestion } from '../business/tickets.js';
import { RejectedByPartner, runStep } from '../journey/carry-out.js';
import { Pacer } from '../journey/follower.js';
import { Abandoned, type Journey } from '../journey/journey.js';
import { awaitUnmatchedTickets } from './activities.js';
import type { Duty } from './duties.js';

/**
 * Asks people about the tickets that no running onboarding shows, and delivers their replies. It looks on while there is such
 * a ticket, asked about or dealt with, so that none is asked about twice.
 */
export class UnmatchedTickets {
  /** A poll has listed tickets that are not about its profile. */
  #isReported = false;
  #listed: readonly UnmatchedTicket[] = [];
  readonly #pacer = new Pacer();
  /** What was asked by tickets that are dealt with, by {@link Requirement.about}. */
  readonly #settled = new Map<string, string>();
  /** Why the partner did not take the last reply to a ticket. */
  readonly #remarks = new Map<string, string>();
  /** Our replies, which are tickets as well. */
  readonly #replies = new Set<number>();

  constructor(private readonly journey: Journey) {
    setHandler(ticketsSeen, () => {
      this.#isReported = true;
    });
  }

  readonly looking: Duty = {
    isDue: () => this.#isReported || this.#listed.length > 0,
    run: async () => {
      this.#isReported = false;
      // Where nothing is known to wait for a change of, the first read ends the wait.
      const seen = this.#listed.length > 0 ? whatTheyAsk(this.#listed) : null;
      const { pace } = this.#pacer;
      const run = () => awaitUnmatchedTickets({ seen, pace });
      this.#listed = await runStep(this.journey, { title: 'read the tickets', waits: true, run }).then(
        ({ snapshot, polls }) => {
          this.#pacer.ended(polls);
          return snapshot;
        },
        noneIfAbandoned,
      );
      this.#raiseWhatIsAsked();
    },
  };

  readonly answering: Duty = {
    isDue: () => this.journey.desk.hasAnswered('ticket'),
    run: async () => {
      const { desk } = this.journey;
      for (const answered of desk.answeredOf('ticket')) {
        const { requirement, resolution } = answered;
        const { answer } = resolution;
        if (answer.kind === 'text')
          await desk.whileSending([answered], () => this.#reply(requirement, answer.text));
        else this.#settle(requirement);
      }
      this.#raiseWhatIsAsked();
    },
  };

  async #reply(requirement: Requirement, text: string): Promise<void> {
    const { id, about = id } = requirement;
    const { desk, timeline } = this.journey;
    try {
      const replyId = await reply(this.journey, requirement, text);
      if (replyId !== null) this.#replies.add(replyId);
      timeline.add('ticket-answered', { detail: id });
      this.#settle(requirement);
    } catch (error) {
      if (error instanceof RejectedByPartner) {
        desk.take(id);
        timeline.add('answer-rejected', { detail: `${id}: ${error.message}` });
        this.#remarks.set(about, `the last answer was rejected: ${error.message}`);
      } else if (error instanceof Abandoned) {
        desk.drop(id, 'a person gave the reply up');
        this.#settle(requirement);
      } else throw error;
    }
  }

  #settle({ id, about = id, detail }: Requirement): void {
    this.journey.desk.take(id);
    this.#remarks.delete(about);
    this.#settled.set(about, detail);
  }

  /** Raises what the partner asks, and closes what it no longer asks here. */
  #raiseWhatIsAsked(): void {
    const { desk } = this.journey;
    const tickets = this.#listed.filter(({ ticketId }) => !this.#replies.has(ticketId));
    const asked = new Map(tickets.map((ticket) => [aboutTicket(ticket.ticketId), detailOf(ticket)]));
    for (const { id, about = id, detail } of desk.openOf('ticket')) {
      const why = asked.has(about)
        ? 'the partner asks something else'
        : 'the partner no longer asks, or an onboarding shows the ticket';
      if (asked.get(about) !== detail) desk.withdraw(id, why);
    }
    for (const [about, detail] of this.#settled) if (asked.get(about) !== detail) this.#settled.delete(about);
    for (const ticket of tickets) {
      const about = aboutTicket(ticket.ticketId);
      if (this.#settled.has(about) || desk.knows(about)) continue;
      desk.raise(ticketQuestion(ticket, ['text', 'retry'], this.#remarks.get(about)));
    }
    this.journey.publish();
  }
}

function whatTheyAsk(tickets: readonly OpenTicket[]): Readonly<Record<number, string>> {
  return Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks]));
}

/** A person who is asked about a read that is not permitted may end it. */
function noneIfAbandoned(error: unknown): readonly UnmatchedTicket[] {
  if (error instanceof Abandoned) return [];
  throw error;
}

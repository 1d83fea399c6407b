import { setHandler } from '@temporalio/workflow';
import type { UnmatchedTicket } from '../../messages/banking-activities.js';
import { ticketsSeen } from '../../messages/partner-account.js';
import type { Requirement } from '../../messages/requirements.js';
import { aboutTicket, detailOf, reply, ticketQuestion, titleOfReply } from '../business/tickets.js';
import type { Journey } from '../journey/journey.js';
import { POLL, partnerActivities } from '../journey/partner-activities.js';
import { Abandoned } from '../journey/requirement-queue.js';
import { RejectedByPartner, runStep } from '../journey/run-step.js';
import { Pacer } from '../journey/status-poll.js';
import type { Task } from '../journey/tasks.js';

/** A nudge resets it by its id, as after a reply. */
const { awaitUnmatchedTickets } = partnerActivities('banking')({
  awaitUnmatchedTickets: { ...POLL, summary: 'Wait until the tickets without an onboarding change' },
});

/**
 * Asks people about the tickets that no running onboarding shows, and delivers their replies. It reads them while the partner
 * lists one, answered or not, so that it asks about none twice.
 */
export function unmatchedTickets(journey: Journey): () => readonly Task[] {
  const questions = new TicketQuestions(journey);
  const pacer = new Pacer();
  let listed: readonly UnmatchedTicket[] = [];
  /** The poll of an onboarding has listed tickets that are not about its profile. */
  let isReported = false;
  setHandler(ticketsSeen, () => {
    isReported = true;
  });

  const readTickets = async () => {
    isReported = false;
    const asks = listed.map((ticket) => [ticket.ticketId, ticket.asks]);
    // Without a known ticket there is no change to wait for, and the first read ends the wait.
    const seen = asks.length > 0 ? Object.fromEntries(asks) : null;
    const { pace } = pacer;
    const run = () => awaitUnmatchedTickets({ seen, pace });
    const step = { effect: 'read', title: 'read the tickets', waitsForChange: true, run } as const;
    try {
      const { snapshot, polls } = await runStep(journey, step);
      pacer.ended(polls);
      listed = snapshot;
    } catch (error) {
      // A person who is asked about a read that is not permitted may abandon it.
      if (!(error instanceof Abandoned)) throw error;
      listed = [];
    }
    questions.update(listed);
  };
  const answerTickets = async () => {
    await questions.processAnswers();
    questions.update(listed);
  };
  return () => [
    ...(isReported || listed.length > 0 ? [{ name: 'read tickets', run: readTickets }] : []),
    ...(journey.requirements.hasAnswered('ticket') ? [{ name: 'answer tickets', run: answerTickets }] : []),
  ];
}

/** The state of a question. A closed ticket is asked about again when it asks something else. */
type Asked =
  | { readonly is: 'closed'; readonly detail: string }
  | { readonly is: 'rejected'; readonly why: string };

/** The questions to people about tickets. */
class TicketQuestions {
  /** Keyed by {@link Requirement.about}. */
  readonly #asked = new Map<string, Asked>();
  /** Our replies, which are tickets as well. */
  readonly #replies = new Set<number>();

  constructor(private readonly journey: Journey) {}

  /** Raises the listed tickets, and closes those that are no longer listed. */
  update(listed: readonly UnmatchedTicket[]): void {
    const { requirements, state } = this.journey;
    const tickets = listed.filter(({ ticketId }) => !this.#replies.has(ticketId));
    const details = new Map(tickets.map((ticket) => [aboutTicket(ticket.ticketId), detailOf(ticket)]));
    for (const { id, about = id, detail } of requirements.openOf('ticket')) {
      const why = details.has(about)
        ? 'the partner asks something else'
        : 'the partner no longer asks, or an onboarding shows the ticket';
      if (details.get(about) !== detail) requirements.withdraw(id, why);
    }
    for (const [about, asked] of this.#asked)
      if (asked.is === 'closed' && details.get(about) !== asked.detail) this.#asked.delete(about);
    for (const ticket of tickets) {
      const about = aboutTicket(ticket.ticketId);
      const asked = this.#asked.get(about);
      if (asked?.is === 'closed' || requirements.has(about)) continue;
      requirements.raise(ticketQuestion(ticket, ['text', 'retry'], asked?.why));
    }
    state.report();
  }

  async processAnswers(): Promise<void> {
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
  }

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
        requirements.settle(id);
        timeline.add('answer-rejected', { detail: `${id}: ${error.message}` });
        this.#asked.set(about, { is: 'rejected', why: `the last answer was rejected: ${error.message}` });
      } else if (error instanceof Abandoned) {
        requirements.drop(id, 'a person abandoned the reply');
        this.#close(requirement);
      } else throw error;
    }
  }

  #close({ id, about = id, detail }: Requirement): void {
    this.journey.requirements.settle(id);
    this.#asked.set(about, { is: 'closed', detail });
  }
}

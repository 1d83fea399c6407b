import { setHandler } from '@temporalio/workflow';
import type { UnmatchedTicket } from '../../messages/banking-activities.js';
import { ticketsSeen } from '../../messages/partner-account.js';
import type { Requirement } from '../../messages/requirements.js';
import { sendReply, titleOfReply } from '../business/steps.js';
import { type Asking, NO_TICKETS, onListed, onRejected, withAnswer } from '../business/tickets.js';
import { POLL, partnerActivities } from '../journey/activity-proxies.js';
import { react } from '../journey/following.js';
import type { Journey } from '../journey/journey.js';
import { Abandoned } from '../journey/requirement-queue.js';
import { Rejected, runStep } from '../journey/run-step.js';
import { Pacer } from '../journey/status-poll.js';
import type { Task } from '../journey/tasks.js';

/** A nudge resets it by its id, as after a reply. */
const { awaitUnmatchedTickets } = partnerActivities('banking')({
  awaitUnmatchedTickets: { ...POLL, summary: 'Wait until the tickets without an onboarding change' },
});

const ASKING: Asking = {
  answers: ['text', 'retry'],
  whenGone: 'the partner no longer asks, or an onboarding shows the ticket',
};

/** Asks people about tickets that no running onboarding shows, and delivers their replies. Reads them while any is listed. */
export function unmatchedTickets(journey: Journey): () => readonly Task[] {
  const tickets = new UnmatchedTickets(journey);
  setHandler(ticketsSeen, () => {
    tickets.isReported = true;
  });
  return () => tickets.dueTasks;
}

class UnmatchedTickets {
  remembered = NO_TICKETS;
  /** The poll of an onboarding has listed tickets that are not about its profile. */
  isReported = false;
  #listed: readonly UnmatchedTicket[] = [];
  readonly #pacer = new Pacer();

  constructor(readonly journey: Journey) {}

  get dueTasks(): readonly Task[] {
    const isReadDue = this.isReported || this.#listed.length > 0;
    const isAnswerDue = this.journey.requirements.answeredOf('ticket').length > 0;
    return [
      ...(isReadDue ? [{ name: 'read tickets', run: () => this.#read() }] : []),
      ...(isAnswerDue ? [{ name: 'answer tickets', run: () => this.#deliver() }] : []),
    ];
  }

  async #read(): Promise<void> {
    this.isReported = false;
    const asks = this.#listed.map((ticket) => [ticket.ticketId, ticket.asks]);
    // Without a known ticket there is no change to wait for, and the first read ends the wait.
    const seen = asks.length > 0 ? Object.fromEntries(asks) : null;
    const { pace } = this.#pacer;
    const run = () => awaitUnmatchedTickets({ seen, pace });
    const step = { effect: 'read', title: 'read the tickets', waitsForChange: true, run } as const;
    try {
      const { snapshot, polls } = await runStep(this.journey, step);
      this.#pacer.ended(polls);
      this.#listed = snapshot;
    } catch (error) {
      // A person who is asked about a read that is not permitted may abandon it.
      if (!(error instanceof Abandoned)) throw error;
      this.#listed = [];
    }
    this.#ask();
  }

  #ask(): void {
    const { requirements, state } = this.journey;
    react(this, onListed(this.remembered, this.#listed, requirements, ASKING));
    state.report();
  }

  async #deliver(): Promise<void> {
    const { requirements } = this.journey;
    for (const answered of requirements.answeredOf('ticket')) {
      const { requirement, resolution } = answered;
      const { answer } = resolution;
      if (answer.kind === 'text')
        await requirements.whileSending([answered], [titleOfReply(requirement)], () =>
          this.#reply(requirement, answer.text),
        );
      else this.#close(requirement);
    }
    this.#ask();
  }

  async #reply(requirement: Requirement, text: string): Promise<void> {
    const { id } = requirement;
    const { requirements, timeline } = this.journey;
    try {
      const replyId = await sendReply(this.journey, requirement, text);
      timeline.add('ticket-answered', { detail: id });
      this.#close(requirement, replyId);
    } catch (error) {
      if (error instanceof Rejected) react(this, onRejected(this.remembered, requirement, error.message));
      else if (error instanceof Abandoned) {
        requirements.drop(id, 'a person abandoned the reply');
        this.#close(requirement);
      } else throw error;
    }
  }

  #close(requirement: Requirement, replyId: number | null = null): void {
    this.journey.requirements.removeAnswered(requirement.id);
    this.remembered = withAnswer(this.remembered, requirement, replyId);
  }
}

import { setHandler } from '@temporalio/workflow';
import type { UnmatchedTicket } from '../../messages/banking-activities.js';
import type { Pace } from '../../messages/onboarding-state.js';
import { ticketsSeen } from '../../messages/partner-account.js';
import { sendReply, titleOfReply } from '../business/steps.js';
import {
  type Asking,
  NO_TICKETS,
  onListed,
  onRejected,
  type Tickets,
  withAnswer,
} from '../business/tickets.js';
import { POLL, partnerActivities } from '../journey/activity-proxies.js';
import type { Journey } from '../journey/journey.js';
import { Rejected } from '../journey/rejections.js';
import { Abandoned, type Answered } from '../journey/requirement-queue.js';
import { answeredOf } from '../journey/rules.js';
import { runRead } from '../journey/run-step.js';
import { paceAfter } from '../journey/status-poll.js';
import type { Task } from '../journey/tasks.js';
import { react } from '../journey/until-decided.js';

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
  const { requirements, state } = journey;
  const tickets = { journey, remembered: NO_TICKETS };
  let pace: Pace | undefined;
  /** The poll of an onboarding has listed tickets that are not about its profile. */
  let isReported = false;
  let listed: readonly UnmatchedTicket[] = [];
  setHandler(ticketsSeen, () => {
    isReported = true;
  });
  const ask = () => {
    react(tickets, onListed(tickets.remembered, listed, requirements, ASKING));
    state.report();
  };
  const read = async () => {
    isReported = false;
    ({ listed, pace } = await readTickets(journey, listed, pace));
    ask();
  };
  const toDeliver = () => answeredOf(requirements, 'ticket');
  const deliver = async () => {
    for (const answered of toDeliver()) {
      // While another is delivered, this one may be taken back.
      const isLeft = toDeliver().some(({ resolution }) => resolution === answered.resolution);
      if (isLeft) await deliverAnswer(tickets, answered);
    }
    ask();
  };
  return () => [
    ...(isReported || listed.length > 0 ? [{ name: 'read tickets', run: read }] : []),
    ...(toDeliver().length > 0 ? [{ name: 'answer tickets', run: deliver }] : []),
  ];
}

async function readTickets(
  journey: Journey,
  listed: readonly UnmatchedTicket[],
  pace: Pace | undefined,
): Promise<{ readonly listed: readonly UnmatchedTicket[]; readonly pace: Pace | undefined }> {
  const asks = listed.map((ticket) => [ticket.ticketId, ticket.asks]);
  // Without a known ticket there is no change to wait for, and the first read ends the wait.
  const seen = asks.length > 0 ? Object.fromEntries(asks) : null;
  const run = () => awaitUnmatchedTickets({ seen, pace });
  try {
    const { snapshot, isFirst } = await runRead(journey, 'read the tickets', run, { waitsForChange: true });
    return { listed: snapshot, pace: paceAfter(pace, isFirst) };
  } catch (error) {
    // A person who is asked about a read that is not permitted may abandon it.
    if (!(error instanceof Abandoned)) throw error;
    return { listed: [], pace };
  }
}

/** Sends a reply. Any other answer only closes the question. */
async function deliverAnswer(
  tickets: { readonly journey: Journey; remembered: Tickets },
  answered: Answered,
): Promise<void> {
  const { journey } = tickets;
  const { requirements, timeline } = journey;
  const { requirement, resolution } = answered;
  const { answer } = resolution;
  let replyId: number | null = null;
  try {
    if (answer.kind === 'text') {
      const send = () => sendReply(journey, requirement, answer.text);
      replyId = await requirements.whileSending([answered], [titleOfReply(requirement)], send);
      timeline.add('ticket-answered', { detail: requirement.id });
    }
  } catch (error) {
    if (error instanceof Rejected)
      return react(tickets, onRejected(tickets.remembered, requirement, error.message));
    if (!(error instanceof Abandoned)) throw error;
    requirements.drop(requirement.id, 'a person abandoned the reply');
  }
  requirements.removeAnswered(requirement.id);
  tickets.remembered = withAnswer(tickets.remembered, requirement, replyId);
}

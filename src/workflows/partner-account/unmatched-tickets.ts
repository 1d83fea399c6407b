import { setHandler } from '@temporalio/workflow';
import { ticketsSeen } from '../../messages/partner-account.js';
import { sendReply, titleOfReply } from '../business/steps.js';
import { reduceRejection, reduceTickets, type TicketWording, withAnswer } from '../business/tickets.js';
import { POLL, partnerActivities } from '../runtime/activity-proxies.js';
import { Rejected } from '../runtime/rejections.js';
import { Abandoned, dropAnswer, removeAnswered } from '../runtime/requirements.js';
import { answeredOfKind } from '../runtime/rules.js';
import { runRead } from '../runtime/run-step.js';
import type { PendingAnswer } from '../runtime/state.js';
import { paceAfter } from '../runtime/status-poll.js';
import type { Task } from '../runtime/tasks.js';
import { reductionTransition } from '../runtime/until-decided.js';
import type { Account, Duties } from './duties.js';

/** A nudge resets it by its id, as after a reply. */
const { awaitUnmatchedTickets } = partnerActivities('banking')({
  awaitUnmatchedTickets: { ...POLL, summary: 'Wait until the tickets without an onboarding change' },
});

const ASKING: TicketWording = {
  answers: ['text', 'retry'],
  whenGone: 'the partner no longer asks, or an onboarding shows the ticket',
};

/** Asks people about tickets that no running onboarding shows, and delivers their replies. Reads them while any is listed. */
export function unmatchedTickets(account: Account): () => readonly Task[] {
  setHandler(ticketsSeen, () => account.patchState({ isReported: true }));
  const ask = () => {
    const { partnerState } = account;
    account.update(reductionTransition(reduceTickets(partnerState, partnerState.listed, account, ASKING)));
    account.published.report();
  };
  const read = async () => {
    account.patchState({ isReported: false });
    account.patchState(await readTickets(account));
    ask();
  };
  const toDeliver = () => answeredOfKind(account, 'ticket');
  const deliver = async () => {
    for (const answered of toDeliver()) {
      // While another is delivered, this one may be taken back.
      const isLeft = toDeliver().some(({ resolution }) => resolution === answered.resolution);
      if (isLeft) await deliverAnswer(account, answered);
    }
    ask();
  };
  const isDue = () => account.partnerState.isReported || account.partnerState.listed.length > 0;
  return () => [
    ...(isDue() ? [{ name: 'read tickets', run: read }] : []),
    ...(toDeliver().length > 0 ? [{ name: 'answer tickets', run: deliver }] : []),
  ];
}

async function readTickets(account: Account): Promise<Pick<Duties, 'listed' | 'pace'>> {
  const { listed, pace } = account.partnerState;
  const asks = listed.map((ticket) => [ticket.ticketId, ticket.asks]);
  // Without a known ticket there is no change to wait for, and the first read ends the wait.
  const seen = asks.length > 0 ? Object.fromEntries(asks) : null;
  const run = () => awaitUnmatchedTickets({ seen, pace });
  try {
    const { snapshot, isFirst } = await runRead(account, 'read the tickets', run, { waitsForChange: true });
    return { listed: snapshot, pace: paceAfter(pace, isFirst) };
  } catch (error) {
    // A person who is asked about a read that is not permitted may abandon it.
    if (!(error instanceof Abandoned)) throw error;
    return { listed: [], pace };
  }
}

/** Sends a reply. Any other answer only closes the question. */
async function deliverAnswer(account: Account, answered: PendingAnswer): Promise<void> {
  const { requirement, resolution } = answered;
  const { answer } = resolution;
  let replyId: number | null = null;
  try {
    if (answer.kind === 'text') {
      const send = () => sendReply(account, requirement, answer.text);
      replyId = await account.whileSending([answered], [titleOfReply(requirement)], send);
      account.record('ticket-answered', { detail: requirement.id });
    }
  } catch (error) {
    if (error instanceof Rejected)
      return account.update(
        reductionTransition(reduceRejection(account.partnerState, requirement, error.message)),
      );
    if (!(error instanceof Abandoned)) throw error;
    account.update(dropAnswer(requirement.id, 'a person abandoned the reply'));
  }
  account.update(removeAnswered(requirement.id));
  account.patchState(withAnswer(account.partnerState, requirement, replyId));
}

import { setHandler } from '@temporalio/workflow';
import { credentialsRefused, type PartnerAccountInput, type Refusal } from '../messages/partner-account.js';
import { DEFAULT_DUE_IN_HOURS } from '../messages/requirements.js';
import { Journey } from './journey/journey.js';
import { activitiesAt } from './partner-account/activities.js';
import { untilLetIn } from './partner-account/credentials.js';
import { seeTo } from './partner-account/duties.js';
import { UnmatchedTickets } from './partner-account/tickets.js';
import { UnreadableReads } from './partner-account/unreadable.js';

/**
 * Acts for one of our accounts at one partner, for all that work with it: while the partner refuses our credentials it asks
 * once, tries them, and has everything that waits go on when they work. It also asks about the tickets that no onboarding shows,
 * and about operations whose responses cannot be read.
 * Started by the first refusal, by a poll that lists such a ticket, or by such a response, as `partner-account-<system>`, of a named account
 * `partner-account-<system>@<account>`; ends when none of them is left.
 */
export async function partnerAccount({ system }: PartnerAccountInput): Promise<{ readonly outcome: 'done' }> {
  const refusals = new Map<string, Refusal>();
  setHandler(credentialsRefused, ({ process, refusal }) => void refusals.set(process, refusal));
  const journey = new Journey({
    dueInHours: DEFAULT_DUE_IN_HOURS,
    correctable: [],
    nextSteps: {
      working:
        'what was refused, and what could not be read, is tried again and goes on by itself; tickets are read again',
      done: 'nothing, the credentials work, responses can be read, and no ticket is left',
    },
    leftBehind: () => 'what waits is tried again every minute; open tickets stay at the partner',
  });
  const tickets = new UnmatchedTickets(journey);
  const unreadable = new UnreadableReads(journey, system);
  const letAllIn = async () => {
    const activities = activitiesAt(system);
    // Each process signs in for itself. A code, for one, is good for one of them.
    const letIn = new Set<string>();
    for (let [first] = refusals; first; [first] = refusals) {
      const [process, refusal] = first;
      refusals.delete(process);
      journey.timeline.add('credentials-refused', { detail: `${refusal.operation}: ${refusal.reason}` });
      // What others remember of refusals is older than the credentials that work.
      const isOutdated = letIn.size > 0 && !letIn.has(process);
      letIn.add(
        await untilLetIn(journey, system, activities, { process, ...(isOutdated && { afresh: true }) }),
      );
      const woken = await activities.wakeRefused();
      journey.timeline.add('credentials-work', { detail: `retried at once: ${woken}` });
    }
  };
  return journey.live(async () => {
    journey.enter('working');
    const credentials = { isDue: () => refusals.size > 0, run: letAllIn };
    await seeTo([credentials, tickets.looking, tickets.answering, unreadable.asking]);
    return { outcome: 'done' };
  });
}

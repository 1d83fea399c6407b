import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { OpenTicket, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { BusinessOnboardingOutcome } from '../../messages/business-onboarding.js';
import type { Requirement } from '../../messages/requirements.js';
import { CANCELLED, CLOSED, DENIED, isApproved } from '../../partners/banking/statuses.js';
import type { businessOnboarding } from '../business-onboarding.js';
import { Background } from '../journey/background.js';
import { carryOut } from '../journey/carry-out.js';
import { notAbandoned } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import { hasReply, replyToTicket } from './activities.js';
import type { BusinessApplication } from './application.js';
import { openAccount } from './financial-account.js';
import { replaceHolder } from './holder.js';

/** What following a business hands to the next run of the workflow. */
export interface FollowingRecords {
  readonly seen: SeenProfile;
  /** Tickets that the partner has the answers to: it may go on listing them for a while. */
  readonly delivered: readonly number[];
}

type Ended = Exclude<BusinessOnboardingOutcome, { outcome: 'onboarded' | 'abandoned' }>['outcome'];

const ENDS: Readonly<Record<string, Ended>> = {
  [DENIED]: 'declined',
  [CLOSED]: 'closed',
  [CANCELLED]: 'withdrawn',
};

/** Follows the profile until it has ended, getting a person's answers to the partner's tickets. */
export async function followProfile(
  application: BusinessApplication,
  records: FollowingRecords,
): Promise<BusinessOnboardingOutcome> {
  const { journey, profileId, follower } = application;
  const { desk } = journey;
  const delivered = new Set(records.delivered);
  const delivery = new Background();
  let seen = records.seen;

  journey.enter('underwriting');
  follower.follow(seen);
  try {
    return await untilDecided();
  } catch (error) {
    await delivery.stop();
    throw error;
  }

  async function untilDecided(): Promise<BusinessOnboardingOutcome> {
    for (;;) {
      const hasAnswers = () => desk.hasAnswered('ticket') && !delivery.isBusy;
      const isDue = () => follower.hasNews || delivery.hasFailed || hasAnswers();
      await condition(() => isDue() || desk.givenUp('ticket') !== undefined);
      delivery.check();
      // To give up does not wait for what another answer may be waiting for.
      const last = desk.givenUp('ticket');
      if (last) notAbandoned(last.resolution);
      const news = follower.take();
      if (news) {
        tellOf(news);
        raiseWhatIsAsked(news.tickets);
        const outcome = await outcomeOf(news);
        if (outcome) return outcome;
        journey.publish();
        seen = toSeen(news);
        if (workflowInfo().continueAsNewSuggested && !delivery.isBusy) await continueInNewRun();
        follower.follow(seen);
      }
      // A correction may take days, if the partner refuses it; what the partner decides meanwhile still counts.
      if (hasAnswers()) delivery.start(deliverAnswers);
    }
  }

  function tellOf({ bankingStatus, financialAccountId }: ProfileSnapshot): void {
    journey.know({ partnerStatus: bankingStatus });
    if (bankingStatus !== seen?.bankingStatus) {
      journey.timeline.add('status-changed', { detail: bankingStatus });
    }
    application.knowAccount(financialAccountId);
  }

  async function outcomeOf({
    bankingStatus,
  }: ProfileSnapshot): Promise<BusinessOnboardingOutcome | undefined> {
    const ended = ENDS[bankingStatus];
    if (!ended && !isApproved(bankingStatus)) return undefined;
    if (!ended && application.input.openFinancialAccount) await openAccount(application);
    const { financialAccountId = null } = journey.state;
    return { outcome: ended ?? 'onboarded', profileId, financialAccountId, bankingStatus };
  }

  /** Raises what the partner wants of a person, and closes what it no longer wants. */
  function raiseWhatIsAsked(tickets: readonly OpenTicket[]): void {
    const wanted = new Map(tickets.map((ticket) => [requirementId(ticket.ticketId), ticket]));
    for (const { id, about = id } of desk.openOf('ticket')) {
      if (!wanted.has(about)) desk.withdraw(id, 'the partner no longer asks');
    }
    for (const [id, ticket] of wanted) {
      if (!delivered.has(ticket.ticketId) && !desk.knows(id)) desk.raise(ticketRequirement(id, ticket));
    }
  }

  /** Replies with a text, or corrects the holder. What the person says to one ticket goes out by itself. */
  async function deliverAnswers(): Promise<void> {
    for (const { requirement, resolution } of desk.answeredOf('ticket')) {
      desk.take(requirement.id);
      const ticketId = ticketIdOf(requirement);
      delivered.add(ticketId);
      const answer = notAbandoned(resolution);
      if (answer.kind === 'correction') {
        application.correct(answer.patch);
        await replaceHolder(application);
      } else if (answer.kind === 'text') {
        await reply(ticketId, answer.text);
      }
      journey.timeline.add('ticket-answered', { detail: requirement.id });
      journey.publish();
    }
  }

  async function reply(ticketId: number, text: string): Promise<void> {
    await carryOut(journey, {
      title: `reply to ticket ${ticketId}`,
      run: () => replyToTicket({ ticketId, topic: null, text }),
      once: {
        lookForEffect: async () => {
          const title = `look for the reply to ticket ${ticketId}`;
          const run = () => hasReply({ ticketId, text });
          return (await carryOut(journey, { title, run })) ? { found: undefined } : undefined;
        },
        adopt: () => undefined,
        hint: `Look in the partner’s portal whether ticket ${ticketId} has the reply. If it has, adopt ${ticketId}; if not, retry.`,
      },
    });
  }

  async function continueInNewRun(): Promise<never> {
    await condition(allHandlersFinished);
    const following = { seen, delivered: [...delivered] };
    return continueAsNew<typeof businessOnboarding>(application.inputToCarry, {
      journey: journey.records,
      following,
    });
  }
}

const TICKET = 'ticket-';

function requirementId(ticketId: number): string {
  return `${TICKET}${ticketId}`;
}

function ticketIdOf({ about = '' }: Requirement): number {
  return Number(about.slice(TICKET.length));
}

function ticketRequirement(about: string, { topic, text, updateFieldRequest }: OpenTicket) {
  const subject = updateFieldRequest ?? topic;
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return {
    about,
    kind: 'ticket',
    title: subject === null ? 'Ticket' : `Ticket about ${subject}`,
    detail: masked(text) + field,
    answers: ['text', 'correction', 'abandon'],
  } as const;
}

function toSeen({ tickets, ...profile }: ProfileSnapshot): SeenProfile {
  return { ...profile, ticketIds: tickets.map(({ ticketId }) => ticketId) };
}

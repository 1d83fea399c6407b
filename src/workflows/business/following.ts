import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { OpenTicket, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { Stage } from '../../messages/onboarding-state.js';
import type { BusinessOnboardingOutcome } from '../../messages/onboardings.js';
import type { Requirement } from '../../messages/requirements.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { businessOnboarding } from '../business-onboarding.js';
import { Background } from '../journey/background.js';
import { RejectedByPartner } from '../journey/carry-out.js';
import { notAbandoned } from '../journey/journey.js';
import type { Answered } from '../journey/requirement-desk.js';
import type { BusinessApplication } from './application.js';
import { openAccount } from './financial-account.js';
import { askToCorrect, read, replaceHolder } from './holder.js';
import { aboutTicket, detailOf, reply, ticketQuestion } from './tickets.js';

/** What following a business hands to the next run of the workflow. */
export interface FollowingRecords {
  readonly seen: SeenProfile;
  /** What the partner found wrong with the holder and nobody corrected yet; null while that is not known. */
  readonly problems: readonly FieldProblem[] | null;
  /** Tickets that the partner has the answers to, by {@link Requirement.about}. */
  readonly delivered: Readonly<Record<string, Delivered>>;
  /** Our replies, which are tickets as well. */
  readonly replies: readonly number[];
}

/**
 * An answer that the partner has. It may go on listing the ticket for a while. It asks again when the ticket asks something
 * else, is listed again after it was gone, or is still listed when as much time has passed as a person gets for an answer: it
 * may have been closed and opened again between two reads.
 */
interface Delivered {
  /** What was asked. */
  readonly detail: string;
  /** When the ticket asks again if it is still listed, in milliseconds since 1970. */
  readonly until: number;
}

const KINDS = ['ticket', 'locked-profile'] as const;

/** A decision gives writes that are just being made this long to end by themselves. */
const GRACE = '5s';

type Task = readonly [name: string, run: () => Promise<void>];

/**
 * Sees an existing profile to its end: has the holder corrected, gets a person's answers to the partner's tickets and delivers
 * them, opens the financial account. It listens all the while: the partner's decision ends whatever else goes on.
 */
export async function followProfile(
  application: BusinessApplication,
  records: FollowingRecords,
): Promise<BusinessOnboardingOutcome> {
  return new Following(application, records).untilDecided();
}

class Following {
  /** What goes on beside the poll, by name: each delivery of an answer, the holder, the account. */
  readonly #work = new Map<string, Background>();
  readonly #delivered: Map<string, Delivered>;
  readonly #replies: Set<number>;
  /** What became of the last answer to a ticket that is asked again. */
  readonly #remarks = new Map<string, string>();
  #problems: readonly FieldProblem[] | null;
  #seen: SeenProfile;
  /** As last read in this run. */
  #tickets: readonly OpenTicket[] | undefined;

  constructor(
    private readonly application: BusinessApplication,
    { seen, problems, delivered, replies }: FollowingRecords,
  ) {
    this.#seen = seen;
    this.#problems = problems;
    this.#delivered = new Map(Object.entries(delivered));
    this.#replies = new Set(replies);
  }

  async untilDecided(): Promise<BusinessOnboardingOutcome> {
    const { follower, journey } = this.application;
    journey.enter(this.#stage);
    try {
      for (;;) {
        for (const [name, run] of this.#dueTasks) this.#start(name, run);
        if (this.#isListening) follower.follow(this.#seen);
        await this.#due();
        for (const work of this.#work.values()) work.check();
        journey.checkGivenUp(KINDS);
        const news = follower.take();
        if (news) this.#hear(news);
        if (this.#outcome) return await this.#end();
        if (news) {
          journey.enter(this.#stage);
          if (workflowInfo().continueAsNewSuggested && !this.#isBusy) await this.#continueInNewRun();
        }
      }
    } catch (error) {
      await this.#stop();
      throw error;
    }
  }

  /** While an account is just being opened, its effect would be the news. While a person is asked, anything may happen. */
  get #isListening(): boolean {
    return this.#work.get('account')?.isBusy !== true || this.#isAsking;
  }

  /** A person is asked about what goes on beside the poll. */
  get #isAsking(): boolean {
    const { open } = this.application.journey.desk;
    return open.some(({ kind }) => !(KINDS as readonly string[]).includes(kind));
  }

  /** Waits until there is something to do, at the latest until an answered ticket has been listed for too long. */
  async #due(): Promise<void> {
    while (!this.#isDue) {
      const soonest = this.#soonest;
      const isOver = () => this.#isDue || this.#soonest !== soonest;
      if (soonest === Number.POSITIVE_INFINITY) await condition(isOver);
      else await condition(isOver, soonest - Date.now(), { summary: 'an answered ticket should be closed' });
    }
  }

  /** When the first of the answered tickets asks again. */
  get #soonest(): number {
    return Math.min(...[...this.#delivered.values()].map(({ until }) => until));
  }

  /** Answered tickets that should be closed by now. */
  get #late(): readonly string[] {
    const now = Date.now();
    return [...this.#delivered].flatMap(([about, { until }]) => (until <= now ? [about] : []));
  }

  get #isDue(): boolean {
    const { follower, journey } = this.application;
    return (
      follower.hasNews ||
      (this.#isListening && !follower.isFollowing) ||
      [...this.#work.values()].some((work) => work.hasFailed) ||
      this.#dueTasks.length > 0 ||
      this.#outcome !== undefined ||
      journey.desk.givenUp(KINDS) !== undefined
    );
  }

  get #isBusy(): boolean {
    return [...this.#work.values()].some((work) => work.isBusy);
  }

  get #stage(): Stage {
    if (this.#owesHolder) return 'applying';
    return this.#owesAccount ? 'opening' : 'underwriting';
  }

  get #owesHolder(): boolean {
    if (this.#problems === null) return this.#seen?.phase === 'new';
    return this.#problems.length > 0;
  }

  get #owesAccount(): boolean {
    const { input, journey } = this.application;
    const isWanted = input.openFinancialAccount && journey.state.financialAccountId === undefined;
    return this.#seen?.phase === 'approved' && isWanted === true;
  }

  get #outcome(): BusinessOnboardingOutcome | undefined {
    if (!this.#seen) return undefined;
    const { bankingStatus, phase } = this.#seen;
    const { profileId, journey } = this.application;
    if (phase === 'new' || phase === 'under-review' || this.#owesAccount) return undefined;
    const { financialAccountId = null } = journey.state;
    const outcome = phase === 'approved' ? 'onboarded' : phase;
    return { outcome, profileId, financialAccountId, bankingStatus };
  }

  /** What can be begun now. The holder is one thing, so that corrections of it go out one after the other. */
  get #dueTasks(): readonly Task[] {
    const { desk } = this.application.journey;
    const answered = desk.answeredOf('ticket');
    const sent = (answer: Answered, send: () => Promise<void>) => () => desk.whileSending([answer], send);
    const replies = answered.flatMap((each): Task[] => {
      const { requirement, resolution } = each;
      const { answer } = resolution;
      if (answer.kind !== 'text') return [];
      return [[requirement.id, sent(each, () => this.#reply(requirement, answer.text))]];
    });
    const corrected = answered.find(({ resolution }) => resolution.answer.kind === 'correction');
    const holder: Task[] = this.#owesHolder
      ? [['holder', this.#settleHolder]]
      : corrected
        ? [['holder', sent(corrected, () => this.#correct(corrected))]]
        : [];
    const account: Task[] = this.#owesAccount ? [['account', () => openAccount(this.application)]] : [];
    const late: Task[] = this.#late.length > 0 ? [['late tickets', this.#lookAtTickets]] : [];
    return [...replies, ...holder, ...account, ...late].filter(([name]) => !this.#work.get(name)?.isBusy);
  }

  #start(name: string, run: () => Promise<void>): void {
    const work = new Background();
    this.#work.set(name, work);
    work.start(run);
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.#work.values()].map((work) => work.stop()));
  }

  /** The partner has decided: what is in flight is finished and reported, and nothing else begun. */
  async #end(): Promise<BusinessOnboardingOutcome> {
    const { desk } = this.application.journey;
    if (this.#isBusy) await condition(() => !this.#isBusy || this.#isAsking, GRACE);
    await this.#stop();
    for (const { requirement } of desk.answeredOf('ticket'))
      desk.drop(requirement.id, 'the partner decided before it was delivered');
    const outcome = this.#outcome;
    if (!outcome) throw new Error('the decision is gone');
    return outcome;
  }

  #hear(news: ProfileSnapshot): void {
    this.#tellOf(news);
    this.#tickets = news.tickets;
    this.#raiseWhatIsAsked();
    this.#raiseLock(news);
    this.#seen = toSeen(news);
    if (news.phase !== 'new') this.#problems ??= [];
  }

  #tellOf({ bankingStatus, financialAccountId, isLocked }: ProfileSnapshot): void {
    const { journey } = this.application;
    journey.know({ partnerStatus: bankingStatus });
    if (bankingStatus !== this.#seen?.bankingStatus) {
      journey.timeline.add('status-changed', { detail: bankingStatus });
    }
    if (isLocked !== (this.#seen?.isLocked ?? false))
      journey.timeline.add(isLocked ? 'profile-locked' : 'profile-unlocked');
    this.application.knowAccount(financialAccountId);
  }

  /** Raises what the partner wants of a person, and closes what it no longer wants. */
  #raiseWhatIsAsked(): void {
    const { desk } = this.application.journey;
    if (!this.#tickets) return;
    const tickets = this.#tickets.filter(({ ticketId }) => !this.#replies.has(ticketId));
    const asked = new Map(tickets.map((ticket) => [aboutTicket(ticket.ticketId), ticket]));
    const isAsked = (about: string, detail: string) => {
      const ticket = asked.get(about);
      return ticket !== undefined && detailOf(ticket) === detail;
    };
    for (const { id, about = '', detail } of desk.openOf('ticket')) {
      const why = asked.has(about) ? 'the partner asks something else' : 'the partner no longer asks';
      if (!isAsked(about, detail)) desk.withdraw(id, why);
    }
    for (const [about, { detail }] of this.#delivered)
      if (!isAsked(about, detail)) this.#delivered.delete(about);
    for (const [about, ticket] of asked) {
      if (this.#delivered.has(about) || desk.knows(about)) continue;
      desk.raise(ticketQuestion(ticket, ['text', 'correction', 'abandon'], this.#remarks.get(about)));
      this.#remarks.delete(about);
    }
  }

  #raiseLock({ isLocked }: ProfileSnapshot): void {
    const { journey, profileId } = this.application;
    const open = journey.desk.openOf('locked-profile');
    if (!isLocked) for (const { id } of open) journey.desk.withdraw(id, 'the partner unlocked the profile');
    if (!isLocked || open.length > 0) return;
    journey.desk.raise({
      kind: 'locked-profile',
      title: 'The partner locked the profile',
      detail:
        `Banking profile ${profileId} is locked. Ask the partner why, and have it unlocked: ` +
        'this requirement then closes by itself.',
      answers: ['abandon'],
    });
  }

  /** Has the holder corrected that the partner found wanting, unless it takes it meanwhile. */
  readonly #settleHolder = async (): Promise<void> => {
    const { application } = this;
    const isMoot = () => this.#seen !== null && this.#seen.phase !== 'new';
    const problems = this.#problems ?? [];
    if (problems.length === 0 || (await askToCorrect(application, problems, isMoot)))
      await replaceHolder(application, isMoot);
    this.#problems = [];
    application.journey.enter(this.#stage);
  };

  async #correct({ requirement, resolution }: Answered): Promise<void> {
    const { application } = this;
    const answer = notAbandoned(resolution);
    if (answer.kind === 'correction') application.correct(answer.patch);
    await replaceHolder(application);
    this.#taken(requirement);
  }

  async #reply(requirement: Requirement, text: string): Promise<void> {
    const { journey } = this.application;
    try {
      const replyId = await reply(journey, requirement, text);
      if (replyId !== null) this.#replies.add(replyId);
      this.#taken(requirement);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      await this.#refused(requirement, error);
    }
  }

  /** The partner took the answer. It may have asked something else since. */
  #taken({ id, about = id, detail }: Requirement): void {
    const { journey } = this.application;
    journey.desk.take(id);
    journey.timeline.add('ticket-answered', { detail: id });
    this.#delivered.set(about, { detail, until: Date.now() + journey.desk.dueInMs });
    this.#raiseWhatIsAsked();
    journey.publish();
  }

  /** The partner did not take the answer. If it still asks, it is asked again. */
  async #refused({ id, about = id }: Requirement, { message }: RejectedByPartner): Promise<void> {
    const { journey, follower } = this.application;
    const now = await read(this.application);
    journey.desk.take(id);
    journey.timeline.add('answer-rejected', { detail: `${id}: ${message}` });
    this.#remarks.set(about, `the last answer was rejected: ${message}`);
    follower.hear(now);
  }

  /** Reads once more, and has those asked again that are still listed. */
  readonly #lookAtTickets = async (): Promise<void> => {
    const late = this.#late.map((about) => [about, this.#delivered.get(about)?.detail ?? ''] as const);
    for (const [about, detail] of late)
      this.#delivered.set(about, { detail, until: Number.POSITIVE_INFINITY });
    const now = await read(this.application);
    for (const [about] of late) {
      this.#delivered.delete(about);
      this.#remarks.set(about, 'it was answered, and the partner still lists it');
    }
    this.application.follower.hear(now);
  };

  async #continueInNewRun(): Promise<never> {
    await condition(allHandlersFinished);
    const { journey, inputToCarry } = this.application;
    return continueAsNew<typeof businessOnboarding>(inputToCarry, {
      journey: journey.records,
      following: {
        seen: this.#seen,
        problems: this.#problems,
        delivered: Object.fromEntries(this.#delivered),
        replies: [...this.#replies],
      },
    });
  }
}

function toSeen({ tickets, ...profile }: ProfileSnapshot): SeenProfile {
  return { ...profile, tickets: Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks])) };
}

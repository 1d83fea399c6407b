import { condition } from '@temporalio/workflow';
import type { OpenTicket, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { Stage } from '../../messages/onboarding-state.js';
import type { BusinessOnboardingOutcome } from '../../messages/onboardings.js';
import { businessOutcome } from '../../messages/outcomes.js';
import type { Requirement } from '../../messages/requirements.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../privacy/masked.js';
import type { Journey } from '../journey/journey.js';
import { type Answered, unlessAbandoned } from '../journey/requirement-queue.js';
import { RejectedByPartner } from '../journey/run-step.js';
import type { StatusFollower, StatusPoll } from '../journey/status-poll.js';
import { type Task, Tasks } from '../journey/tasks.js';
import {
  askToCorrect,
  type BusinessApplication,
  CORRECT,
  openAccount,
  read,
  replaceHolder,
} from './application.js';
import { ANY_OF_HOLDER, aboutTicket, detailOf, reply, ticketQuestion, titleOfReply } from './tickets.js';

/** What following a business hands to the next run of the workflow. */
export interface UnderwritingRecords {
  readonly seen: SeenProfile;
  /** Problems that the partner found with the holder and nobody has corrected; null while they are not known. */
  readonly problems: readonly FieldProblem[] | null;
  /** Tickets that the partner has the answers to, by {@link Requirement.about}. */
  readonly delivered: Readonly<Record<string, Delivered>>;
  /** Our replies, which are tickets as well. */
  readonly replies: readonly number[];
}

/**
 * An answer that the partner has. It may list the ticket for some more time. It asks again in three cases: the ticket asks
 * something else, it is listed again after it was gone, or it is still listed after the time that a person gets for an answer.
 * In the last case it may have been closed and opened again between two reads.
 */
interface Delivered {
  /** What was asked. */
  readonly detail: string;
  /** When the ticket asks again if it is still listed, in milliseconds since 1970. */
  readonly until: number;
}

/** After a decision, writes in flight have this long to end by themselves. */
const GRACE = '5s';

/**
 * Brings an existing profile to its end: has the holder corrected, asks a person what the tickets of the partner ask, and
 * delivers the answers. It opens the financial account, and ends with the decision of the partner. {@link followStatus} calls it.
 */
export class Underwriting implements StatusFollower<SeenProfile, ProfileSnapshot, BusinessOnboardingOutcome> {
  readonly kinds = ['ticket', 'locked-profile', 'not-submitted'] as const;
  readonly tasks = new Tasks();
  readonly journey: Journey;
  readonly status: StatusPoll<SeenProfile, ProfileSnapshot>;
  readonly #delivered: Map<string, Delivered>;
  readonly #replies: Set<number>;
  /** What became of the last answer to a ticket that asks again. */
  readonly #remarks = new Map<string, string>();
  #problems: readonly FieldProblem[] | null;
  #seen: SeenProfile;
  /** As last read in this run. */
  #tickets: readonly OpenTicket[] | undefined;

  constructor(
    private readonly application: BusinessApplication,
    { seen, problems, delivered, replies }: UnderwritingRecords,
  ) {
    this.journey = application.journey;
    this.status = application.status;
    this.#seen = seen;
    this.#problems = problems;
    this.#delivered = new Map(Object.entries(delivered));
    this.#replies = new Set(replies);
  }

  get records(): UnderwritingRecords {
    return {
      seen: this.#seen,
      problems: this.#problems,
      delivered: Object.fromEntries(this.#delivered),
      replies: [...this.#replies],
    };
  }

  get seen(): SeenProfile {
    return this.#seen;
  }

  get stage(): Stage {
    if (this.#needsHolder) return 'applying';
    return this.#needsAccount ? 'opening' : 'underwriting';
  }

  get #needsHolder(): boolean {
    if (this.#problems === null) return this.#seen?.phase === 'new';
    return this.#problems.length > 0;
  }

  get #needsAccount(): boolean {
    const { input, journey } = this.application;
    const isWanted =
      input.current.openFinancialAccount && journey.state.facts.financialAccountId === undefined;
    return this.#seen?.phase === 'approved' && isWanted === true;
  }

  /** While a person is asked about an account that is being opened, anything may happen. */
  get isListening(): boolean {
    return !this.tasks.isRunning('account') || this.#isAsking;
  }

  /** A person is asked about one of the tasks. */
  get #isAsking(): boolean {
    const kinds: readonly string[] = this.kinds;
    return this.journey.requirements.open.some(({ kind }) => !kinds.includes(kind));
  }

  /** When the first of the answered tickets asks again. */
  get nextDueAt(): number {
    return Math.min(...[...this.#delivered.values()].map(({ until }) => until));
  }

  /** Answered tickets that should be closed by now. */
  get #late(): readonly string[] {
    const now = Date.now();
    return [...this.#delivered].flatMap(([about, { until }]) => (until <= now ? [about] : []));
  }

  get outcome(): BusinessOnboardingOutcome | undefined {
    if (!this.#seen) return undefined;
    const { profileId, journey } = this.application;
    if (this.#needsAccount) return undefined;
    return businessOutcome(this.#seen, profileId, journey.state.facts.financialAccountId ?? null);
  }

  async end(): Promise<BusinessOnboardingOutcome> {
    const { tasks } = this;
    const { requirements, writes } = this.journey;
    const isDone = () => !tasks.isBusy || this.#isAsking;
    if (tasks.isBusy) await condition(isDone, GRACE, { summary: 'Let calls in flight end' });
    await tasks.stop();
    requirements.dropUndelivered(['ticket', 'not-submitted'], writes.all);
    const { outcome } = this;
    if (!outcome) throw new Error('there is no outcome any more');
    return outcome;
  }

  /** Every reply is a task of its own. The holder is one task, so that its corrections go out one after the other. */
  get dueTasks(): readonly Task[] {
    const { requirements } = this.journey;
    const answered = requirements.answeredOf('ticket');
    const task = (name: string, run: () => Promise<void>): Task => ({ name, run });
    const sending = (name: string, answer: Answered, write: string, send: () => Promise<void>) =>
      task(name, () => requirements.whileSending([answer], write, send));
    const replies = answered.flatMap((each) => {
      const { requirement, resolution } = each;
      const { answer } = resolution;
      if (answer.kind !== 'text') return [];
      const write = titleOfReply(requirement);
      return [sending(requirement.id, each, write, () => this.#reply(requirement, answer.text))];
    });
    const corrected = [...answered, ...requirements.answeredOf('not-submitted')].find(
      ({ resolution }) => resolution.answer.kind === 'correction',
    );
    const holder = this.#needsHolder
      ? [task('holder', this.#correctProblems)]
      : corrected
        ? [sending('holder', corrected, CORRECT, () => this.#correct(corrected))]
        : [];
    const account = this.#needsAccount ? [task('account', () => openAccount(this.application))] : [];
    const late = this.#late.length > 0 ? [task('late tickets', this.#readLateTickets)] : [];
    return [...replies, ...holder, ...account, ...late];
  }

  onChange(change: ProfileSnapshot): void {
    this.#publishChange(change);
    this.#tickets = change.tickets;
    this.#raiseTickets();
    this.#raiseLock(change);
    this.#raiseNotSubmitted(change);
    this.#seen = toSeen(change);
    if (change.phase !== 'new') this.#problems ??= [];
    if (this.outcome === undefined) this.journey.state.know({ stage: this.stage });
  }

  #publishChange({ bankingStatus, financialAccountId, isLocked }: ProfileSnapshot): void {
    const { journey } = this;
    journey.state.know({ partnerStatus: bankingStatus });
    if (bankingStatus !== this.#seen?.bankingStatus) {
      journey.timeline.add('status-changed', { detail: bankingStatus });
    }
    if (isLocked !== (this.#seen?.isLocked ?? false))
      journey.timeline.add(isLocked ? 'profile-locked' : 'profile-unlocked');
    this.application.knowAccount(financialAccountId);
  }

  /** Raises the tickets that the partner lists, and closes those that it no longer lists. */
  #raiseTickets(): void {
    const { requirements } = this.journey;
    if (!this.#tickets) return;
    const tickets = this.#tickets.filter(({ ticketId }) => !this.#replies.has(ticketId));
    const asked = new Map(tickets.map((ticket) => [aboutTicket(ticket.ticketId), ticket]));
    const isAsked = (about: string, detail: string) => {
      const ticket = asked.get(about);
      return ticket !== undefined && detailOf(ticket) === detail;
    };
    for (const { id, about = '', detail } of requirements.openOf('ticket')) {
      const why = asked.has(about) ? 'the partner asks something else' : 'the partner no longer asks';
      if (!isAsked(about, detail)) requirements.withdraw(id, why);
    }
    for (const [about, { detail }] of this.#delivered)
      if (!isAsked(about, detail)) this.#delivered.delete(about);
    for (const [about, ticket] of asked) {
      if (this.#delivered.has(about) || requirements.has(about)) continue;
      requirements.raise(ticketQuestion(ticket, ['text', 'correction', 'abandon'], this.#remarks.get(about)));
      this.#remarks.delete(about);
    }
  }

  #raiseLock({ isLocked }: ProfileSnapshot): void {
    const { journey } = this;
    const { profileId } = this.application;
    const open = journey.requirements.openOf('locked-profile');
    if (!isLocked)
      for (const { id } of open) journey.requirements.withdraw(id, 'the partner unlocked the profile');
    if (!isLocked || open.length > 0) return;
    journey.requirements.raise({
      kind: 'locked-profile',
      title: 'The partner locked the profile',
      detail:
        `Banking profile ${profileId} is locked. Ask the partner why, and have it unlocked: ` +
        'this requirement then closes by itself.',
      answers: ['abandon'],
    });
  }

  /** Asks a person about the profile of a followed business that reads as new. Closes when the bank has moved on. */
  #raiseNotSubmitted({ phase, bankingStatus }: ProfileSnapshot): void {
    const { application, tasks } = this;
    const { requirements } = this.journey;
    const open = requirements.openOf('not-submitted');
    const answered = requirements.answeredOf('not-submitted');
    if (phase !== 'new') {
      for (const { id } of open) requirements.withdraw(id, 'the partner has moved on');
      if (tasks.isBusy) return;
      for (const { requirement } of answered) requirements.drop(requirement.id, 'the partner has moved on');
      return;
    }
    if (!application.isFollowed || tasks.isRunning('holder') || open.length + answered.length > 0) return;
    requirements.raise({
      kind: 'not-submitted',
      title: 'Not submitted, or rejected by the bank',
      detail:
        `Banking profile ${application.profileId} (“${masked(application.dba)}”) reads as ${bankingStatus}: nobody has submitted ` +
        'it, or the bank rejected its holder. Gangway follows it, and submits nothing by itself. Submit it at the bank: ' +
        'this requirement then closes by itself. Or correct it with the complete holder, which Gangway then sends.',
      answers: ['correction', 'abandon'],
      blank: ANY_OF_HOLDER,
    });
  }

  /** Has the problems of the holder corrected, unless the partner accepts it meanwhile. */
  readonly #correctProblems = async (): Promise<void> => {
    const { application } = this;
    const isMoot = () => this.#seen !== null && this.#seen.phase !== 'new';
    const problems = this.#problems ?? [];
    if (problems.length === 0 || (await askToCorrect(application, problems, isMoot)))
      await replaceHolder(application, isMoot);
    this.#problems = [];
    this.journey.state.enter(this.stage);
  };

  async #correct({ requirement, resolution }: Answered): Promise<void> {
    const { application } = this;
    const answer = unlessAbandoned(resolution);
    if (answer.kind === 'correction') application.input.correct(answer.patch);
    const isSubmission = requirement.kind === 'not-submitted';
    await replaceHolder(application, isSubmission ? () => this.#seen?.phase !== 'new' : undefined);
    if (isSubmission) this.journey.requirements.settle(requirement.id);
    else this.#onDelivered(requirement);
  }

  async #reply(requirement: Requirement, text: string): Promise<void> {
    const { journey } = this;
    try {
      const replyId = await reply(journey, requirement, text);
      if (replyId !== null) this.#replies.add(replyId);
      this.#onDelivered(requirement);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      await this.#onRejected(requirement, error);
    }
  }

  /** The partner has the answer. It may have asked something else since. */
  #onDelivered({ id, about = id, detail }: Requirement): void {
    const { journey } = this;
    journey.requirements.settle(id);
    journey.timeline.add('ticket-answered', { detail: id });
    this.#delivered.set(about, { detail, until: Date.now() + journey.requirements.dueInMs });
    this.#raiseTickets();
    journey.state.report();
  }

  /** The partner rejected the answer. If it still asks, a person is asked again. */
  async #onRejected({ id, about = id }: Requirement, { message }: RejectedByPartner): Promise<void> {
    const { journey } = this;
    const now = await read(this.application);
    journey.requirements.settle(id);
    journey.timeline.add('answer-rejected', { detail: `${id}: ${message}` });
    this.#remarks.set(about, `the last answer was rejected: ${message}`);
    this.status.replaceWith(now);
  }

  /** Reads the tickets once more, and asks those again that are still listed. */
  readonly #readLateTickets = async (): Promise<void> => {
    const late = this.#late.map((about) => [about, this.#delivered.get(about)?.detail ?? ''] as const);
    for (const [about, detail] of late)
      this.#delivered.set(about, { detail, until: Number.POSITIVE_INFINITY });
    const now = await read(this.application);
    for (const [about] of late) {
      this.#delivered.delete(about);
      this.#remarks.set(about, 'answered, but still listed by the partner');
    }
    this.status.replaceWith(now);
  };
}

function toSeen({ tickets, ...profile }: ProfileSnapshot): SeenProfile {
  return { ...profile, tickets: Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks])) };
}

import { condition, log } from '@temporalio/workflow';
import type { Correctable, Patch } from '../../messages/activities.js';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import { rejection } from '../../messages/rejections.js';
import type {
  Answer,
  AnswerKind,
  Requirement,
  RequirementKind,
  Resolution,
  ResolutionReceipt,
} from '../../messages/requirements.js';
import type { TimelineEvent } from '../../messages/timeline-events.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { masked } from '../../privacy/masked.js';
import { inShort } from './answer-in-short.js';
import { type ClaimedQueue, type ClaimRecords, Claims } from './claims.js';
import { DueDates } from './due-dates.js';
import type { CorrectableInput } from './input.js';
import type { OutboundEvents } from './outbound-events.js';
import type { PublishedState } from './published-state.js';
import { problemWith } from './resolution-check.js';

/** A requirement about to be raised. The queue adds its id and dates. */
export interface Question {
  /**
   * Identifies what the partner may ask again. It is the id of the requirement the first time; later ids have a number after
   * it: `note-1a2b-2`. Without it the queue numbers its requirements: `request-changes-2`.
   */
  readonly about?: string;
  readonly kind: RequirementKind;
  readonly title: string;
  readonly detail: string;
  readonly answers: readonly AnswerKind[];
  readonly idFormat?: 'text';
  readonly choices?: readonly string[];
  readonly fields?: readonly string[];
  readonly blank?: Patch;
}

/** A requirement with an answer that the workflow has not processed yet. */
export interface Answered {
  readonly requirement: Requirement;
  readonly resolution: Resolution;
}

/** Thrown where an operator abandoned the onboarding. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** What the queue hands to the next run of the same workflow. */
export interface RequirementRecords {
  readonly open: readonly Requirement[];
  readonly answered: readonly Answered[];
  readonly overdue: readonly string[];
  readonly raised: number;
  /** How often each {@link Question.about} was raised. */
  readonly asked: Readonly<Record<string, number>>;
  /** Absent while nobody handles a requirement. */
  readonly claims?: ClaimRecords;
}

export interface RequirementQueueOptions {
  readonly dueInHours: number;
  /** The input that corrections change. Default: nothing can be corrected. */
  readonly input?:
    | Pick<CorrectableInput, 'correctable' | 'problemWith' | 'blankFor' | 'check' | 'at'>
    | undefined;
  /** Stands before each numbered id. */
  readonly idPrefix?: string | undefined;
  readonly records?: RequirementRecords | undefined;
}

type RequirementEvent = TimelineEvent & `requirement-${string}`;

/** The requirements that wait for a person: raises them, takes their answers by the update, and reports overdue ones. */
export class RequirementQueue {
  readonly #open = new Map<string, Requirement>();
  readonly #answered = new Map<string, Answered>();
  readonly #asked = new Map<string, number>();
  /** The writes that take answers to the partner, by the ids of their requirements. */
  readonly #sending = new Map<string, string>();
  readonly claims: Claims;
  readonly dueDates: DueDates;
  #raised = 0;

  constructor(
    private readonly state: PublishedState,
    private readonly events: OutboundEvents,
    private readonly options: RequirementQueueOptions,
  ) {
    const { records } = options;
    for (const requirement of records?.open ?? []) this.#open.set(requirement.id, requirement);
    for (const answered of records?.answered ?? []) this.#answered.set(answered.requirement.id, answered);
    for (const [about, times] of Object.entries(records?.asked ?? {})) this.#asked.set(about, times);
    this.#raised = records?.raised ?? 0;
    this.claims = new Claims(state, this.#handled, records?.claims);
    const onOverdue = (requirement: Requirement) => this.#overdue(requirement);
    this.dueDates = new DueDates(() => this.open, onOverdue, records?.overdue);
  }

  get records(): RequirementRecords {
    const { records: claims } = this.claims;
    return {
      open: this.open,
      answered: this.answered,
      overdue: this.dueDates.overdue,
      raised: this.#raised,
      asked: Object.fromEntries(this.#asked),
      ...(claims && { claims }),
    };
  }

  /** Requirements without an answer, oldest first. */
  get open(): readonly Requirement[] {
    return [...this.#open.values()];
  }

  /** The same with their claims and proposals. */
  get shown(): readonly Requirement[] {
    return this.open.map((requirement) => this.claims.shown(requirement));
  }

  openOf(kind: RequirementKind): readonly Requirement[] {
    return this.open.filter((requirement) => requirement.kind === kind);
  }

  /** Milliseconds that a person has to answer. */
  get dueInMs(): number {
    return this.options.dueInHours * 3_600_000;
  }

  /**
   * Raises a requirement and waits for its answer.
   *
   * @param isMoot ends the wait without an answer, when nobody needs it any more
   * @returns undefined when it became moot
   * @throws {Abandoned} when the answer is to abandon
   */
  async ask(question: Question, isMoot: () => boolean = () => false): Promise<Answer | undefined> {
    const id = this.raise(question);
    this.state.report();
    let why = 'no longer needed';
    try {
      await condition(() => this.isAnswered(id) || isMoot());
      why = 'the partner has moved on';
      const answered = this.settle(id);
      return answered && unlessAbandoned(answered.resolution);
    } finally {
      this.withdraw(id, why);
      this.state.report();
    }
  }

  /** The input with all corrections; absent where nothing can be corrected. */
  get input(): (() => Correctable) | undefined {
    const { input } = this.options;
    return input && (() => input.at(this.state.facts));
  }

  /** A correction to fill in, for these fields. */
  async blankFor(fields: readonly string[]): Promise<Patch | undefined> {
    return this.options.input?.blankFor(fields, this.state.facts);
  }

  /** Raises a requirement. The outside sees it with the next publication of the state. */
  raise(question: Question): string {
    this.#raised += 1;
    const { idPrefix = '' } = this.options;
    const id = this.#idFor(question.about) ?? `${idPrefix}${question.kind}-${this.#raised}`;
    const now = Date.now();
    const raisedAt = new Date(now).toISOString();
    const dueAt = new Date(now + this.dueInMs).toISOString();
    const title = shortened(question.title, LONGEST.line);
    const detail = shortened(question.detail, LONGEST.detail);
    const requirement = { id, ...question, title, detail, raisedAt, dueAt };
    this.#open.set(id, requirement);
    this.#record('requirement-raised', requirement, title);
    this.events.requirement('requirement.raised.v1', requirement);
    return id;
  }

  #record(event: RequirementEvent, { id, kind }: Requirement, what: string, who = {}): void {
    this.state.timeline.add(event, { detail: `${id}: ${what}`, ...who }, { kind });
  }

  #idFor(about: string | undefined): string | undefined {
    if (about === undefined) return undefined;
    const times = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, times);
    return times === 1 ? about : `${about}-${times}`;
  }

  /** Closes a requirement that no longer needs an answer. */
  withdraw(id: string, why: string): void {
    const requirement = this.#open.get(id);
    if (!requirement) return;
    this.#open.delete(id);
    this.claims.closed(id);
    this.#record('requirement-closed', requirement, why);
  }

  /** True while a requirement about this is open, or has an answer that is not processed. */
  has(about: string): boolean {
    const answered = this.answered.map(({ requirement }) => requirement);
    return [...this.#open.values(), ...answered].some((requirement) => requirement.about === about);
  }

  isAnswered(id: string): boolean {
    return this.#answered.has(id);
  }

  hasAnswered(kind: RequirementKind): boolean {
    return this.answeredOf(kind).length > 0;
  }

  /** The answered requirements. They stay until {@link settle}. */
  get answered(): readonly Answered[] {
    return [...this.#answered.values()];
  }

  answeredOf(kind: RequirementKind): readonly Answered[] {
    return this.answered.filter(({ requirement }) => requirement.kind === kind);
  }

  /** Removes an answer from the queue, to process it. */
  settle(id: string): Answered | undefined {
    const answered = this.#answered.get(id);
    this.#answered.delete(id);
    return answered;
  }

  /** Removes an answer that the partner no longer needs. */
  drop(id: string, why: string): void {
    if (this.settle(id)) this.state.timeline.add('answer-dropped', { detail: `${id}: ${why}` });
  }

  /** The answer to a requirement of one of these kinds that abandons the onboarding. */
  abandonedOf(kinds: readonly RequirementKind[]): Answered | undefined {
    const answered = kinds.flatMap((kind) => this.answeredOf(kind));
    return answered.find(({ resolution }) => resolution.answer.kind === 'abandon');
  }

  /** Ids of requirements whose answers can be taken back. */
  get unsent(): readonly string[] {
    return [...this.#answered.keys()].filter((id) => !this.#sending.has(id));
  }

  /**
   * Sends answers. Meanwhile nobody can take them back, nor after the end of the workflow has interrupted it.
   *
   * @param write the title of the step that takes them to the partner
   */
  async whileSending(answered: readonly Answered[], write: string, send: () => Promise<void>): Promise<void> {
    const ids = answered.map(({ requirement }) => requirement.id);
    for (const id of ids) this.#sending.set(id, write);
    await send();
    for (const id of ids) this.#sending.delete(id);
  }

  /** Drops the answers that are left after a decision of the partner, once all writes have ended. */
  dropUndelivered(kinds: readonly RequirementKind[], unfinished: readonly UnfinishedWrite[]): void {
    const isUnknown = (id: string) =>
      unfinished.some(({ write, became }) => became === 'unknown' && write === this.#sending.get(id));
    for (const { requirement } of kinds.flatMap((kind) => this.answeredOf(kind))) {
      const when = isUnknown(requirement.id)
        ? 'while it was on its way; whether it arrived is unknown'
        : 'before it was delivered';
      this.drop(requirement.id, `the partner decided ${when}`);
    }
  }

  /** The validator of the update. Synchronous: a promise would always pass. */
  readonly validate = (resolution: Resolution): void => {
    const problem = this.#problemWith(resolution);
    if (problem) throw rejection(problem);
  };

  #problemWith(resolution: Resolution): string | undefined {
    const { input } = this.options;
    return problemWith(resolution, this, input?.correctable ?? []) ?? input?.problemWith(resolution.answer);
  }

  async #check(resolution: Resolution): Promise<void> {
    const asked = this.#open.get(resolution.requirementId)?.fields;
    await this.options.input?.check(resolution, this.state.facts, asked);
  }

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    await this.#check(resolution);
    const { requirementId, answer } = resolution;
    if (answer.kind === 'take-back') this.#takeBack(resolution);
    else this.#accept(resolution);
    const receipt = { requirementId, acceptedAt: new Date().toISOString(), open: this.#open.size };
    this.state.report();
    return receipt;
  };

  /** A view of this queue for those who handle it together. */
  get #handled(): ClaimedQueue {
    const queue = this;
    return {
      get open() {
        return queue.open;
      },
      problemWith: (resolution) => this.#problemWith(resolution),
      check: (resolution) => this.#check(resolution),
      accept: (resolution) => this.#accept(resolution, true),
    };
  }

  #accept(resolution: Resolution, isConfirmed = false): void {
    const { requirementId, answer, actor, reason } = resolution;
    const requirement = this.#open.get(requirementId);
    if (!requirement) throw rejection(`${requirementId} is not open`);
    this.#open.delete(requirementId);
    this.#answered.set(requirementId, { requirement, resolution });
    this.#record('requirement-resolved', requirement, inShort(answer), { actor, reason: masked(reason) });
    this.claims.answered(requirementId, isConfirmed);
  }

  #takeBack({ requirementId, actor, reason }: Resolution): void {
    const answered = this.settle(requirementId);
    if (!answered) throw rejection(`${requirementId} has no answer to take back`);
    this.#open.set(requirementId, answered.requirement);
    const detail = requirementId;
    this.state.timeline.add('answer-taken-back', { detail, actor, reason: masked(reason) });
  }

  /** Decides nothing. */
  #overdue(requirement: Requirement): void {
    this.#record('requirement-overdue', requirement, requirement.title);
    log.warn('a requirement is overdue');
    this.events.requirement('requirement.overdue.v1', requirement);
    this.state.report();
  }
}

/** @throws {Abandoned} when the answer is to abandon */
export function unlessAbandoned({ answer, reason }: Resolution): Exclude<Answer, { kind: 'abandon' }> {
  if (answer.kind === 'abandon') throw new Abandoned(masked(reason));
  return answer;
}

import { ApplicationFailure } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import type {
  AnswerKind,
  Requirement,
  RequirementKind,
  Resolution,
  ResolutionReceipt,
} from '../../messages/requirements.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { count } from './count.js';
import { masked } from './masked.js';
import { problemWith } from './resolution-check.js';
import type { Timeline } from './timeline.js';

/** A requirement about to be raised; id, dates come from the desk. */
export interface Question {
  /**
   * What it is about, where the partner may ask the same again: that is its id the first time, and then with a number
   * behind, `note-1a2b-2`. Else the desk numbers all requirements: `request-changes-2`.
   */
  readonly about?: string;
  readonly kind: RequirementKind;
  readonly title: string;
  readonly detail: string;
  readonly answers: readonly AnswerKind[];
  readonly idFormat?: 'text';
}

/** A requirement that has its answer, which nobody acted upon yet. */
export interface Answered {
  readonly requirement: Requirement;
  readonly resolution: Resolution;
}

/** What the desk hands to the next run of the same workflow. */
export interface DeskRecords {
  readonly open: readonly Requirement[];
  readonly answered: readonly Answered[];
  readonly overdue: readonly string[];
  readonly raised: number;
  /** How often each thing was asked about. */
  readonly asked: Readonly<Record<string, number>>;
}

export interface DeskOptions {
  readonly dueInHours: number;
  /** Which members of the input a correction may change. */
  readonly correctable: readonly string[];
  /** Before each id that the desk makes up. */
  readonly idPrefix?: string | undefined;
  readonly records?: DeskRecords | undefined;
  readonly onRaised: (requirement: Requirement) => void;
}

/** Keeps what waits for a person: raises requirements, takes their answers, notices when one is overdue. */
export class RequirementDesk {
  readonly #open = new Map<string, Requirement>();
  readonly #answered = new Map<string, Answered>();
  readonly #overdue = new Set<string>();
  readonly #asked = new Map<string, number>();
  /** Answers that are just being sent. */
  readonly #sending = new Set<string>();
  #unsent: readonly string[] = [];
  #raised = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly options: DeskOptions,
  ) {
    const { records } = options;
    if (!records) return;
    for (const requirement of records.open) this.#open.set(requirement.id, requirement);
    for (const answered of records.answered) this.#answered.set(answered.requirement.id, answered);
    for (const id of records.overdue) this.#overdue.add(id);
    for (const [about, times] of Object.entries(records.asked)) this.#asked.set(about, times);
    this.#raised = records.raised;
  }

  get records(): DeskRecords {
    return {
      open: [...this.#open.values()],
      answered: [...this.#answered.values()],
      overdue: [...this.#overdue],
      raised: this.#raised,
      asked: Object.fromEntries(this.#asked),
    };
  }

  /** The requirements nobody has answered yet, oldest first. */
  get open(): readonly Requirement[] {
    return [...this.#open.values()];
  }

  openOf(kind: RequirementKind): readonly Requirement[] {
    return this.open.filter((requirement) => requirement.kind === kind);
  }

  /** How long an answer may take, in milliseconds. */
  get dueInMs(): number {
    return this.options.dueInHours * 3_600_000;
  }

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
    this.timeline.add('requirement-raised', { detail: `${id}: ${title}` });
    count('requirementsRaised', { kind: question.kind });
    this.options.onRaised(requirement);
    return id;
  }

  #idFor(about: string | undefined): string | undefined {
    if (about === undefined) return undefined;
    const times = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, times);
    return times === 1 ? about : `${about}-${times}`;
  }

  /** True while a requirement about this is open, or answered and not acted upon. */
  knows(about: string): boolean {
    const answered = [...this.#answered.values()].map(({ requirement }) => requirement);
    return [...this.#open.values(), ...answered].some((requirement) => requirement.about === about);
  }

  isAnswered(id: string): boolean {
    return this.#answered.has(id);
  }

  hasAnswered(kind: RequirementKind): boolean {
    return this.answeredOf(kind).length > 0;
  }

  /** Takes an answer off the desk, to act upon it. */
  take(id: string): Answered | undefined {
    const answered = this.#answered.get(id);
    this.#answered.delete(id);
    return answered;
  }

  /** Ids of the requirements whose answers can be taken back. The same array until it changes. */
  get unsent(): readonly string[] {
    const unsent = [...this.#answered.keys()].filter((id) => !this.#sending.has(id));
    if (unsent.join() !== this.#unsent.join()) this.#unsent = unsent;
    return this.#unsent;
  }

  /** Sends answers, which cannot be taken back meanwhile. */
  async whileSending(answered: readonly Answered[], send: () => Promise<void>): Promise<void> {
    const ids = answered.map(({ requirement }) => requirement.id);
    for (const id of ids) this.#sending.add(id);
    try {
      await send();
    } finally {
      for (const id of ids) this.#sending.delete(id);
    }
  }

  /** Drops an answer that is no longer needed before it reached the partner. */
  drop(id: string, why: string): void {
    if (this.take(id)) this.timeline.add('answer-dropped', { detail: `${id}: ${why}` });
  }

  /** The answer to a requirement of one of these kinds that is to give up. */
  givenUp(kinds: readonly RequirementKind[]): Answered | undefined {
    return kinds
      .flatMap((kind) => this.answeredOf(kind))
      .find(({ resolution }) => resolution.answer.kind === 'abandon');
  }

  /** The answers to requirements of a kind, which stay until they are {@link take}n. */
  answeredOf(kind: RequirementKind): readonly Answered[] {
    return [...this.#answered.values()].filter(({ requirement }) => requirement.kind === kind);
  }

  /** Closes a requirement that no longer needs an answer. */
  withdraw(id: string, why: string): void {
    const requirement = this.#open.get(id);
    if (!requirement) return;
    this.#open.delete(id);
    this.timeline.add('requirement-closed', { detail: `${id}: ${why}` });
    count('requirementsClosed', { kind: requirement.kind });
  }

  /** The update's validator. Synchronous, for a promise would always pass. */
  readonly validate = (resolution: Resolution): void => {
    const problem = problemWith(resolution, this, this.options.correctable);
    if (problem) throw ApplicationFailure.nonRetryable(problem, 'InvalidResolution');
  };

  readonly resolve = (resolution: Resolution): ResolutionReceipt => {
    const { requirementId, answer, actor, reason } = resolution;
    if (answer.kind === 'take-back') return this.#takeBack(resolution);
    const requirement = this.#open.get(requirementId);
    if (!requirement)
      throw ApplicationFailure.nonRetryable(`${requirementId} is not open`, 'InvalidResolution');
    this.#open.delete(requirementId);
    this.#answered.set(requirementId, { requirement, resolution });
    count('requirementsAnswered', { kind: requirement.kind });
    this.timeline.add('requirement-resolved', {
      detail: `${requirementId}: ${answer.kind}`,
      actor,
      reason: masked(reason),
    });
    return { requirementId, acceptedAt: new Date().toISOString(), open: this.#open.size };
  };

  #takeBack({ requirementId, actor, reason }: Resolution): ResolutionReceipt {
    const answered = this.take(requirementId);
    if (!answered)
      throw ApplicationFailure.nonRetryable(
        `${requirementId} has no answer to take back`,
        'InvalidResolution',
      );
    this.#open.set(requirementId, answered.requirement);
    this.timeline.add('answer-taken-back', { detail: requirementId, actor, reason: masked(reason) });
    return { requirementId, acceptedAt: new Date().toISOString(), open: this.#open.size };
  }

  /** Marks requirements as overdue when their time has come, and decides nothing. Runs as long as the workflow. */
  async watchDueDates(onOverdue: (requirement: Requirement) => void): Promise<void> {
    const next = () =>
      this.open.filter(({ id }) => !this.#overdue.has(id)).map(({ dueAt }) => Date.parse(dueAt));
    for (;;) {
      await condition(() => next().length > 0);
      const due = Math.min(...next());
      // The last one may be gone by now: closed in the same breath, as by the end of the workflow.
      if (due === Number.POSITIVE_INFINITY) continue;
      const answered = () => !next().includes(due);
      const summary = 'an answer is due';
      const intime = due > Date.now() && (await condition(answered, due - Date.now(), { summary }));
      if (intime) continue;
      for (const requirement of this.open) {
        const { id, kind, dueAt, title } = requirement;
        if (this.#overdue.has(id) || Date.parse(dueAt) > due) continue;
        this.#overdue.add(id);
        this.timeline.add('requirement-overdue', { detail: `${id}: ${title}` });
        count('requirementsOverdue', { kind });
        onOverdue(requirement);
      }
    }
  }
}

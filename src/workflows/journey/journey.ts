import { condition, isCancellation, log, setHandler } from '@temporalio/workflow';
import type {
  OnboardingState,
  OutcomeName,
  Unfinished,
  UnfinishedWrite,
} from '../../messages/onboarding-state.js';
import type { PartOutcome } from '../../messages/onboardings.js';
import {
  type Answer,
  type Requirement,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import type { AnnouncerRecords } from './announcer.js';
import { type CorrectableInput, refuseBadCorrection } from './corrections.js';
import { masked } from './masked.js';
import { Patience } from './patience.js';
import { type Facts, PublicFace, type PublicFaceOptions } from './public-face.js';
import { Reporter } from './reporter.js';
import { type DeskRecords, type Question, RequirementDesk } from './requirement-desk.js';

/** What a journey hands to the next run of the same workflow. */
export interface JourneyRecords {
  readonly state: OnboardingState;
  readonly desk: DeskRecords;
  readonly news: AnnouncerRecords;
}

export interface JourneyOptions extends Omit<PublicFaceOptions, 'state' | 'news'> {
  readonly dueInHours: number;
  /** Which members of the input a correction may change. */
  readonly correctable: readonly string[];
  /** The input that they change; none where nothing can be corrected. */
  readonly input?: CorrectableInput;
  /** Before the ids of requirements, so that those of a customer's two children differ. */
  readonly idPrefix?: string;
  readonly records?: JourneyRecords | undefined;
}

/** Thrown where an operator gave the onboarding up. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** A workflow that deals with a partner and asks people: its public face, and what waits for an answer. */
export class Journey extends PublicFace {
  readonly desk: RequirementDesk;
  /** Writes of which nobody knows yet whether they took effect. */
  readonly doubts = new Set<string>();
  readonly patience: Patience;
  readonly #overtaken: UnfinishedWrite[] = [];
  readonly #reporter: Reporter;
  readonly #input: CorrectableInput | undefined;

  constructor({ dueInHours, correctable, input, idPrefix, records, leftBehind, ...options }: JourneyOptions) {
    super({
      ...options,
      leftBehind: (facts) => withUnfinished(leftBehind(facts), this.unfinished),
      state: records?.state,
      news: records?.news,
    });
    this.#input = input;
    this.desk = new RequirementDesk(this.timeline, {
      dueInHours,
      correctable,
      idPrefix,
      records: records?.desk,
      onRaised: (requirement) => this.announcer.requirement('requirement.raised.v1', requirement),
    });
    this.#reporter = new Reporter(() => ({
      state: this.state,
      outcome: this.outcome as PartOutcome | undefined,
    }));
    setHandler(resolveRequirement, this.#resolve, { validator: this.desk.validate });
    this.patience = new Patience(this);
    this.#watchDueDates();
  }

  override get requirements(): readonly Requirement[] {
    return this.desk.open;
  }

  override get state(): OnboardingState {
    return { ...super.state, unsent: this.desk.unsent };
  }

  get records(): JourneyRecords {
    return {
      // The desk has them.
      state: { ...this.state, requirements: [] },
      desk: this.desk.records,
      news: this.announcer.records,
    };
  }

  /** @throws {Abandoned} when an answer to a requirement of one of these kinds is to give up */
  checkGivenUp(kinds: Parameters<RequirementDesk['givenUp']>[0]): void {
    const last = this.desk.givenUp(kinds);
    if (last) notAbandoned(last.resolution);
  }

  /** Takes note of a write that was in flight when what it belongs to was ended, and of what became of it. */
  overtaken(write: string, became: UnfinishedWrite['became']): void {
    this.#overtaken.push({ write, became });
    this.timeline.add('write-overtaken', { detail: `${write}: ${became}` });
  }

  /** The writes that were in flight, or in doubt, when the story was ended. */
  get unfinished(): readonly UnfinishedWrite[] {
    const overtaken = this.#overtaken.map(({ write }) => write);
    const doubts = [...this.doubts].filter((write) => !overtaken.includes(write));
    return [...this.#overtaken, ...doubts.map((write) => ({ write, became: 'unknown' as const }))];
  }

  /**
   * Raises a requirement and waits for its answer.
   *
   * @param moot ends the wait without an answer, when the world has moved on
   * @returns undefined when it became moot
   * @throws {Abandoned} when the answer is to give up
   */
  async ask(question: Question, moot: () => boolean = () => false): Promise<Answer | undefined> {
    const id = this.desk.raise(question);
    this.publish();
    let why = 'what was asked for no longer matters';
    try {
      await condition(() => this.desk.isAnswered(id) || moot());
      why = 'the partner moved on by itself';
      const answered = this.desk.take(id);
      return answered && notAbandoned(answered.resolution);
    } finally {
      this.desk.withdraw(id, why);
      this.publish();
    }
  }

  /** Lives through `story`; see {@link PublicFace.live}. Giving up is an outcome as well. */
  liveThrough<Outcome extends { readonly outcome: OutcomeName }>(
    story: () => Promise<Outcome>,
    abandoned: (comment: string) => Outcome,
  ): Promise<Outcome & Unfinished> {
    return this.live(async () => {
      const outcome = await story().catch((error: unknown) => {
        if (error instanceof Abandoned) return abandoned(error.message);
        throw error;
      });
      const { unfinished } = this;
      return unfinished.length > 0 ? { ...outcome, unfinished } : outcome;
    });
  }

  protected override close(): void {
    for (const { id } of this.desk.open) this.desk.withdraw(id, 'the onboarding has ended');
  }

  protected override tell(): void {
    this.#reporter.report();
  }

  protected override told(): Promise<void> {
    return this.#reporter.settled();
  }

  readonly #resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    if (this.#input) await refuseBadCorrection(resolution, this.#input, this.state);
    const receipt = this.desk.resolve(resolution);
    this.publish();
    return receipt;
  };

  #watchDueDates(): void {
    this.desk
      .watchDueDates((requirement) => {
        log.warn('a requirement is overdue');
        this.announcer.requirement('requirement.overdue.v1', requirement);
        this.publish();
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}

/** @throws {Abandoned} when the answer is to give up */
export function notAbandoned({ answer, reason }: Resolution): Exclude<Answer, { kind: 'abandon' }> {
  if (answer.kind === 'abandon') throw new Abandoned(masked(reason));
  return answer;
}

function withUnfinished(known: string, unfinished: readonly UnfinishedWrite[]): string {
  const writes = unfinished.map(({ write, became }) => `${write}: ${IN_WORDS[became]}`);
  return [known, ...writes].join('; ');
}

const IN_WORDS: Readonly<Record<UnfinishedWrite['became'], string>> = {
  done: 'was in flight, and is done',
  rejected: 'was in flight, and the partner rejected it',
  'not-sent': 'was due, and was not sent',
  unknown: 'nobody knows whether it took effect',
};

export type { Facts };

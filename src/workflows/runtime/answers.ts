import { condition } from '@temporalio/workflow';
import { rejection } from '../../messages/rejections.js';
import type { Answer, Resolution, ResolutionReceipt } from '../../messages/requirements.js';
import type { CorrectableInput } from './input.js';
import type { PublishedState } from './published-state.js';
import {
  acceptAnswer,
  answeredRequirements,
  openRequirements,
  raiseRequirement,
  removeAnswered,
  requireNotAbandoned,
  takeBackAnswer,
  unsentIds,
  withdrawRequirement,
} from './requirements.js';
import { problemWith } from './resolutions.js';
import type { PendingAnswer, Question, Store } from './state.js';

export class Answers {
  constructor(
    private readonly published: Pick<PublishedState, 'report'>,
    private readonly store: Store,
    private readonly input: Pick<CorrectableInput, 'correctable' | 'problemWith' | 'check'>,
  ) {}

  /** Raises a requirement and waits for its answer. Returns undefined if the requirement is superseded first. */
  readonly ask = async (
    question: Question,
    isSuperseded: () => boolean = () => false,
  ): Promise<Answer | undefined> => {
    const { store, published } = this;
    const id = raiseQuestion(store, question);
    published.report();
    try {
      await condition(() => pendingAnswerTo(store, id) !== undefined || isSuperseded());
      const answered = pendingAnswerTo(store, id);
      store.update(removeAnswered(id));
      return answered && requireNotAbandoned(answered.resolution);
    } finally {
      store.update(withdrawRequirement(id, 'no longer needed'));
      published.report();
    }
  };

  /** The update's validator. It must be synchronous, because a promise would always pass. */
  readonly validate = (resolution: Resolution): void => {
    const problem = this.problemWith(resolution);
    if (problem) throw rejection(problem);
  };

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    await this.check(resolution);
    const { requirementId, answer } = resolution;
    this.store.update(answer.kind === 'take-back' ? takeBackAnswer(resolution) : acceptAnswer(resolution));
    const open = openRequirements(this.store.state).length;
    const receipt = { requirementId, acceptedAt: new Date().toISOString(), open };
    this.published.report();
    return receipt;
  };

  problemWith(resolution: Resolution, isProposal = false): string | undefined {
    const { input, store } = this;
    const answerable = { open: openRequirements(store.state), unsent: unsentIds(store.state), isProposal };
    return problemWith(resolution, answerable, input.correctable) ?? input.problemWith(resolution.answer);
  }

  /**
   * Checks a correction as a whole.
   *
   * @param concerns selects the fields to check. Default: all
   * @throws {ApplicationFailure} if the correction is invalid
   */
  async check(resolution: Resolution, concerns?: (field: string) => boolean): Promise<void> {
    const { fields } =
      openRequirements(this.store.state).find(({ id }) => id === resolution.requirementId) ?? {};
    await this.input.check(resolution, fields, concerns);
  }
}

/** @returns the ID of the requirement */
export function raiseQuestion(store: Store, question: Question): string {
  store.update(raiseRequirement(question));
  return openRequirements(store.state).at(-1)?.id ?? '';
}

export function pendingAnswerTo({ state }: Store, id: string): PendingAnswer | undefined {
  return answeredRequirements(state).find(({ requirement }) => requirement.id === id);
}

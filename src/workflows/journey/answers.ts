import { condition } from '@temporalio/workflow';
import type { Patch } from '../../messages/activities.js';
import { rejection } from '../../messages/rejections.js';
import type { Answer, Resolution, ResolutionReceipt } from '../../messages/requirements.js';
import type { CorrectableInput } from './input.js';
import type { PublishedState } from './published-state.js';
import { type Question, type RequirementQueue, unlessAbandoned } from './requirement-queue.js';
import { problemWith } from './resolutions.js';

export class Answers {
  /** @param corrected the input; absent where nothing can be corrected */
  constructor(
    private readonly state: PublishedState,
    private readonly requirements: RequirementQueue,
    private readonly corrected?: CorrectableInput,
  ) {}

  /** Raises a requirement and waits for its answer. Undefined when it became moot first. */
  readonly ask = async (
    question: Question,
    isMoot: () => boolean = () => false,
  ): Promise<Answer | undefined> => {
    const { requirements, state } = this;
    const id = requirements.raise(question);
    state.report();
    try {
      await condition(() => requirements.isAnswered(id) || isMoot());
      const answered = requirements.removeAnswered(id);
      return answered && unlessAbandoned(answered.resolution);
    } finally {
      requirements.withdraw(id, 'no longer needed');
      state.report();
    }
  };

  readonly blankFor = async (fields: readonly string[]): Promise<Patch | undefined> =>
    this.corrected?.blankFor(fields, this.state.facts);

  /** The validator of the update. Synchronous: a promise would always pass. */
  readonly validate = (resolution: Resolution): void => {
    const problem = this.problemWith(resolution);
    if (problem) throw rejection(problem);
  };

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    await this.check(resolution);
    const { requirementId, answer } = resolution;
    if (answer.kind === 'take-back') this.requirements.takeBack(resolution);
    else this.requirements.accept(resolution);
    const open = this.requirements.open.length;
    const receipt = { requirementId, acceptedAt: new Date().toISOString(), open };
    this.state.report();
    return receipt;
  };

  problemWith(resolution: Resolution): string | undefined {
    const { corrected, requirements } = this;
    return (
      problemWith(resolution, requirements, corrected?.correctable ?? []) ??
      corrected?.problemWith(resolution.answer)
    );
  }

  /** Checks a correction as a whole. @throws {ApplicationFailure} when it does not fit */
  async check(resolution: Resolution): Promise<void> {
    const { fields } = this.requirements.open.find(({ id }) => id === resolution.requirementId) ?? {};
    await this.corrected?.check(resolution, this.state.facts, fields);
  }
}

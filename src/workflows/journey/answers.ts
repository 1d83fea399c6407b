import { condition } from '@temporalio/workflow';
import type { Patch } from '../../messages/activities.js';
import { rejection } from '../../messages/rejections.js';
import type { Answer, Resolution, ResolutionReceipt } from '../../messages/requirements.js';
import type { Cell } from './cell.js';
import type { CorrectableInput } from './input.js';
import type { PublishedState } from './published-state.js';
import {
  accepted,
  answeredIn,
  openIn,
  raised,
  removed,
  takenBack,
  unlessAbandoned,
  unsentIn,
  withdrawn,
} from './requirements.js';
import { problemWith } from './resolutions.js';
import type { Answered, Question } from './state.js';

export class Answers {
  constructor(
    private readonly state: PublishedState,
    private readonly cell: Cell,
    private readonly input: Pick<CorrectableInput, 'correctable' | 'problemWith' | 'check' | 'blankFor'>,
  ) {}

  /** Raises a requirement and waits for its answer. Undefined when it became moot first. */
  readonly ask = async (
    question: Question,
    isMoot: () => boolean = () => false,
  ): Promise<Answer | undefined> => {
    const { cell, state } = this;
    const id = raise(cell, question);
    state.report();
    try {
      await condition(() => answerTo(cell, id) !== undefined || isMoot());
      const answered = answerTo(cell, id);
      cell.update(removed(id));
      return answered && unlessAbandoned(answered.resolution);
    } finally {
      cell.update(withdrawn(id, 'no longer needed'));
      state.report();
    }
  };

  readonly blankFor = async (fields: readonly string[]): Promise<Patch | undefined> =>
    this.input.correctable.length > 0 ? this.input.blankFor(fields, this.state.facts) : undefined;

  /** The validator of the update. Synchronous: a promise would always pass. */
  readonly validate = (resolution: Resolution): void => {
    const problem = this.problemWith(resolution);
    if (problem) throw rejection(problem);
  };

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    await this.check(resolution);
    const { requirementId, answer } = resolution;
    this.cell.update(answer.kind === 'take-back' ? takenBack(resolution) : accepted(resolution));
    const open = openIn(this.cell.state).length;
    const receipt = { requirementId, acceptedAt: new Date().toISOString(), open };
    this.state.report();
    return receipt;
  };

  problemWith(resolution: Resolution, isProposal = false): string | undefined {
    const { input, cell } = this;
    const answerable = { open: openIn(cell.state), unsent: unsentIn(cell.state), isProposal };
    return problemWith(resolution, answerable, input.correctable) ?? input.problemWith(resolution.answer);
  }

  /** Checks a correction as a whole. @throws {ApplicationFailure} when it does not fit */
  async check(resolution: Resolution): Promise<void> {
    const { fields } = openIn(this.cell.state).find(({ id }) => id === resolution.requirementId) ?? {};
    await this.input.check(resolution, this.state.facts, fields);
  }
}

/** @returns its id */
export function raise(cell: Cell, question: Question): string {
  cell.update(raised(question));
  return openIn(cell.state).at(-1)?.id ?? '';
}

export function answerTo({ state }: Cell, id: string): Answered | undefined {
  return answeredIn(state).find(({ requirement }) => requirement.id === id);
}

import type { StalledCall } from '../../messages/onboarding-state.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import { redact } from '../../platform/privacy/masked.js';
import type { Answers } from './answers.js';
import type { PublishedState } from './published-state.js';
import { waitingQuestion } from './questions.js';
import { ignoreCancellation } from './tasks.js';

interface RunningStep {
  readonly title: string;
  /** The step is a poll, which continues after failed reads. */
  readonly isPoll: boolean;
  readonly startedAt: number;
  /** A person is being asked about the wait. */
  isStalled: boolean;
}

/** Publishes that a step waits for its partner, and asks a person if the wait is too long. */
export class StalledCalls {
  readonly #running = new Set<RunningStep>();
  #published: RunningStep | undefined;

  constructor(
    private readonly published: PublishedState,
    private readonly answers: Answers,
  ) {}

  /** @returns a function to call when the attempt ends */
  start(title: string, isPoll = false): () => void {
    const step = { title, isPoll, startedAt: Date.now(), isStalled: false };
    this.#running.add(step);
    return () => {
      this.#running.delete(step);
      this.#end(step);
    };
  }

  /** Clears the wait. The next step or wait publishes the change. */
  #end(step: RunningStep): void {
    step.isStalled = false;
    if (this.#published !== step) return;
    this.#published = undefined;
    this.published.setFacts({ waiting: undefined });
  }

  onStalled({ isPoll, isOver, ...wait }: StalledCall): void {
    const since = Date.parse(wait.since);
    const step = [...this.#running].findLast((each) =>
      isPoll ? each.isPoll : !each.isPoll && each.startedAt <= since,
    );
    // The step has ended since.
    if (!step) return;
    if (isOver) {
      this.#end(step);
      this.published.refresh();
      return;
    }
    const reason = truncate(redact(wait.reason), LONGEST.line);
    const { since: at, until } = wait;
    this.#published = step;
    this.published.setFacts({ waiting: { step: step.title, since: at, ...(until && { until }), reason } });
    this.published.refresh();
    if (wait.isStalled && !step.isStalled) this.#ask(step, at, reason);
  }

  #ask(step: RunningStep, since: string, reason: string): void {
    step.isStalled = true;
    const question = waitingQuestion(step.title, since, reason);
    this.answers.ask(question, () => !step.isStalled).catch(ignoreCancellation);
  }
}

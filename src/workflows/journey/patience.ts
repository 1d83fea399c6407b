import { isCancellation, setHandler } from '@temporalio/workflow';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { type PartnerWait, stepWaits } from '../../messages/onboarding-state.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import type { Journey } from './journey.js';
import { masked } from './masked.js';

/** A step that is being carried out. */
interface Running {
  readonly title: string;
  readonly begunAt: number;
}

/** Shows that a step waits for its partner, and asks a person when it has waited for too long. */
export class Patience {
  readonly #running = new Set<Running>();
  /** The step that the state shows as waiting. */
  #shown: Running | undefined;
  readonly #late = new Set<Running>();

  constructor(private readonly journey: Journey) {
    setHandler(stepWaits, (wait) => this.#hear(wait));
  }

  /** @returns ends it: the step got on */
  begin(title: string): () => void {
    const step = { title, begunAt: Date.now() };
    this.#running.add(step);
    return () => {
      this.#running.delete(step);
      this.#late.delete(step);
      if (this.#shown === step) this.#show(undefined);
    };
  }

  #hear(wait: PartnerWait): void {
    const since = Date.parse(wait.since);
    const step = [...this.#running].findLast(({ begunAt }) => begunAt <= since);
    // Whatever waited has got on since.
    if (!step) return;
    const reason = shortened(masked(wait.reason), LONGEST.line);
    const { since: at, until } = wait;
    this.#show({ step: step.title, since: at, ...(until && { until }), reason }, step);
    if (wait.isLate && !this.#late.has(step)) this.#ask(step, at, reason);
  }

  #show(waiting: OnboardingState['waiting'], step?: Running): void {
    this.#shown = step;
    this.journey.know({ waiting });
    this.journey.publish();
  }

  #ask(step: Running, since: string, reason: string): void {
    this.#late.add(step);
    const question = {
      kind: 'waiting',
      title: `Waiting for the partner: ${step.title}`,
      detail:
        `The step has waited since ${since} (${reason}). It is tried again by itself, and this requirement then closes. ` +
        'Ask the partner what is wrong. Retry: goes on waiting. To give up, cancel the onboarding.',
      answers: ['retry'],
    } as const;
    this.journey
      .ask(question, () => !this.#late.has(step))
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}

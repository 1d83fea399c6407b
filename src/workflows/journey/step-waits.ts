import type { PartnerWait } from '../../messages/onboarding-state.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { masked } from '../../platform/privacy/masked.js';
import type { Answers } from './answers.js';
import { minuteOf } from './current-details.js';
import type { PublishedState } from './published-state.js';
import { unlessCancelled } from './tasks.js';

interface RunningStep {
  readonly title: string;
  /** It polls, and continues after its reads have failed. */
  readonly isPoll: boolean;
  readonly begunAt: number;
  /** A person is asked about its wait. */
  isLate: boolean;
}

/** Shows in the state that a step waits for its partner, and asks a person when the wait is too long. */
export class StepWaits {
  readonly #running = new Set<RunningStep>();
  #published: RunningStep | undefined;

  constructor(
    private readonly state: PublishedState,
    private readonly answers: Answers,
  ) {}

  /** @returns a function to call when the attempt has ended */
  begin(title: string, isPoll = false): () => void {
    const step = { title, isPoll, begunAt: Date.now(), isLate: false };
    this.#running.add(step);
    return () => {
      this.#running.delete(step);
      this.#end(step);
    };
  }

  /** The step after it, or the next wait, shows that it has ended. */
  #end(step: RunningStep): void {
    step.isLate = false;
    if (this.#published !== step) return;
    this.#published = undefined;
    this.state.know({ waiting: undefined });
  }

  onWait({ isPoll, isOver, ...wait }: PartnerWait): void {
    const since = Date.parse(wait.since);
    const step = [...this.#running].findLast((each) =>
      isPoll ? each.isPoll : !each.isPoll && each.begunAt <= since,
    );
    // The step that waited has ended since.
    if (!step) return;
    if (isOver) {
      this.#end(step);
      this.state.refresh();
      return;
    }
    const reason = shortened(masked(wait.reason), LONGEST.line);
    const { since: at, until } = wait;
    this.#published = step;
    this.state.know({ waiting: { step: step.title, since: at, ...(until && { until }), reason } });
    this.state.refresh();
    if (wait.isLate && !step.isLate) this.#ask(step, at, reason);
  }

  #ask(step: RunningStep, since: string, reason: string): void {
    step.isLate = true;
    const question = {
      kind: 'waiting',
      title: `Waiting for the partner: ${step.title}`,
      detail:
        `The step has waited since ${minuteOf(since)} (${reason}). Gangway retries it, and this requirement closes when it succeeds. ` +
        'Ask the partner what is wrong. Answer retry to keep waiting. To give up, cancel the workflow.',
      answers: ['retry'],
    } as const;
    this.answers.ask(question, () => !step.isLate).catch(unlessCancelled);
  }
}

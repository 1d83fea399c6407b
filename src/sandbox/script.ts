import type { Pace } from './pace.js';

/** Steps that the sandbox takes by itself, one after the other, at its pace. */
export class Script<Step> {
  #steps: readonly Step[] = [];
  #sinceLastStep = Date.now();
  #readsSinceLastStep = 0;

  constructor(private readonly pace: () => Pace) {}

  /** Starts anew with these steps; what was left of others is dropped. */
  play(steps: readonly Step[]): void {
    this.#steps = steps;
    this.#sinceLastStep = Date.now();
    this.#readsSinceLastStep = 0;
  }

  /** The steps that are due by now, each to be taken before the next is asked for. A status read counts for a pace in reads. */
  *due(isStatusRead: boolean): Generator<Step> {
    if (isStatusRead) this.#readsSinceLastStep += 1;
    for (let [step] = this.#steps; step && this.#isDue(); [step] = this.#steps) {
      const pace = this.pace();
      this.#steps = this.#steps.slice(1);
      this.#sinceLastStep = 'reads' in pace ? Date.now() : this.#sinceLastStep + pace.milliseconds;
      this.#readsSinceLastStep = 0;
      yield step;
    }
  }

  /** Milliseconds until the next step; undefined when there is none, or when it waits for reads. */
  get untilNext(): number | undefined {
    const pace = this.pace();
    if (this.#steps.length === 0 || 'reads' in pace) return undefined;
    return Math.max(0, this.#sinceLastStep + pace.milliseconds - Date.now());
  }

  #isDue(): boolean {
    const pace = this.pace();
    return 'reads' in pace
      ? this.#readsSinceLastStep >= pace.reads
      : Date.now() - this.#sinceLastStep >= pace.milliseconds;
  }
}

import { z } from 'zod';
import { duration } from '../../platform/settings/settings.js';

/** Tests and demos choose the fate of a business: its name ends in the name of a scenario, in brackets. */

const DEFAULT = 'straight';
const SUFFIX = /(?<!\s)\s*\[([^[\]]*)\]\s*$/;

export function magicValue(name: string): string {
  return SUFFIX.exec(name)?.[1] ?? DEFAULT;
}

export function plainName(name: string): string {
  return name.replace(SUFFIX, '').trim();
}

/** The scenario that a business name asks for; undefined if its magic value is unknown. */
export function scenarioOf<Scenario>(
  scenarios: Readonly<Record<string, Scenario>>,
  name: string,
): Scenario | undefined {
  const value = magicValue(name);
  return Object.hasOwn(scenarios, value) ? scenarios[value] : undefined;
}

export function unknownMagicValue(scenarios: Readonly<Record<string, unknown>>, name: string): string {
  const unknown = `ends in the unknown magic value [${magicValue(name)}]`;
  return `${unknown}; GET /sandbox/scenarios lists those there are: ${Object.keys(scenarios).join(', ')}`;
}

/** The speed of the sandbox's underwriters: a time for each step, or a number of status reads. */
export type Pace = { readonly milliseconds: number } | { readonly reads: number };

/** `500ms`, `2s`; or `20reads`: each step comes with the 20th status read after the one before. */
export const paceSetting = z
  .union([
    z
      .string()
      .regex(/^\d+reads$/, 'must be a duration such as 500ms, or a number of status reads such as 20reads')
      .transform((text): Pace => ({ reads: Number.parseInt(text, 10) })),
    duration.transform((milliseconds): Pace => ({ milliseconds })),
  ])
  .meta({ format: 'duration such as `500ms`, or reads such as `20reads`' });

export const DEFAULT_PACE: Pace = { milliseconds: 1_000 };

/** The steps that the sandbox takes on its own, one after the other, at its pace. */
export class Script<Step> {
  #steps: readonly Step[] = [];
  #sinceLastStep = Date.now();
  #readsSinceLastStep = 0;

  constructor(private readonly pace: () => Pace) {}

  /** Replaces the remaining steps with these. */
  play(steps: readonly Step[]): void {
    this.#steps = steps;
    this.#sinceLastStep = Date.now();
    this.#readsSinceLastStep = 0;
  }

  get left(): readonly Step[] {
    return this.#steps;
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

  /** Returns the milliseconds until the next step; undefined if there is none, or if it waits for reads. */
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

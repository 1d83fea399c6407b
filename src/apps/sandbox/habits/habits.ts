import { z } from 'zod';
import type { Answer } from '../answer.js';
import { bytes, files } from './bytes.js';
import type { Call, Habit, Habits, Outcome, Partner, Perform, Wrapper } from './habit.js';
import { identity } from './identity.js';
import { memory } from './memory.js';
import { names } from './names.js';
import { paceHabits } from './pace.js';
import { shape } from './shape.js';
import { time } from './time.js';
import { values } from './values.js';

export const FAMILIES: Readonly<Record<string, Habits>> = {
  identity,
  names,
  time,
  shape,
  bytes,
  pace: paceHabits,
  memory,
  values,
  files,
};

export const HABITS: Readonly<Record<string, Habit>> = Object.assign({}, ...Object.values(FAMILIES));

export const habitOutcome = (name: string): Outcome => HABITS[name]?.outcome ?? 'tolerated';

/** Body of `POST /sandbox/habits`: the partners' only habits from now on. */
export const habitsWanted = z.strictObject({
  habits: z.array(z.enum(Object.keys(HABITS)).describe('GET /sandbox/habits lists their names')).max(20),
});

/** The response header with the names of the habits that changed the call or its response. */
export const STRUCK = 'sandbox-habits';

export class ActiveHabits {
  #active: readonly (readonly [name: string, wrap: Wrapper])[] = [];

  constructor(private readonly partner: Partner) {}

  get names(): readonly string[] {
    return this.#active.map(([name]) => name);
  }

  /** Each begins with an empty memory. Those that change bytes come last, because the others change JSON. */
  set(names: readonly string[]): void {
    const ordered = names.toSorted((one, two) => Number(one in bytes) - Number(two in bytes));
    this.#active = ordered.flatMap((name) => {
      const habit = HABITS[name];
      return habit ? [[name, habit.start(this.partner)] as const] : [];
    });
  }

  /** Performs a call with all of the partner's habits, the last one outermost. A header names those that had an effect. */
  async perform(call: Call, perform: Perform): Promise<Answer> {
    const struck: string[] = [];
    const whole = this.#active.reduce<Perform>(
      (inner, [name, wrap]) =>
        async (fields = call.fields) => {
          let before: Answer | undefined;
          const answer = await wrap({ ...call, fields }, async (changed = fields) => {
            before = await inner(changed);
            return changed === fields ? before : { ...before };
          });
          if (answer !== before) struck.push(name);
          return answer;
        },
      perform,
    );
    const answer = await whole();
    if (struck.length === 0) return answer;
    return { ...answer, headers: { ...answer.headers, [STRUCK]: struck.join(' ') } };
  }
}

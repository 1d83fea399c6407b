import { runStep } from '../journey/carry-out.js';
import type { Journey } from '../journey/journey.js';
import type { Provisioning } from './provisioning.js';

/** A thing at the payments platform, which is made without an idempotency key and found again by what was written. */
export interface Thing {
  /** For people. */
  readonly name: 'payments account' | 'terminal';
  /** Ids of all that it may be. Reads only. */
  readonly find: () => Promise<readonly string[]>;
  /** Answers its id. Must never be retried by the server. */
  readonly create: () => Promise<string>;
  /** What it can be told by, for people. */
  readonly sign: string;
}

interface Made {
  readonly id: string;
  readonly adopted: boolean;
}

/**
 * Makes a thing that is not there. It is looked for before each write, so that one that was made before, or whose making
 * got lost and is seen only later, is not made twice.
 */
export async function findOrCreate({ journey, correct }: Provisioning, thing: Thing): Promise<string> {
  const { name, create, sign } = thing;
  const adopted = (id: string): Made => ({ id, adopted: true });
  let before: string | undefined;
  const made = await runStep<Made>(journey, {
    title: `create the ${name}`,
    prepare: async () => {
      before = await theOnlyOne(journey, thing);
    },
    run: async () => (before === undefined ? { id: await create(), adopted: false } : adopted(before)),
    correct,
    once: {
      lookForEffect: async () => {
        const found = await theOnlyOne(journey, thing);
        return found === undefined ? undefined : { found: adopted(found) };
      },
      adopt: (id = '') => adopted(id),
      idFormat: 'text',
      hint:
        `Look in the payments platform’s portal for a ${name} ${sign}. ` +
        'If it is there, adopt its id; if it is not, retry.',
    },
  });
  const event = name.replace(' ', '-');
  journey.timeline.add(`${event}-${made.adopted ? 'adopted' : 'created'}`, { detail: made.id });
  return made.id;
}

/**
 * The one that is there, undefined when there is none. Of several, a person says which.
 *
 * @throws {Abandoned} when a person gives up
 */
async function theOnlyOne(journey: Journey, { name, find, sign }: Thing): Promise<string | undefined> {
  for (;;) {
    const ids = await runStep(journey, { title: `look for the ${name}`, run: find });
    if (ids.length <= 1) return ids[0];
    const answer = await journey.ask({
      kind: 'uncertain-write',
      title: `Which one is it? ${name}`,
      detail:
        `The payments platform has ${ids.length} ${sign}: ${ids.join(', ')}. ` +
        'Adopt the right one, or leave only that one there and retry.',
      answers: ['adopt', 'retry', 'abandon'],
      idFormat: 'text',
    });
    if (answer?.kind === 'adopt') return answer.id;
  }
}

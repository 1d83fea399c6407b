import type { ActivityInterceptors } from '@temporalio/worker';
import { REDACTED } from '../privacy/masked.js';
import { literal, privateValuesIn } from '../privacy/private-fields.js';

/** Shorter values stand in too many words by accident. */
const SHORTEST = 3;

/** A shorter value is masked where it is a word of its own. */
const SHORTEST_WITHIN_WORDS = 6;

/** The private values of what this process works on now, in each form that a log may have them in, and how many inputs have them. */
const held = new Map<string, number>();

/**
 * Has the private values of an input masked by {@link withoutHeld} until it is released.
 *
 * @returns releases them
 */
export function holdPrivate(input: unknown): () => void {
  const forms = [...new Set(privateValuesIn(input).flatMap(({ value }) => formsOf(value)))];
  for (const form of forms) held.set(form, (held.get(form) ?? 0) + 1);
  return () => {
    for (const form of forms.splice(0)) {
      const others = (held.get(form) ?? 1) - 1;
      if (others > 0) held.set(form, others);
      else held.delete(form);
    }
  };
}

/** A line of the log, which is JSON, without the private values that are held. */
export function withoutHeld(line: string): string {
  let rest = line;
  for (const form of held.keys()) {
    if (!rest.includes(form)) continue;
    rest = rest.replace(new RegExp(literal(form, SHORTEST_WITHIN_WORDS), 'g'), REDACTED);
  }
  return rest;
}

/** Holds the input of each attempt of an activity while it runs, and until the SDK has logged how it ended. */
export function holdsInputs(): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const release = holdPrivate(input.args);
        try {
          return await next(input);
        } finally {
          setImmediate(release);
        }
      },
    },
  };
}

/** As a line of the log has it, which is JSON; as JSON within a text of that line; and as a URL has it. */
function formsOf(value: string): string[] {
  if (value.trim().length < SHORTEST) return [];
  const inJson = escaped(value);
  return [inJson, escaped(inJson), encodeURIComponent(Buffer.from(value).toString())];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

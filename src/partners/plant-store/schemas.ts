import { z } from 'zod';
import { idText } from '../answer-members.js';
import { int64 } from '../request-members.js';

export { int64 };

/** NewPlant: all that a plant has, and its id. */
export const newPlant = z.strictObject({ id: int64, name: z.string(), tag: z.string().optional() });

/**
 * Plant. The contract prints no id in it; should the partner tell one, it is kept as the text of its digits, for an answer
 * travels on as JSON.
 */
export const plant = z.looseObject({
  name: z.string(),
  tag: z
    .string()
    .nullish()
    .transform((tag) => tag ?? null),
  id: idText.optional(),
});

/** Error. */
export const failure = z.looseObject({ error: z.int32(), message: z.string() });

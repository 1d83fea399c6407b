import { z } from 'zod';
import { duration } from '../config.js';

/** How fast the sandbox's underwriters are: a time for each step, or a number of status reads. */
export type Pace = { readonly milliseconds: number } | { readonly reads: number };

/** `500ms`, `2s`; or `20reads`: each step comes with the 20th status read after the one before. */
export const pace = z.union([
  z
    .string()
    .regex(/^\d+reads$/, 'must be a duration such as 500ms, or a number of status reads such as 20reads')
    .transform((text): Pace => ({ reads: Number.parseInt(text, 10) })),
  duration.transform((milliseconds): Pace => ({ milliseconds })),
]);

export const DEFAULT_PACE: Pace = { milliseconds: 1_000 };

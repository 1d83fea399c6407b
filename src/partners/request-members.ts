import { z } from 'zod';

/** What members of requests must be, whichever partner is asked. Messages name the rule and never the value. */

export const int32 = z.int32();

export const text = z.string().min(1, 'must not be empty');

export const httpsUrl = z
  .string()
  .refine((url) => /^https:\/\//i.test(url) && URL.canParse(url), 'must be a full https URL');

import { z } from 'zod';

/** ISO 8601 date and time, as `1980-02-29T00:00:00Z`; with or without an offset. */
export const dateTime = z.iso.datetime({
  offset: true,
  local: true,
  error: 'must be a date and time such as 2026-01-05T12:00:00Z',
});

export const email = z.email('must be an e-mail address');

/** What members of requests must be, whichever partner is asked. Messages name the rule and never the value. */

export const int32 = z.int32();

/** Any JSON, for members whose shape nobody printed: they travel as they are. */
export const json = z.json();

export const text = z.string().min(1, 'must not be empty');

export const httpsUrl = z
  .string()
  .refine((url) => /^https:\/\//i.test(url) && URL.canParse(url), 'must be a full https URL')
  .meta({ format: 'uri' });

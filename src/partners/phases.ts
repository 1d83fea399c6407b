/**
 * What a person can decide about a status name that no document has.
 *
 * - `under-review`: the partner works on it, and Gangway waits for the next status
 * - `needs-answers`: the partner waits until a person answers
 * - `ended-declined`, `ended-closed`: an onboarding with this status ends with that outcome
 * - `approved`: as the partner's own approval
 */
export const STATUS_MEANINGS = [
  'under-review',
  'needs-answers',
  'ended-declined',
  'ended-closed',
  'approved',
] as const;

export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** Looks up what people decided about a status name; undefined until somebody has. */
export type MeaningOf = (status: string) => Promise<StatusMeaning | undefined>;

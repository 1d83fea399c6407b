/** What a person can decide about a status name that no document has, and what follows. */
export const STATUS_MEANINGS = {
  'under-review': 'Gangway waits for the next status',
  'needs-answers': 'the partner waits until a person answers',
  'ended-declined': 'every onboarding with this status ends as declined',
  'ended-closed': 'every onboarding with this status ends as closed',
  approved: 'the partner has approved',
} as const;

export type StatusMeaning = keyof typeof STATUS_MEANINGS;

/** Looks up what people decided about a status name; undefined until somebody has. */
export type MeaningOf = (status: string) => Promise<StatusMeaning | undefined>;

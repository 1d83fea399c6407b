/** The reasons to ask a person. */
export const REQUIREMENT_KINDS = [
  'underwriting-note',
  'request-changes',
  'not-submitted',
  'unclear-mid',
  'rejected-input',
  'uncertain-write',
  'ticket',
  'locked-profile',
  'credentials',
  'one-time-code',
  'waiting',
  'unreadable',
  'new-status',
] as const;

/** The reason to ask a person. */
export type RequirementKind = (typeof REQUIREMENT_KINDS)[number];

/** The task of a person, by the kind of the requirement: short enough for a list. */
export const TASKS: Readonly<Record<RequirementKind, string>> = {
  'underwriting-note': 'answer note',
  'request-changes': 'change input',
  'not-submitted': 'submit or not',
  'unclear-mid': 'confirm mid',
  'rejected-input': 'correct input',
  'uncertain-write': 'check write',
  ticket: 'answer ticket',
  'locked-profile': 'unlock profile',
  credentials: 'check access',
  'one-time-code': 'enter code',
  waiting: 'ask partner',
  unreadable: 'check response',
  'new-status': 'explain status',
};

/** The default duration of a claim, in hours. */
export const DEFAULT_CLAIM_HOURS = 4;

/** The longest duration of a claim, in days. */
export const LONGEST_CLAIM_DAYS = 7;

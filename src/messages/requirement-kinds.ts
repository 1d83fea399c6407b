/** Why a person is asked. */
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

/** Why a person is asked. */
export type RequirementKind = (typeof REQUIREMENT_KINDS)[number];

/** What a person has to do, by the kind of the requirement: so short that a list has room for it. */
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

/** How long a claim of a requirement lasts by default, in hours. */
export const DEFAULT_CLAIM_HOURS = 4;

/** How far ahead a claim can end, in days. */
export const LONGEST_CLAIM_DAYS = 7;

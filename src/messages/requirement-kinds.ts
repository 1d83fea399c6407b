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
] as const;

/** Why a person is asked. */
export type RequirementKind = (typeof REQUIREMENT_KINDS)[number];

/** What a person has to do, by the kind of the requirement. */
export const TASKS: Readonly<Record<RequirementKind, string>> = {
  'underwriting-note': 'answer the underwriter',
  'request-changes': 'change the application as the underwriter asks',
  'not-submitted': 'decide about an application that nobody has submitted',
  'unclear-mid': 'confirm the mid',
  'rejected-input': 'correct what the partner rejected',
  'uncertain-write': 'check whether a write took effect',
  ticket: 'answer a ticket of the bank',
  'locked-profile': 'have the bank unlock the profile',
  credentials: 'correct our credentials',
  'one-time-code': 'enter the one-time code',
  waiting: 'find out why the partner makes us wait',
  unreadable: 'check responses that cannot be read',
};

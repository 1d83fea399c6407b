import { redact } from '../platform/privacy/masked.js';
import { LONGEST, truncate } from './text-limits.js';

/**
 * Cleans a partner's status name: one short line without private or invisible parts. The partner may write anything, and a search
 * attribute shows the name to everyone.
 */
export function cleanStatusName(name: string): string {
  const seen = name
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return truncate(redact(seen, 'failure'), LONGEST.line);
}

/** The meanings that a person can give to an undocumented status name, and their consequences. */
export const STATUS_MEANINGS = {
  'not-submitted': 'nobody has submitted the application, and Gangway does',
  'under-review': 'Gangway waits for the next status',
  'needs-answers': 'the partner waits until a person answers',
  'wants-changes': 'a person changes the application, and Gangway submits it again',
  'ended-declined': 'every onboarding with this status ends as declined',
  'ended-closed': 'every onboarding with this status ends as closed',
  approved: 'the partner has approved',
} as const;

export type StatusMeaning = keyof typeof STATUS_MEANINGS;

/** Returns the meaning that people chose for a status name; undefined until they have. */
export type MeaningOf = (status: string) => Promise<StatusMeaning | undefined>;

import { defineSignal } from '@temporalio/workflow';

/** A step that waits for its partner: it is tried again by itself. */
export interface PartnerWait {
  /** ISO 8601: when the step was begun. */
  readonly since: string;
  /** ISO 8601: when it is tried again, where the partner said so. */
  readonly until?: string;
  /** Why, short and without data of the call: `boarding submit-merchant: RateLimited, HTTP 429`. */
  readonly reason: string;
  /** It has waited for so long that a person is to know. */
  readonly isLate: boolean;
}

/** Reports a wait to the workflow whose step it is. Sent by the worker, for the server tries again without a word. */
export const stepWaits = defineSignal<[PartnerWait]>('stepWaits');

import { defineSignal } from '@temporalio/workflow';
import type { DifferenceKind } from '../partners/differences.js';
import type { StatusMeaning } from '../partners/phases.js';

/** The record that `partnerRecord` keeps of an account at one partner. Its memo has it, so it can be read without a worker. */

/** A difference between the responses of a partner and the catalogue. It holds types and lengths, and no value. */
export interface SeenDifference {
  /** As in the catalogue: `get-status`. */
  readonly operation: string;
  readonly field: string;
  readonly kind: DifferenceKind;
  readonly expected: string;
  readonly got: string;
  /** True if a workflow needs it. */
  readonly isNeeded: boolean;
  /** ISO 8601. Counted by the day: a later response of the same day does not change it. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Reports a difference. Sent by signal-with-start, once a day for each kind. */
export const differenceSeen = defineSignal<[Omit<SeenDifference, 'firstAt' | 'lastAt'>]>('differenceSeen');

/** A status name that no document has. */
export interface SeenStatus {
  readonly status: string;
  /** ISO 8601. */
  readonly firstAt: string;
  /** The id of the requirement that asks about it. */
  readonly requirementId?: string;
  /** Absent until a person has decided. */
  readonly decision?: {
    readonly meaning: StatusMeaning;
    readonly actor: string;
    readonly reason: string;
    /** ISO 8601. */
    readonly at: string;
  };
}

/** Reports a status name that no document has. Sent by signal-with-start. */
export const statusSeen = defineSignal<[{ readonly status: string }]>('statusSeen');

export interface PartnerRecord {
  readonly differences: readonly SeenDifference[];
  readonly statuses: readonly SeenStatus[];
}

/** The field of the memo that has the {@link PartnerRecord}. */
export const RECORD_MEMO = 'record';

export interface PartnerRecordActivities {
  /** Makes every status poll of the account read now. @returns how many */
  wakePolls(): Promise<number>;
}

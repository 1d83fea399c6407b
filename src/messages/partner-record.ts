import { defineSignal } from '@temporalio/workflow';
import type { StatusMeaning } from '../partners/phases.js';

/** The record that `partnerRecord` keeps of an account at one partner. Its memo has it, so it can be read without a worker. */

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
  readonly statuses: readonly SeenStatus[];
}

/** The field of the memo that has the {@link PartnerRecord}. */
export const RECORD_MEMO = 'record';

export interface PartnerRecordActivities {
  /** Makes every status poll of the account read now. @returns how many */
  wakePolls(): Promise<number>;
}

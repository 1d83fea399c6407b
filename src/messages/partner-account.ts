import { defineSignal } from '@temporalio/workflow';
import type { WriteNames } from '../at-most-once/workflow.js';
import type { SystemName } from '../partners/descriptors.js';
import type { PartnerErrorDetails } from '../partners/partner-error.js';
import type { StatusMeaning } from '../partners/phases.js';
import type { BankingActivities } from './banking-activities.js';
import type { BoardingActivities } from './boarding-activities.js';
import type { Resolved } from './requirements.js';

/** Input of `partnerAccount`, which acts for one account at one partner. */
export interface PartnerAccountInput extends Resolved {
  readonly system: SystemName;
}

/** A partner's rejection of an account's credentials. Holds no secret: the words of the partner are masked and short. */
export interface Refusal extends Pick<PartnerErrorDetails, 'kind' | 'operation' | 'reason' | 'needs'> {
  /** The partner's own words; '' when there are none. */
  readonly words: string;
}

/** The partner rejected the credentials of one worker process; each process signs in for itself. */
export interface RefusalReport {
  /** The task queue of the process, which no later process has. */
  readonly process: string;
  readonly refusal: Refusal;
}

/** Reports rejected credentials. Sent by signal-with-start, and not again while the workflow tries them. */
export const credentialsRefused = defineSignal<[RefusalReport]>('credentialsRefused');

/** Reports that the partner lists tickets that no onboarding may show. Sent by signal-with-start. */
export const ticketsSeen = defineSignal('ticketsSeen');

/** The responses of an operation have been unreadable for too long, or the partner does not permit it. */
export interface UnreadableReport {
  /** The name in the catalogue: `get-status`. */
  readonly operation: string;
  /** ISO 8601. */
  readonly since: string;
  /** The response: masked and short. */
  readonly what: string;
  readonly workflowId: string;
  /** The HTTP status with which the partner does not permit it. */
  readonly forbidden?: number;
  /** The activity type in which our own code fails. `operation` is then the build: `build 2026-11-21`. */
  readonly failing?: string;
}

/** Reports unreadable responses and missing permissions. Sent by signal-with-start. */
export const readsUnreadable = defineSignal<[UnreadableReport]>('readsUnreadable');

/** Workflows that wait for a readable response of an operation. */
export interface UnreadableRead {
  readonly operation: string;
  readonly workflowIds: readonly string[];
}

/** A request to a worker process to try its credentials. */
export interface CredentialsCheck {
  /** The last result: waits, and tries once a minute, while the partner refuses in the same way. Default: does not wait. */
  readonly seen?: Refusal;
  /** Forgets earlier refusals, and tries at once. */
  readonly now?: boolean;
  /** A one-time code that a person received, for the next sign-in. */
  readonly code?: string | undefined;
}

/** Activities on the task queue of one worker process. */
export interface ProcessActivities {
  /** Tries the credentials for the account whose workflow calls it. Waiting costs no history. @returns null if they work */
  checkCredentials(request: CredentialsCheck): Promise<Refusal | null>;
}

export interface PartnerAccountActivities {
  /** Retries at once every activity of a workflow of this account that waits because the partner rejected its credentials. */
  wakeRefused(): Promise<number>;
  /** Waits until no workflow waits for some of these operations any more, and returns those operations. Costs no history. */
  awaitReadable(request: { readonly reads: readonly UnreadableRead[] }): Promise<readonly string[]>;
  retryReads(read: UnreadableRead): Promise<void>;
}

/** A status name that no document has. */
export interface SeenStatus {
  readonly status: string;
  /** ISO 8601. */
  readonly firstAt: string;
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

/** The record that `partnerRecord` keeps of an account at one partner. Its memo has it, so it can be read without a worker. */
export interface PartnerRecord {
  readonly statuses: readonly SeenStatus[];
}

/** The field of the memo that has the {@link PartnerRecord}. */
export const RECORD_MEMO = 'record';

export interface PartnerRecordActivities {
  /** Makes every status poll of the account read now. @returns how many */
  wakePolls(): Promise<number>;
}

type Write = WriteNames<BoardingActivities> | WriteNames<BankingActivities>;

/** The compiler asks for each activity whose result says that it records an intent, and for no other. */
const WRITES: Readonly<Record<Write, true>> = {
  createMerchant: true,
  submitMerchant: true,
  attachDocument: true,
  requestUnderwritingReview: true,
  submitHolder: true,
  correctHolder: true,
  openFinancialAccount: true,
  replyToTicket: true,
  closeCard: true,
  changeAddress: true,
  restoreSubUser: true,
  sendStatement: true,
};

/** Reports whether activities of this type record an intent before they send. */
export function isWrite(activityType: string): activityType is Write {
  return Object.hasOwn(WRITES, activityType);
}

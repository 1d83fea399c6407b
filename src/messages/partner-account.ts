import { defineSignal } from '@temporalio/workflow';
import type { PartnerErrorDetails } from '../partners/partner-error.js';
import type { SystemName } from '../partners/systems.js';

/** Input of `partnerAccount`, which acts for one of our accounts at one partner. */
export interface PartnerAccountInput {
  readonly system: SystemName;
}

/** How a partner refused our credentials. Holds no secret: what the partner wrote is censored and short. */
export interface Refusal extends Pick<PartnerErrorDetails, 'kind' | 'operation' | 'reason' | 'needs'> {
  /** The partner's own words; '' when there are none. */
  readonly words: string;
}

/** A worker process, which signs in for itself, was refused. */
export interface RefusalReport {
  /** Names the process, as long as it runs. */
  readonly process: string;
  readonly refusal: Refusal;
}

/** Reports a refusal. Sent with the start of the workflow, once for each process and refusal. */
export const credentialsRefused = defineSignal<[RefusalReport]>('credentialsRefused');

/** Reports that the partner lists tickets which may be shown by no onboarding. Sent with the start of the workflow. */
export const ticketsSeen = defineSignal('ticketsSeen');

/** Responses of an operation cannot be read, since too long. */
export interface UnreadableReport {
  /** As in the catalogue: `get-status`. */
  readonly operation: string;
  /** ISO 8601. */
  readonly since: string;
  /** What came back: censored and short. */
  readonly what: string;
  /** One that waits for a response. */
  readonly workflowId: string;
}

/** Reports that responses cannot be read. Sent with the start of the workflow. */
export const readsUnreadable = defineSignal<[UnreadableReport]>('readsUnreadable');

/** Workflows that wait for a response of an operation that can be read. */
export interface UnreadableRead {
  readonly operation: string;
  readonly workflowIds: readonly string[];
}

export interface ProbeRequest {
  /** The process whose credentials are tried. Another one takes its place when it does not show up. */
  readonly process: string;
  /** Waits while the same process is refused in the same way. Default: returns the first outcome. */
  readonly seen?: Refusal;
  /** A one-time code that a person received, for the next sign-in. */
  readonly code?: string;
  /** Signs in although the last refusal is still remembered. */
  readonly afresh?: true;
}

/** What became of a probe: without a `refusal`, the credentials work. */
export interface ProbeResult {
  readonly process: string;
  readonly refusal?: Refusal;
}

export interface PartnerAccountActivities {
  /** Tries the credentials by a cheap read. Waits as long as it takes, at most one read a minute. Costs no history. */
  probeAccount(request: ProbeRequest): Promise<ProbeResult>;
  /**
   * Retries at once every activity of a workflow of this account that waits because its credentials were refused.
   *
   * @returns how many there were
   */
  wakeRefused(): Promise<number>;
  /** Waits until some of these operations are waited for by none of their workflows, and returns these. Costs no history. */
  awaitReadable(request: { readonly reads: readonly UnreadableRead[] }): Promise<readonly string[]>;
  /** Has these workflows read at once. */
  retryReads(read: UnreadableRead): Promise<void>;
}

import { defineQuery, defineSignal } from '@temporalio/workflow';
import { firstStage, type OutcomeName, type Stage, type TimelineEvent } from './codes.js';
import { isObject } from './objects.js';
import type { Requirement, Resolution } from './requirements.js';

export { OUTCOMES, type OutcomeName, STAGES, type Stage } from './codes.js';

/** A write that was in flight when its onboarding ended, and its result. */
export interface UnfinishedWrite {
  /** For people: `upload check.pdf`. */
  readonly write: string;
  /** `done`: the partner confirmed it. `uncertain`: it was sent, and may or may not have taken effect. `none`: it had no effect. */
  readonly outcome: 'done' | 'rejected' | 'uncertain' | 'none';
}

/** A field of every outcome. */
export interface Unfinished {
  /** Writes that were in flight, or uncertain, at the end. */
  readonly unfinished?: readonly UnfinishedWrite[];
}

/** One event in the life of an onboarding. */
export interface TimelineEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly event: TimelineEvent;
  readonly detail?: string;
  /** The person who did it, if one did. */
  readonly actor?: string;
  readonly reason?: string;
}

/**
 * The result of the query `state`. It holds nothing secret: the timeline has only a masked beginning of each answer.
 * @example { stage: 'applying', partnerStatus: null, requirements: [], timeline: [] } satisfies OnboardingState
 */
export interface OnboardingState {
  /** The name under which the merchant does business. Single operations and partner accounts have none. */
  readonly dba?: string;
  readonly stage: Stage;
  /** The partner's own name of the status last read; null before the first read. */
  readonly partnerStatus: string | null;
  readonly merchantProfileId?: number;
  /** The banking profile. */
  readonly profileId?: number;
  readonly financialAccountId?: string;
  /** The final merchant identification number, never a temporary one. */
  readonly mid?: string;
  readonly outcome?: OutcomeName;
  /** The open ones. */
  readonly requirements: readonly Requirement[];
  /** IDs of requirements whose answers have not been sent, so that they can be taken back. */
  readonly unsent?: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  /** The step that waits for its partner. The server retries it. */
  readonly waiting?:
    | {
        readonly step: string;
        /** ISO 8601. */
        readonly since: string;
        /** ISO 8601: not retried before, because the partner asked for that. */
        readonly until?: string;
        readonly reason: string;
      }
    | undefined;
  /** For a customer: the state of its merchant. */
  readonly boarding?: OnboardingState;
  /** For a customer: the state of its business. */
  readonly business?: OnboardingState;
}

/** The IDs at the partners. */
export type PartnerIds = Pick<
  OnboardingState,
  'merchantProfileId' | 'mid' | 'profileId' | 'financialAccountId'
>;

/** The state of a workflow at its start. */
export function blankState(workflowType: string): OnboardingState {
  return { stage: firstStage(workflowType), partnerStatus: null, requirements: [], timeline: [] };
}

/** Returns the state of an onboarding. Every workflow type has this query. */
export const stateQuery = defineQuery<OnboardingState>('state');

/** A step that waits for its partner. The server retries it. */
export interface StalledCall {
  /** ISO 8601: when the step began, or when the reads of a poll began to fail. */
  readonly since: string;
  /** ISO 8601: when it is retried, if the partner asked for a delay. */
  readonly until?: string;
  /** The reason, short and without data of the call: `boarding submit-merchant: RateLimited, HTTP 429`. */
  readonly reason: string;
  /** It has waited so long that a person must learn of it. */
  readonly isStalled: boolean;
  /** The step polls. */
  readonly isPoll?: true;
  /** The poll has recovered. */
  readonly isOver?: true;
}

/** Reports a wait to the workflow of the step. The worker sends it because the workflow does not see the server's retries. */
export const stalledCallSignal = defineSignal<[StalledCall]>('stalledCall');

/** When a status poll may read again. A poll without it reads at once. */
export interface Pace {
  /** The time of the last read, in milliseconds since 1970. */
  readonly readAt: number;
  /** How many polls in a row, including the last, saw a change on their first read. */
  readonly changes: number;
}

/** The part of the carried state that history readers use. The workflow's `State` extends it. */
export interface CarriedHistory {
  readonly timeline: readonly TimelineEntry[];
  readonly requirements: {
    readonly entries: readonly {
      readonly progress: { readonly is: string; readonly resolution?: Resolution };
    }[];
  };
}

/** The state among the arguments of a run; undefined in the first run. */
export function findCarriedHistory(args: readonly unknown[]): CarriedHistory | undefined {
  return args.find((each) => isObject(each) && 'timeline' in each) as CarriedHistory | undefined;
}

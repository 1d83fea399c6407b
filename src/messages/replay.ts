import type { Sinks } from '@temporalio/workflow';

/** The findings of a replay about the workflows that it runs. */

/** The name of a global of the bundle. If it exists, workflows tell a replay what they request. */
export const LOCATED = '__gangwayLocated';

/** An activity or a child that the code requested during a replay. */
export interface Requested {
  readonly what: 'activity' | 'child';
  /** `submitMerchant`. */
  readonly name: string;
  readonly stack: string;
}

export interface ReplaySinks extends Sinks {
  readonly replay: { requested(requested: Requested): void };
}

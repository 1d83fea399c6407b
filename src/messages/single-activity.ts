import type { ActivityOptions } from '@temporalio/common';
import type { Lane } from './task-queues.js';

/** An activity that somebody wants run, and nothing around it. */
export interface SingleActivity {
  readonly activity: string;
  readonly lane: Lane;
  /** The account at the partners; the one without a name unless given. */
  readonly account?: string | undefined;
  readonly args: readonly unknown[];
  /** One line for the Web UI. */
  readonly summary: string;
  readonly options: Pick<
    ActivityOptions,
    'scheduleToStartTimeout' | 'scheduleToCloseTimeout' | 'startToCloseTimeout' | 'heartbeatTimeout' | 'retry'
  >;
}

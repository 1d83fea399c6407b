import { hash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { personIdentity } from '../messages/actors.js';
import { undefinedIfMissing } from './unavailable.js';

/** The longest session of the console, in milliseconds. */
export const MAX_SESSION_MS = 12 * 3_600_000;

/** A console session: its identifier, its person, and its start in milliseconds since 1970. */
interface ConsoleSession {
  readonly csrf: string;
  readonly actor: string;
  readonly since: number;
}

/** One session, or all sessions of a person: `Ada Park (ada-17)`, or only the subject at the identity provider. */
export type Ended = Pick<ConsoleSession, 'csrf'> | Pick<ConsoleSession, 'actor'>;

/**
 * Ends one console session, or all sessions that a person has begun. All consoles of a namespace check this, so each refuses a
 * copied cookie, even after a restart. A sign-out is recorded as a workflow that never runs: its start delay exceeds its timeout.
 * The server keeps it for the namespace's retention period.
 */
export async function recordSignOut(client: Client, ended: Ended, taskQueue: string, forMs = MAX_SESSION_MS) {
  await client.workflow.start('consoleSignOut', {
    workflowId: idOf(ended),
    taskQueue: `${taskQueue}-console`,
    workflowExecutionTimeout: forMs,
    startDelay: 2 * forMs,
    // The start of the last run counts.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });
}

export async function hasEnded(client: Client, { csrf, actor, since }: ConsoleSession): Promise<boolean> {
  const recordedAt = async (ended: Ended) => {
    const { namespace } = client.options;
    const request = { namespace, execution: { workflowId: idOf(ended) } };
    const description = await undefinedIfMissing(client.workflowService.describeWorkflowExecution(request));
    return description && (optionalTsToMs(description.workflowExecutionInfo?.startTime) ?? 0);
  };
  const [signedOut, ended] = await Promise.all([recordedAt({ csrf }), recordedAt({ actor })]);
  return signedOut !== undefined || (ended !== undefined && since <= ended);
}

/** Returns a hash, because Temporal must not show a person or a session's secret. */
function idOf(ended: Ended): string {
  const what = 'csrf' in ended ? ended.csrf : `person ${personIdentity(ended.actor)}`;
  return `console-sign-out-${hash('sha256', what)}`;
}

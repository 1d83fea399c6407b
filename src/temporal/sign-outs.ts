import { createHash } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { isNotFound } from './unavailable.js';

/**
 * Sessions of the console that people ended before their time. All consoles of a namespace look here, so each of them refuses a
 * copied cookie, even after a restart. A sign-out is a workflow that only exists. Its first task is delayed beyond its end, so no
 * worker ever gets it. The server ends it when the session would have ended anyway, and finds it until the retention of the
 * namespace is over.
 *
 * A sign-out is a workflow that has nothing to do but exist. Its first task is delayed beyond its end, so no worker ever gets it.
 * The server ends it when the session would have ended anyway, and finds it until the retention of the namespace is over.
 */
export async function recordSignOut(
  client: Client,
  {
    session,
    until,
    taskQueue,
  }: { readonly session: string; readonly until: number; readonly taskQueue: string },
): Promise<void> {
  const leftMs = Math.max(1, until - Date.now());
  try {
    await client.workflow.start('consoleSignOut', {
      workflowId: idOf(session),
      taskQueue: `${taskQueue}-console`,
      workflowExecutionTimeout: leftMs,
      startDelay: 2 * leftMs,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Reports whether this session was ended. */
export async function hasSignedOut(client: Client, session: string): Promise<boolean> {
  const execution = { workflowId: idOf(session) };
  try {
    const { namespace } = client.options;
    await client.workflowService.describeWorkflowExecution({ namespace, execution });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** @param session what identifies it, which must not be read from Temporal */
function idOf(session: string): string {
  return `console-sign-out-${createHash('sha256').update(session).digest('hex')}`;
}

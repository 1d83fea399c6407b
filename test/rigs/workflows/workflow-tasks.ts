import proto from '@temporalio/proto';
import type { Onboarding } from '../onboarding.js';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { WorkflowTaskFailedCause: CAUSES } = proto.temporal.api.enums.v1;

/**
 * The failure of a workflow task, if the event is one. That a message arrived while a worker was about to end the workflow is none:
 * the server gives the task out again.
 */
export function taskFailure({ workflowTaskFailedEventAttributes: failed }: HistoryEvent) {
  const isHarmless = failed?.cause === CAUSES.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND;
  return failed && !isHarmless ? failed : undefined;
}

/** The builds that carried out its workflow tasks, and why tasks failed. */
export async function tasksOf({ handle }: Pick<Onboarding, 'handle'>): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const failed = taskFailure(event);
    if (failed) return [`failed: ${failed.failure?.message}`];
    return event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId ?? [];
  });
}

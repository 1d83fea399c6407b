import { activityInfo, getClient } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { OnboardingActivities, Progress } from '../messages/activities.js';
import type { PartEnd } from '../messages/onboardings.js';
import { partnerIdsIn } from '../messages/outcomes.js';
import { rejection } from '../messages/rejections.js';
import { resolveRequirement } from '../messages/requirements.js';
import { queryState, waitForResult } from '../temporal/find-onboarding.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';
import { sendUpdate } from '../temporal/updates.js';
import { withHeartbeat } from './failures.js';
import { delayBeforeNext, type PollBounds, pollAgain } from './poll.js';

/** Activities that call other workflows for a customer and its parts, over the worker's own connection. */
export function onboardingActivities(poll: PollBounds): OnboardingActivities {
  return {
    async resolveInOnboarding({ workflowId, resolution }) {
      const { workflowExecution, activityId } = activityInfo();
      // A retry sends the same update.
      const key = { id: `${workflowExecution?.runId}-${activityId}` };
      try {
        return await withHeartbeat(() =>
          sendUpdate(getClient(), workflowId, resolveRequirement, resolution, key),
        );
      } catch (error) {
        const rejected = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (rejected instanceof ApplicationFailure)
          throw ApplicationFailure.nonRetryable(rejected.message, rejected.type);
        if (error instanceof WorkflowNotFoundError)
          throw rejection(`${workflowId} has ended: it accepts no answers`, 'OnboardingEnded');
        throw error;
      }
    },

    async awaitOnboarding({ workflowId, until }) {
      const progress = await progressOf(workflowId);
      const isReached = {
        merchant: progress.end !== undefined || progress.facts.merchantProfileId !== undefined,
        end: progress.end !== undefined,
        reset: progress.end === undefined,
      };
      if (isReached[until]) return progress;
      throw pollAgain('NotYet', 'the onboarding has not changed', delayBeforeNext(poll));
    },

    async cancelOrphan({ workflowId, customer }) {
      const { workflow } = getClient();
      const { status } = await workflow.getHandle(customer).describe();
      if (!ENDED_WITHOUT_WAITING.includes(status.name)) return;
      await workflow.getHandle(workflowId).cancel();
    },
  };
}

const ENDED_WITHOUT_WAITING: readonly string[] = ['TERMINATED', 'FAILED', 'TIMED_OUT'];

const UNFINISHED = {
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
} as const satisfies Readonly<Record<string, PartEnd['how']>>;

async function progressOf(workflowId: string): Promise<Progress> {
  const client = getClient();
  const handle = client.workflow.getHandle(workflowId);
  const { status } = await handle.describe();
  const isStateless = status.name === 'FAILED' && (await rejectedInput(handle));
  const facts = isStateless ? {} : await queryState(client, workflowId).then(partnerIdsIn, unlessNeverRun);
  if (status.name === 'COMPLETED')
    return { facts, end: { how: 'completed', outcome: await waitForResult(client, workflowId) } };
  const how = UNFINISHED[status.name as keyof typeof UNFINISHED];
  return how === undefined ? { facts } : { facts, end: { how } };
}

/** A workflow that was terminated before its first task has no state to query. */
function unlessNeverRun(error: unknown): Progress['facts'] {
  if (error instanceof UnreadableOnboarding && error.obstacle === 'never-ran') return {};
  throw error;
}

/** Reports whether a workflow rejected its input, as it may if it was started without `gangway`. It then has no state to query. */
function rejectedInput(handle: WorkflowHandle): Promise<boolean> {
  const isInvalid = ({ cause }: Error) =>
    cause instanceof ApplicationFailure && cause.type === 'InvalidInput';
  return handle.result().then(() => false, isInvalid);
}

import { activityInfo, getClient } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { defined } from '../messages/defined.js';
import type { OnboardingActivities, Progress } from '../messages/onboarding-activities.js';
import { resolveRequirement } from '../messages/requirements.js';
import { outcomeOf, stateOf } from '../temporal/onboardings.js';
import { beating } from './failures.js';
import { again, delayBeforeNext } from './poll.js';
import type { PollBounds } from './poll-delay.js';

/** What a customer's workflow asks of other workflows, over the worker's own connection. */
export function onboardingActivities(poll: PollBounds): OnboardingActivities {
  return {
    async resolveInOnboarding({ workflowId, resolution }) {
      const { workflowExecution, activityId } = activityInfo();
      const handle = getClient().workflow.getHandle(workflowId);
      // Tried again, it is the same update, and the server answers what it answered before.
      const updateId = `${workflowExecution?.runId}-${activityId}`;
      try {
        return await beating(() =>
          handle.executeUpdate(resolveRequirement, { args: [resolution], updateId }),
        );
      } catch (error) {
        const rejected = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (rejected instanceof ApplicationFailure)
          throw ApplicationFailure.nonRetryable(rejected.message, rejected.type);
        throw error;
      }
    },

    async awaitOnboarding({ workflowId, until }) {
      const progress = await progressOf(workflowId);
      const isReached = until === 'merchant' && progress.facts.merchantProfileId !== undefined;
      if (progress.outcome || isReached) return progress;
      throw again('NotYet', 'the onboarding goes on', delayBeforeNext(poll));
    },
  };
}

async function progressOf(workflowId: string): Promise<Progress> {
  const client = getClient();
  const { status } = await client.workflow.getHandle(workflowId).describe();
  const { merchantProfileId, mid, profileId, financialAccountId, paymentsAccountId, terminalId } =
    await stateOf(client, workflowId);
  const facts = defined({
    merchantProfileId,
    mid,
    profileId,
    financialAccountId,
    paymentsAccountId,
    terminalId,
  });
  if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return { facts };
  if (status.name !== 'COMPLETED') return { facts, outcome: { outcome: 'cancelled' } };
  return { facts, outcome: await outcomeOf(client, workflowId) };
}

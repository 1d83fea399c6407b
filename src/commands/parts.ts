import type { Client } from '@temporalio/client';
import { PARTS, type Part } from '../messages/customer-onboarding.js';
import type { OnboardingState } from '../messages/onboarding-state.js';
import { partIds, stateOf } from '../temporal/onboardings.js';

/** How a part of a customer gets on. */
export interface PartState {
  readonly part: Part;
  readonly workflowId: string;
  readonly state: OnboardingState;
  /** It was started by itself before, so its requirements are answered there. */
  readonly wasThereBefore: boolean;
}

/**
 * The parts of a customer that there are by now, each by its own word; none of anything else.
 *
 * @throws {NoWorker}
 */
export async function partsOf(
  client: Client,
  workflowId: string,
  state: OnboardingState,
): Promise<PartState[]> {
  const parts = await Promise.all(
    (Object.keys(PARTS) as Part[]).map(async (part): Promise<PartState | undefined> => {
      const id = partIds(workflowId)[part];
      const wasThereBefore = state.timeline.some(({ event }) => event === `${part}-attached`);
      if (!wasThereBefore && !state[part]) return undefined;
      return { part, workflowId: id, state: await stateOf(client, id), wasThereBefore };
    }),
  );
  return parts.filter((part) => part !== undefined);
}

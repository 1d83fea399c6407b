import type { Client } from '@temporalio/client';
import { PARTS, type Part } from '../messages/customer-onboarding.js';
import type { OnboardingState } from '../messages/onboarding-state.js';
import { partIds, stateOf } from '../temporal/onboardings.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';

/** How a part of a customer gets on. */
export interface PartState {
  readonly part: Part;
  readonly workflowId: string;
  /** An obstacle in its place when it cannot be read. */
  readonly state: OnboardingState | UnreadableOnboarding;
  /** It was started by itself before, so its requirements are answered there. */
  readonly wasThereBefore: boolean;
}

/** The parts of a customer that there are by now, each as it reports itself; none of anything else. */
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
      return { part, workflowId: id, state: await stateOf(client, id).catch(ifUnreadable), wasThereBefore };
    }),
  );
  return parts.filter((part) => part !== undefined);
}

function ifUnreadable(error: unknown): UnreadableOnboarding {
  if (error instanceof UnreadableOnboarding) return error;
  throw error;
}

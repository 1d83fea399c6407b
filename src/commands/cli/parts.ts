import type { Client } from '@temporalio/client';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { PARTS, type Part } from '../../messages/onboardings.js';
import { partIds, stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';

/** A part of a customer. */
export interface PartState {
  readonly part: Part;
  readonly workflowId: string;
  /** The reason instead when it cannot be read. */
  readonly state: OnboardingState | UnreadableOnboarding;
  /** It was started on its own before, so its requirements are answered there. */
  readonly wasThereBefore: boolean;
}

/** The parts of a customer that have started, each with its own state. Other workflows have none. */
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

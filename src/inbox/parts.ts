import type { Client } from '@temporalio/client';
import type { OnboardingState, TimelineEntry } from '../messages/onboarding-state.js';
import { PARTS, type Part } from '../messages/onboardings.js';
import type { Requirement } from '../messages/requirements.js';
import { partIds, stateOf } from '../temporal/onboardings.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';

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
  read: (workflowId: string) => Promise<OnboardingState> = (id) => stateOf(client, id),
): Promise<PartState[]> {
  const parts = await Promise.all(
    (Object.keys(PARTS) as Part[]).map(async (part): Promise<PartState | undefined> => {
      const id = partIds(workflowId)[part];
      const wasThereBefore = state.timeline.some(({ event }) => event === `${part}-attached`);
      if (!wasThereBefore && !state[part]) return undefined;
      return { part, workflowId: id, state: await read(id).catch(ifUnreadable), wasThereBefore };
    }),
  );
  return parts.filter((part) => part !== undefined);
}

/** The part of a customer that asks; undefined for a requirement of the workflow itself. */
export function askingPart(state: OnboardingState, requirementId: string): Part | undefined {
  const parts = Object.keys(PARTS) as Part[];
  return parts.find((name) => state[name]?.requirements.some(({ id }) => id === requirementId));
}

/** The workflow that asks: of a customer, a part. Claims and proposals are there. */
export function askingWorkflow(workflowId: string, state: OnboardingState, requirementId: string): string {
  const part = askingPart(state, requirementId);
  return part ? partIds(workflowId)[part] : workflowId;
}

/** The open requirements of a workflow, those of a customer as its parts have them: with claims and proposals. */
export function asPartsHaveThem(
  { requirements }: OnboardingState,
  parts: readonly PartState[],
): readonly Requirement[] {
  const ofParts = readable(parts).flatMap(({ state }) => state.requirements);
  const own = new Map(ofParts.map((requirement) => [requirement.id, requirement]));
  return requirements.map((requirement) => own.get(requirement.id) ?? requirement);
}

/** Without the parts that cannot be read. */
export function readable(parts: readonly PartState[]) {
  return parts.flatMap(({ state, ...part }) =>
    state instanceof UnreadableOnboarding ? [] : [{ ...part, state }],
  );
}

/** All timeline entries of an onboarding and its parts, which a customer does not have itself. */
export function timelinesOf(state: OnboardingState, parts: readonly PartState[]): readonly TimelineEntry[] {
  return [...state.timeline, ...readable(parts).flatMap((part) => part.state.timeline)];
}

function ifUnreadable(error: unknown): UnreadableOnboarding {
  if (error instanceof UnreadableOnboarding) return error;
  throw error;
}

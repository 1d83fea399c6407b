import type { Client } from '@temporalio/client';
import type { OnboardingState, TimelineEntry } from '../messages/onboarding-state.js';
import { PARTS, type Part } from '../messages/onboardings.js';
import type { Requirement } from '../messages/requirements.js';
import { partIds, stateOf } from '../temporal/onboardings.js';
import { ifFound } from '../temporal/unavailable.js';
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

/** The parts of a customer that have started and that Temporal has, each with its own state. Other workflows have none. */
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
      // A part that has ended may be forgotten while its customer waits for another one.
      const own = await ifFound(read(id)).catch(ifUnreadable);
      return own && { part, workflowId: id, state: own, wasThereBefore };
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
  const own = new Map(parts.flatMap(requirementsIn).map((requirement) => [requirement.id, requirement]));
  return requirements.map((requirement) => own.get(requirement.id) ?? requirement);
}

function requirementsIn({ state }: PartState): readonly Requirement[] {
  return state instanceof UnreadableOnboarding ? [] : state.requirements;
}

/** All timeline entries of an onboarding and its parts, which a customer does not have itself. */
export function timelinesOf(state: OnboardingState, parts: readonly PartState[]): readonly TimelineEntry[] {
  const ofParts = parts.flatMap((part) =>
    part.state instanceof UnreadableOnboarding ? [] : part.state.timeline,
  );
  return [...state.timeline, ...ofParts];
}

function ifUnreadable(error: unknown): UnreadableOnboarding {
  if (error instanceof UnreadableOnboarding) return error;
  throw error;
}

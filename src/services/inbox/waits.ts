import type { Client } from '@temporalio/client';
import { OUR_SOFTWARE_FAILS } from '../../messages/activities.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { PARTS, type Part } from '../../messages/onboardings.js';
import type { Requirement } from '../../messages/requirements.js';
import { partIds, stateOf } from '../../temporal/onboardings.js';
import { accountsHoldingUp, type HoldingUp } from '../../temporal/partner-accounts.js';
import { ifFound } from '../../temporal/unavailable.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { nameWithId } from '../texts/names.js';

/** A requirement, with the workflow that takes its answer. */
export interface OpenRequirement {
  readonly workflowId: string;
  /** The workflow, for people: `Acme Bikes (merchant-boarding-m-1)`. */
  readonly name: string;
  readonly requirement: Requirement;
}

/** The place of an onboarding or operation, and what it waits for. */
export interface Waits {
  /** undefined when it cannot be read. */
  readonly state: OnboardingState | undefined;
  /** For a customer: the parts that have started. */
  readonly parts: readonly PartState[];
  /** The current step, for people: `underwriting, Pending`. */
  readonly step: string;
  /** The open requirements of the onboarding, its parts, and the partner accounts that block it. */
  readonly requirements: readonly OpenRequirement[];
  /** Partners and workers that it waits for. */
  readonly obstacles: readonly string[];
  /** The one who must act: a person, or whoever makes a partner or a worker respond; otherwise nobody. */
  readonly on: 'person' | 'unavailable' | 'nobody';
}

/** Before the first read. */
export const UNKNOWN: Waits = {
  ...{ state: undefined, parts: [], step: 'started', requirements: [], obstacles: [] },
  on: 'nobody',
};

/**
 * Reads where an onboarding or operation is.
 *
 * @param busyUntil before this time, in milliseconds since 1970, a worker that does not respond counts as busy
 */
export async function waitsOf(client: Client, workflowId: string, busyUntil: number): Promise<Waits> {
  try {
    return await readWaits(client, workflowId);
  } catch (error) {
    return waitsUnread(ifUnreadable(error), busyUntil);
  }
}

/** The known facts of an onboarding that cannot be read now. */
export function waitsUnread(error: UnreadableOnboarding, busyUntil: number): Waits {
  // A busy worker is no obstacle. A stopped one is noticed a minute later.
  const isObstacle = error.obstacle !== 'no-response' && Date.now() >= busyUntil;
  return {
    ...UNKNOWN,
    step: error.isUnavailable ? 'waits for a worker' : 'cannot be read',
    obstacles: isObstacle ? [error.message] : [],
    on: error.isUnavailable ? 'unavailable' : 'nobody',
  };
}

/** The same for callers that need the state. @throws {UnreadableOnboarding} when no worker responds, or the state cannot be read */
export async function readWaits(
  client: Client,
  workflowId: string,
  read = (id: string) => stateOf(client, id),
) {
  const state = await read(workflowId);
  const parts = await partsOf(client, workflowId, state, read);
  const ids = idsOf(workflowId, parts);
  const failures = await failuresOf(client, ids);
  const accounts = failures.length === 0 ? [] : await requirementsOfAccounts(client, ids);
  const requirements = [...requirementsOf(workflowId, state, parts), ...accounts];
  return {
    ...{ state, parts, requirements, step: stepOf(state, requirements.length) },
    obstacles: failures.map((failure) =>
      failure.startsWith(OUR_SOFTWARE_FAILS) ? failure : `waiting for the partner: ${failure}`,
    ),
    on: requirements.length > 0 ? 'person' : failures.length > 0 ? 'unavailable' : 'nobody',
  } satisfies Waits;
}

/** A workflow and all its parts. */
export function idsOf(workflowId: string, parts: readonly PartState[]): string[] {
  return [workflowId, ...parts.map((part) => part.workflowId)];
}

/** A part that was started on its own takes its answers itself; any other part by its customer. */
export function requirementsOf(
  workflowId: string,
  state: OnboardingState,
  parts: readonly PartState[],
): OpenRequirement[] {
  const elsewhere = readableParts(parts).filter(({ wasThereBefore }) => wasThereBefore);
  return [{ workflowId, state }, ...elsewhere].flatMap(({ workflowId: id, state: { dba, requirements } }) => {
    const of = { workflowId: id, name: nameWithId({ workflowId: id, dba }) };
    return requirements.map((requirement) => ({ ...of, requirement }));
  });
}

/** The open requirements of the partner accounts that hold up these workflows. */
export async function requirementsOfAccounts(
  client: Client,
  workflowIds: readonly string[],
): Promise<OpenRequirement[]> {
  const accounts = (await Promise.all(workflowIds.map((id) => accountsHoldingUp(client, id)))).flat();
  const holding = new Map(accounts.map((each) => [each.workflowId + each.kinds, each]));
  return (await Promise.all([...holding.values()].map((each) => askedBy(client, each)))).flat();
}

async function askedBy(client: Client, { workflowId, kinds }: HoldingUp): Promise<OpenRequirement[]> {
  // It starts with the first refusal, and ends with the last one.
  const state = await ifFound(stateOf(client, workflowId)).catch(ifUnreadable);
  if (!state || state instanceof UnreadableOnboarding) return [];
  const requirements = state.requirements.filter(({ kind }) => kinds.includes(kind));
  return requirements.map((requirement) => ({ workflowId, name: workflowId, requirement }));
}

/** @param open how many requirements hold it up */
function stepOf(state: OnboardingState, open: number): string {
  const partner = state.waiting && `waits for the partner: ${state.waiting.step}`;
  const person = open > 0 && `waits for a person: ${open} open`;
  return [whereOf(state), partner, person].filter(Boolean).join('; ');
}

/** `underwriting, Pending`; of a customer the same of each part. */
function whereOf(state: OnboardingState): string {
  const parts = (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const { [part]: ofPart } = state;
    return ofPart ? [`${part}: ${whereOf(ofPart)}`] : [];
  });
  return parts.join('; ') || [state.stage, state.partnerStatus].filter(Boolean).join(', ');
}

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
export function asPartsHaveThem({ requirements }: OnboardingState, parts: readonly PartState[]) {
  const ofParts = readableParts(parts).flatMap(({ state }) => state.requirements);
  const own = new Map(ofParts.map((requirement) => [requirement.id, requirement]));
  return requirements.map((requirement) => own.get(requirement.id) ?? requirement);
}

/** Without the parts that cannot be read. */
export function readableParts(parts: readonly PartState[]) {
  return parts.flatMap(({ state, ...part }) =>
    state instanceof UnreadableOnboarding ? [] : [{ ...part, state }],
  );
}

/** All timeline entries of an onboarding and its parts, which a customer does not have itself. */
export function timelinesOf(state: OnboardingState, parts: readonly PartState[]): readonly TimelineEntry[] {
  return [...state.timeline, ...readableParts(parts).flatMap((part) => part.state.timeline)];
}

/** Catches the reason why a state cannot be read. */
export function ifUnreadable(error: unknown): UnreadableOnboarding {
  if (error instanceof UnreadableOnboarding) return error;
  throw error;
}

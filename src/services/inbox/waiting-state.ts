import type { Client } from '@temporalio/client';
import { OUR_SOFTWARE_FAILS } from '../../messages/activities.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { PARTS, type Part } from '../../messages/onboardings.js';
import type { Requirement } from '../../messages/requirements.js';
import { partIds, queryState } from '../../temporal/find-onboarding.js';
import { type BlockingAccount, blockingAccounts } from '../../temporal/partner-accounts.js';
import { undefinedIfMissing } from '../../temporal/unavailable.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { nameWithId } from '../texts/display-names.js';

/** A requirement, with the workflow that takes its answer. */
export interface OpenRequirement {
  readonly workflowId: string;
  /** The workflow, for people: `Acme Bikes (merchant-boarding-m-1)`. */
  readonly name: string;
  readonly requirement: Requirement;
}

/** The progress of an onboarding or operation, and what it waits for. */
export interface Waits {
  /** undefined if unreadable. */
  readonly state: OnboardingState | undefined;
  /** For a customer: the parts that have started. */
  readonly parts: readonly PartState[];
  /** The current step, for people: `underwriting, Pending`. */
  readonly step: string;
  /** The open requirements of the onboarding, its parts, and the partner accounts that block it. */
  readonly requirements: readonly OpenRequirement[];
  /** The partners and workers that it waits for. */
  readonly obstacles: readonly string[];
  /** Who must act: a person, or whoever runs an unavailable partner or worker. */
  readonly on: 'person' | 'unavailable' | 'nobody';
}

/** The initial value, before the first read. */
export const INITIAL_WAITS: Waits = {
  state: undefined,
  parts: [],
  step: 'started',
  requirements: [],
  obstacles: [],
  on: 'nobody',
};

/**
 * Reads the progress of an onboarding or operation, and what it waits for. If its state is unreadable, explains why.
 *
 * @param busyUntil until this time, in milliseconds since 1970, an unreadable state is no obstacle, because workers may be busy
 */
export async function waitsOf(client: Client, workflowId: string, busyUntil: number): Promise<Waits> {
  try {
    return await readWaits(client, workflowId);
  } catch (error) {
    return unreadableWaits(asUnreadable(error), busyUntil);
  }
}

/** Describes an onboarding that is unreadable now. */
export function unreadableWaits(error: UnreadableOnboarding, busyUntil: number): Waits {
  // A worker that polls but does not respond is busy, which is no obstacle. Temporal takes a minute to notice a stopped worker.
  const isObstacle = error.obstacle !== 'no-response' && Date.now() >= busyUntil;
  return {
    ...INITIAL_WAITS,
    step: error.isUnavailable ? 'waits for a worker' : 'cannot be read',
    obstacles: isObstacle ? [error.message] : [],
    on: error.isUnavailable ? 'unavailable' : 'nobody',
  };
}

/** {@link waitsOf}, for callers that need the state. @throws {UnreadableOnboarding} if the state cannot be read */
export async function readWaits(
  client: Client,
  workflowId: string,
  read = (id: string) => queryState(client, id),
) {
  const state = await read(workflowId);
  const parts = await readParts(client, workflowId, state, read);
  const ids = workflowIdsOf(workflowId, parts);
  const failures = await failuresOf(client, ids);
  const accounts = failures.length === 0 ? [] : await requirementsOfAccounts(client, ids);
  const requirements = [...openRequirementsOf(workflowId, state, parts), ...accounts];
  return {
    state,
    parts,
    requirements,
    step: describeStep(state, requirements.length),
    obstacles: failures.map((failure) =>
      failure.startsWith(OUR_SOFTWARE_FAILS) ? failure : `waiting for the partner: ${failure}`,
    ),
    on: requirements.length > 0 ? 'person' : failures.length > 0 ? 'unavailable' : 'nobody',
  } satisfies Waits;
}

/** Returns the IDs of a workflow and all its parts. */
export function workflowIdsOf(workflowId: string, parts: readonly PartState[]): string[] {
  return [workflowId, ...parts.map((part) => part.workflowId)];
}

/** Lists open requirements, each with the workflow that takes its answer. Only an attached part takes its own answers. */
export function openRequirementsOf(
  workflowId: string,
  state: OnboardingState,
  parts: readonly PartState[],
): OpenRequirement[] {
  const elsewhere = readableParts(parts).filter(({ isAttached }) => isAttached);
  return [{ workflowId, state }, ...elsewhere].flatMap(({ workflowId: id, state: { dba, requirements } }) => {
    const workflow = { workflowId: id, name: nameWithId({ workflowId: id, dba }) };
    return requirements.map((requirement) => ({ ...workflow, requirement }));
  });
}

/** Lists the open requirements of the partner accounts that block these workflows. */
export async function requirementsOfAccounts(
  client: Client,
  workflowIds: readonly string[],
): Promise<OpenRequirement[]> {
  const accounts = (await Promise.all(workflowIds.map((id) => blockingAccounts(client, id)))).flat();
  const unique = new Map(accounts.map((each) => [each.workflowId + each.kinds, each]));
  return (await Promise.all([...unique.values()].map((each) => askedBy(client, each)))).flat();
}

async function askedBy(client: Client, { workflowId, kinds }: BlockingAccount): Promise<OpenRequirement[]> {
  // An account's workflow runs only while calls are refused, so it may have ended.
  const state = await undefinedIfMissing(queryState(client, workflowId)).catch(asUnreadable);
  if (!state || state instanceof UnreadableOnboarding) return [];
  const requirements = state.requirements.filter(({ kind }) => kinds.includes(kind));
  return requirements.map((requirement) => ({ workflowId, name: workflowId, requirement }));
}

/** @param open the number of requirements that block it */
function describeStep(state: OnboardingState, open: number): string {
  const partner = state.waiting && `waits for the partner: ${state.waiting.step}`;
  const person = open > 0 && `waits for a person: ${open} open`;
  return [describeStage(state), partner, person].filter(Boolean).join('; ');
}

/** Returns the stage and the partner's status, for each part of a customer: `boarding: underwriting, Pending`. */
function describeStage(state: OnboardingState): string {
  const parts = (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const { [part]: ofPart } = state;
    return ofPart ? [`${part}: ${describeStage(ofPart)}`] : [];
  });
  return parts.join('; ') || [state.stage, state.partnerStatus].filter(Boolean).join(', ');
}

/** A part of a customer. */
export interface PartState {
  readonly part: Part;
  readonly workflowId: string;
  /** The state of the part, or the reason why it cannot be read. */
  readonly state: OnboardingState | UnreadableOnboarding;
  /** Whether the part was started before the customer. People then answer the part, not the customer. */
  readonly isAttached: boolean;
}

/** Reads the parts that a customer has started and that Temporal still has. Returns none for any other workflow. */
export async function readParts(
  client: Client,
  workflowId: string,
  state: OnboardingState,
  read: (workflowId: string) => Promise<OnboardingState> = (id) => queryState(client, id),
): Promise<PartState[]> {
  const parts = await Promise.all(
    (Object.keys(PARTS) as Part[]).map(async (part): Promise<PartState | undefined> => {
      const id = partIds(workflowId)[part];
      const isAttached = state.timeline.some(({ event }) => event === `${part}-attached`);
      if (!isAttached && !state[part]) return undefined;
      // Temporal may have deleted an ended part while its customer waits for the other one.
      const own = await undefinedIfMissing(read(id)).catch(asUnreadable);
      return own && { part, workflowId: id, state: own, isAttached };
    }),
  );
  return parts.filter((part) => part !== undefined);
}

/** Returns the part of a customer that raised a requirement; undefined if the workflow itself did. */
export function askingPart(state: OnboardingState, requirementId: string): Part | undefined {
  const parts = Object.keys(PARTS) as Part[];
  return parts.find((name) => state[name]?.requirements.some(({ id }) => id === requirementId));
}

/** Returns the ID of the workflow that raised a requirement and stores its claims: a customer's part, or the workflow itself. */
export function askingWorkflow(workflowId: string, state: OnboardingState, requirementId: string): string {
  const part = askingPart(state, requirementId);
  return part ? partIds(workflowId)[part] : workflowId;
}

/**
 * Returns the open requirements of a workflow. Replaces a customer's copies with the originals of its parts, which have claims and
 * proposals.
 */
export function requirementsWithClaims({ requirements }: OnboardingState, parts: readonly PartState[]) {
  const ofParts = readableParts(parts).flatMap(({ state }) => state.requirements);
  const own = new Map(ofParts.map((requirement) => [requirement.id, requirement]));
  return requirements.map((requirement) => own.get(requirement.id) ?? requirement);
}

/** Returns the parts whose state could be read. */
export function readableParts(parts: readonly PartState[]) {
  return parts.flatMap(({ state, ...part }) =>
    state instanceof UnreadableOnboarding ? [] : [{ ...part, state }],
  );
}

/** Returns the timelines of an onboarding and its parts. A customer's own timeline leaves out those of its parts. */
export function timelinesOf(state: OnboardingState, parts: readonly PartState[]): readonly TimelineEntry[] {
  return [...state.timeline, ...readableParts(parts).flatMap((part) => part.state.timeline)];
}

/** Returns the reason why a state cannot be read, and throws any other error. */
export function asUnreadable(error: unknown): UnreadableOnboarding {
  if (error instanceof UnreadableOnboarding) return error;
  throw error;
}

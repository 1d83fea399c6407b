import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { requirementsIn } from '../messages/listed.js';
import type { OnboardingState } from '../messages/onboarding-state.js';
import type { Requirement } from '../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { isCorrectable } from '../operators/corrections.js';
import { type PartState, partsOf } from '../operators/parts.js';
import { type Asked, askedByAccounts, askedOf, nameOf } from '../operators/waits.js';
import { withoutPrivate } from '../privacy/private-fields.js';
import { inputOf, stateOf } from '../temporal/onboardings.js';
import { failuresOf, UnreadableOnboarding } from '../temporal/unreadable.js';
import { SharedReads } from './sharing.js';

/** How long people who look at the same onboarding share one read, in milliseconds. */
const SHARED_MS = 4_000;

/** An onboarding, single operation or partner account as its page shows it. */
export interface OnboardingView {
  readonly workflowId: string;
  /** The last one that could be read; undefined while none could. */
  readonly state: OnboardingState | undefined;
  /** Why it cannot be read now. */
  readonly obstacle: UnreadableOnboarding | undefined;
  /** Of a customer: the parts that have started. */
  readonly parts: readonly PartState[];
  /** Everything that a person is asked: by itself, by its parts, and by the partner accounts that hold it up. */
  readonly asked: readonly Asked[];
  /** Partners that it waits for, for people. */
  readonly failures: readonly string[];
}

/** A state, and the history that it was read from. */
interface ReadState {
  readonly state: OnboardingState | undefined;
  readonly obstacle: UnreadableOnboarding | undefined;
  readonly history: string;
}

const states = new SharedReads<ReadState>(SHARED_MS);
const views = new SharedReads<OnboardingView>(SHARED_MS);

/** What is shown of inputs, private values masked: the unmasked ones are never kept. */
const inputs = new SharedReads<{ readonly history: string; readonly masked: unknown }>(SHARED_MS);

/**
 * Where an onboarding stands. Within four seconds, everybody who looks at it shares one read, and a worker is asked only when the
 * history has grown.
 *
 * @param fresh reads it now: somebody has just answered
 */
export function onboardingView(client: Client, workflowId: string, fresh = false): Promise<OnboardingView> {
  return views.get(client, workflowId, () => readView(client, workflowId, fresh), fresh ? 0 : SHARED_MS);
}

async function readView(client: Client, workflowId: string, fresh: boolean): Promise<OnboardingView> {
  const { state, obstacle } = await readState(client, workflowId, fresh);
  if (!state) return { workflowId, state, obstacle, parts: [], asked: [], failures: [] };
  const read = async (id: string) => {
    const part = await readState(client, id, fresh);
    if (part.obstacle) throw part.obstacle;
    return part.state as OnboardingState;
  };
  const parts = await partsOf(client, workflowId, state, read);
  const ids = [workflowId, ...parts.map((part) => part.workflowId)];
  const failures = (await Promise.all(ids.map((id) => failuresOf(client, id)))).flat();
  const accounts = failures.length === 0 ? [] : await askedByAccounts(client, ids);
  const own = askedOf(workflowId, state, parts).map((asked) => atItsPart(asked, parts));
  return { workflowId, state, obstacle, parts, asked: [...own, ...accounts], failures };
}

/** A part has its requirements with more than its customer shows, and takes the same answers. */
function atItsPart(asked: Asked, parts: readonly PartState[]): Asked {
  for (const { workflowId, state } of parts) {
    if (state instanceof UnreadableOnboarding) continue;
    const requirement = state.requirements.find(({ id }) => id === asked.requirement.id);
    if (requirement) return { workflowId, name: nameOf(workflowId, state.dba), requirement };
  }
  return asked;
}

/** The state of a workflow, from its worker only when its history has grown since the last read. */
function readState(client: Client, workflowId: string, fresh: boolean): Promise<ReadState> {
  const read = async (before: ReadState | undefined): Promise<ReadState> => {
    const history = historyOf(await client.workflow.getHandle(workflowId).describe());
    // Before an answer is sent, the worker itself must respond.
    if (!fresh && before?.state && !before.obstacle && before.history === history) return before;
    try {
      return { state: await stateOf(client, workflowId), obstacle: undefined, history };
    } catch (error) {
      if (!(error instanceof UnreadableOnboarding)) throw error;
      return { state: before?.state, obstacle: error, history };
    }
  };
  return states.get(client, workflowId, read, fresh ? 0 : SHARED_MS);
}

function historyOf({ runId, historyLength, status }: WorkflowExecutionDescription): string {
  return `${runId} ${historyLength} ${status.name}`;
}

/** The input as it stands, with private values masked; undefined when it has none or cannot be read now. */
export async function maskedInput(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<unknown> {
  const { workflowId } = description;
  if (!isCorrectable(workflowId)) return undefined;
  const history = historyOf(description);
  const read = async (before: { history: string; masked: unknown } | undefined) => {
    if (before?.history === history) return before;
    const { input } = await inputOf(client, workflowId);
    return { history, masked: withoutPrivate(input) };
  };
  try {
    return (await inputs.get(client, workflowId, read)).masked;
  } catch (error) {
    if (error instanceof UnreadableOnboarding) return undefined;
    throw error;
  }
}

/** The last state of a workflow that was read, however old: for a form whose workflow cannot be read now. */
export async function lastKnownRequirement(
  client: Client,
  workflowId: string,
  requirementId: string,
): Promise<Requirement | undefined> {
  const known = await states.last(client, workflowId);
  return known?.state?.requirements.find(({ id }) => id === requirementId);
}

/** What the list of workflows has of an onboarding, which needs no worker. */
export function listedFacts({ typedSearchAttributes: attributes }: WorkflowExecutionDescription) {
  const { dba, stage, partnerStatus, merchantProfileId, mid, bankingProfileId, requirements } =
    SEARCH_ATTRIBUTES;
  return {
    dba: attributes.get(dba),
    stage: attributes.get(stage),
    partnerStatus: attributes.get(partnerStatus),
    merchantProfileId: attributes.get(merchantProfileId),
    mid: attributes.get(mid),
    bankingProfileId: attributes.get(bankingProfileId),
    requirements: requirementsIn(attributes.get(requirements) ?? []).requirements,
  };
}

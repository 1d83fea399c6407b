import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { partsOfId } from '../../messages/ids.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { withoutPrivate } from '../../platform/privacy/private-fields.js';
import { isCorrectable } from '../../services/forms/corrections.js';
import {
  askingPart,
  type OpenRequirement,
  openRequirementsOf,
  type PartState,
  readableParts,
  readParts,
  requirementsOfAccounts,
} from '../../services/inbox/waiting-state.js';
import { describeWithin, inputOf, isInSomeAccount, queryState } from '../../temporal/find-onboarding.js';
import { SharedReads } from '../../temporal/shared-reads.js';
import { failuresIn, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { PageError, type RequestContext } from './route.js';

/** The time for which the viewers of an onboarding share one read, in milliseconds. */
const SHARED_MS = 4_000;

/** An onboarding, single operation or partner account, as its page shows it. */
export interface OnboardingView {
  readonly workflowId: string;
  /** The last state that could be read; undefined if there is none. */
  readonly state: OnboardingState | undefined;
  readonly obstacle: UnreadableOnboarding | undefined;
  readonly parts: readonly PartState[];
  /** The open requirements of the onboarding, its parts, and the partner accounts that block it. */
  readonly requirements: readonly OpenRequirement[];
  /** The failures of calls to the partners that it waits for, for people. */
  readonly failures: readonly string[];
}

interface ReadState extends Pick<OnboardingView, 'state' | 'obstacle' | 'failures'> {
  readonly history: string;
}

const states = new SharedReads<ReadState>(SHARED_MS);
const views = new SharedReads<OnboardingView>(SHARED_MS);

/** Inputs with masked private values. Unmasked inputs are never cached. */
const inputs = new SharedReads<{ readonly history: string; readonly masked: unknown }>(SHARED_MS);

/**
 * Returns the state of an onboarding and its parts. For four seconds, all viewers share one read. Queries a worker only if the
 * history has grown.
 */
export function onboardingView(client: Client, workflowId: string): Promise<OnboardingView> {
  return views.get(client, workflowId, () => readView(client, workflowId));
}

/** Call this after a change, so the next viewer sees it, even on the page of the onboarding's customer. */
export function refreshView(client: Client, workflowId: string): void {
  views.forget(client);
  // Viewers who arrive during this read wait for it, and get its failure.
  readState(client, workflowId, true).catch(() => undefined);
}

async function readView(client: Client, workflowId: string): Promise<OnboardingView> {
  const { state, obstacle } = await readState(client, workflowId);
  if (!state) return { workflowId, state, obstacle, parts: [], requirements: [], failures: [] };
  const read = async (id: string) => {
    const part = await readState(client, id);
    if (part.obstacle) throw part.obstacle;
    return part.state as OnboardingState;
  };
  const parts = await readParts(client, workflowId, state, read);
  const ids = [workflowId, ...parts.map((part) => part.workflowId)];
  const all = await Promise.all(ids.map((id) => readState(client, id)));
  const failures = all.flatMap((each) => each.failures);
  const accounts = failures.length === 0 ? [] : await requirementsOfAccounts(client, ids);
  return {
    workflowId,
    state,
    obstacle,
    parts,
    requirements: [...askedBy(workflowId, state, parts), ...accounts],
    failures,
  };
}

/** Replaces a customer's requirements with those of its readable parts: the customer gets changes later, and lacks details. */
function askedBy(workflowId: string, state: OnboardingState, parts: readonly PartState[]): OpenRequirement[] {
  const asking = readableParts(parts);
  const requirements = state.requirements.filter(
    ({ id }) => !asking.some(({ part }) => part === askingPart(state, id)),
  );
  return [
    ...openRequirementsOf(workflowId, { ...state, requirements }, []),
    ...asking.flatMap((part) => openRequirementsOf(part.workflowId, part.state, [])),
  ];
}

/**
 * Returns the state of a workflow. Queries its worker only if the history has grown since the last read.
 *
 * @param fresh queries the worker in any case, as required before an answer is sent
 */
export function readState(client: Client, workflowId: string, fresh = false): Promise<ReadState> {
  const read = async (before: ReadState | undefined): Promise<ReadState> => {
    const description = await client.workflow.getHandle(workflowId).describe();
    const history = historyOf(description);
    const failures = await failuresIn(client, description);
    const isSame = before?.state && !before.obstacle && before.history === history;
    if (!fresh && isSame) return { ...before, failures };
    try {
      return { state: await queryState(client, workflowId), obstacle: undefined, failures, history };
    } catch (error) {
      if (!(error instanceof UnreadableOnboarding)) throw error;
      return { state: before?.state, obstacle: error, failures, history };
    }
  };
  return states.get(client, workflowId, read, fresh ? 0 : SHARED_MS);
}

function historyOf({ runId, historyLength, status }: WorkflowExecutionDescription): string {
  return `${runId} ${historyLength} ${status.name}`;
}

/** Returns the current input, with private values masked; undefined if there is none or it cannot be read now. */
export async function readMaskedInput(client: Client, description: WorkflowExecutionDescription) {
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

/** Returns a tab's title. Browsers keep titles in their history, so it has the business's name only if lists show names. */
export function tabTitle(
  { settings }: Pick<RequestContext, 'settings'>,
  { workflowId, dba }: { readonly workflowId: string; readonly dba?: string | undefined },
  task?: string,
): string {
  const { key = workflowId, type } = partsOfId(workflowId) ?? {};
  const name = settings.dbaForm === 'shown' ? (dba ?? key) : key;
  // A customer's parts have the customer's name.
  const [, part] = /^(merchant|business)/.exec(type ?? '') ?? [];
  const reference = part ? `${name}, ${part}` : name;
  return task === undefined ? reference : `${task}, ${reference}`;
}

// Keeps D1.
/** Reports whether this person may see the workflow with this ID, even if it does not exist. Batches have separate pages. */
export function mayOpen({ user }: Pick<RequestContext, 'user'>, workflowId: string): boolean {
  return isInSomeAccount(workflowId, user.accounts);
}

/**
 * Returns the onboarding, single operation or partner account of a request. Every page with a workflow ID calls this.
 *
 * @throws {PageError} with 404 if there is none. If the person may not see its account, throws the same error without a request to
 * Temporal
 */
export async function openOnboarding(
  context: Pick<RequestContext, 'client' | 'user' | 'params'>,
  id = context.params['id'] ?? '',
): Promise<WorkflowExecutionDescription> {
  const description = await describeWithin(context.client, id, context.user.accounts);
  if (!description) throw new PageError(404, 'There is no onboarding with this ID, or you may not see it.');
  return description;
}

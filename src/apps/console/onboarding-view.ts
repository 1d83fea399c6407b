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

/** The time for which people who look at the same onboarding share one read, in milliseconds. */
const SHARED_MS = 4_000;

/** An onboarding, single operation or partner account as its page shows it. */
export interface OnboardingView {
  readonly workflowId: string;
  /** The last one that could be read; undefined while none could. */
  readonly state: OnboardingState | undefined;
  readonly obstacle: UnreadableOnboarding | undefined;
  readonly parts: readonly PartState[];
  /** All open requirements: of the onboarding, its parts, and the partner accounts that block it. */
  readonly requirements: readonly OpenRequirement[];
  /** Partners that it waits for, for people. */
  readonly failures: readonly string[];
}

interface ReadState extends Pick<OnboardingView, 'state' | 'obstacle' | 'failures'> {
  readonly history: string;
}

const states = new SharedReads<ReadState>(SHARED_MS);
const views = new SharedReads<OnboardingView>(SHARED_MS);

/** Inputs with masked private values. The unmasked ones are never kept. */
const inputs = new SharedReads<{ readonly history: string; readonly masked: unknown }>(SHARED_MS);

/**
 * Returns the state of an onboarding with its parts. For four seconds, all viewers share one read, and a worker is asked only when
 * the history has grown.
 */
export function onboardingView(client: Client, workflowId: string): Promise<OnboardingView> {
  return views.get(client, workflowId, () => readView(client, workflowId));
}

/** Call this after a change: the next viewer sees it, even on the page of its customer. */
export function refreshView(client: Client, workflowId: string): void {
  views.forget(client);
  // Viewers who come meanwhile wait for this read and get its failure.
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

/** A part that can be read asks for itself: its customer learns later what has changed, and shows less of a requirement. */
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
 * The state of a workflow, from its worker only when its history has grown since the last read.
 *
 * @param fresh reads it now: before an answer is sent, the worker itself must respond
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

/** The present input, with private values masked; undefined when it has none or cannot be read now. */
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

/** The title of a tab, which the browser keeps in its history. It has the name of the business only where lists show names. */
export function tabTitle(
  { settings }: Pick<RequestContext, 'settings'>,
  { workflowId, dba }: { readonly workflowId: string; readonly dba?: string | undefined },
  task?: string,
): string {
  const { key = workflowId, type } = partsOfId(workflowId) ?? {};
  const name = settings.dbaForm === 'shown' ? (dba ?? key) : key;
  // The parts of a customer have its name.
  const [, part] = /^(merchant|business)/.exec(type ?? '') ?? [];
  const reference = part ? `${name}, ${part}` : name;
  return task === undefined ? reference : `${task}, ${reference}`;
}

// Keeps D1.
/** Reports whether this person may see the workflow of an id, whether or not it exists. A batch has pages of its own. */
export function mayOpen({ user }: Pick<RequestContext, 'user'>, workflowId: string): boolean {
  return isInSomeAccount(workflowId, user.accounts);
}

/**
 * The onboarding, single operation or partner account of a request. Every page that gets a workflow id opens it here.
 *
 * @throws {PageError} with 404 when there is none, and in the same words and without a look at Temporal when its account is not
 * one that the person may see
 */
export async function openOnboarding(
  context: Pick<RequestContext, 'client' | 'user' | 'params'>,
  id = context.params['id'] ?? '',
): Promise<WorkflowExecutionDescription> {
  const description = await describeWithin(context.client, id, context.user.accounts);
  if (!description) throw new PageError(404, 'There is no onboarding with this ID, or you may not see it.');
  return description;
}

import { type Client, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import type { Asked, Waits } from '../inbox/waits.js';
import { isCustomer, partsOfId } from '../messages/ids.js';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
} from '../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { describe, outcomeOf, partIds } from '../temporal/onboardings.js';
import { PassingProblem, TemporalProblem } from '../temporal/unavailable.js';

/** The outcome of an onboarding of any kind. */
export type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** A workflow ended without an outcome: it was stopped, or failed. */
export class EndedWithoutOutcome extends TemporalProblem {
  override readonly name = 'EndedWithoutOutcome';
  constructor(
    workflowId: string,
    /** The reason, and what to do next. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${workflowId}: ${reason}`, options);
  }
}

/** The time to wait for an outcome, and what to report meanwhile. */
export interface OutcomeOptions {
  /** Ends the wait, which then fails with the reason of the signal. The onboarding continues. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait, in milliseconds: 24 days at most. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the open requirements each time they change: the onboarding waits for an answer to them. */
  readonly onRequirements?: ((open: readonly Asked[]) => void) | undefined;
}

/** An onboarding did not end within the time that the caller gave. It continues. */
export class StillRunning extends PassingProblem {
  override readonly name = 'StillRunning';
  constructor(
    id: string,
    timeoutMs: number,
    /** Its open requirements, if a worker responds. */
    readonly asked: readonly Asked[],
    options?: ErrorOptions,
  ) {
    const open = asked.map(({ requirement }) => requirement.id).join(', ');
    super(
      `${id} has not ended after ${timeoutMs / 1_000} s${open && `; it waits for a person: ${open}`}`,
      options,
    );
  }
}

/** Reports the open requirements of a workflow that is watched, each time that they change. */
export async function reportRequirements(
  watching: AsyncIterable<Pick<Waits, 'asked'>>,
  report: (open: readonly Asked[]) => void,
): Promise<void> {
  let before = '';
  for await (const { asked } of watching) {
    const now = asked.map(({ workflowId, requirement }) => `${workflowId} ${requirement.id}`).join();
    if (now !== before) report(asked);
    before = now;
  }
}

/** The words in which {@link EndedWithoutOutcome} explains what to do next. */
export interface Advice {
  /** The way to start it again: `start it again with --again`. */
  readonly restart: string;
  /** The caller's name for an input: `FILE`. */
  readonly input: string;
}

/**
 * Waits for the outcome of a workflow.
 *
 * @throws {EndedWithoutOutcome}
 */
export async function awaitOutcome<Ending>(
  client: Client,
  workflowId: string,
  { restart, input }: Advice,
): Promise<Ending> {
  try {
    return await outcomeOf<Ending>(client, workflowId);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const adopt = await howToAdopt(client, workflowId, input);
    const next = adopt === undefined ? restart : `${adopt}; then ${restart}`;
    throw new EndedWithoutOutcome(workflowId, `${reasonOf(error)}; ${next}`, { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was cancelled';
  if (cause instanceof TerminatedFailure) return 'it was terminated';
  return `it failed: ${cause?.message}`;
}

/**
 * Explains what prevents a second start of an onboarding from creating a second merchant or profile; undefined for other workflows.
 * The ids come from search attributes, which need no worker.
 */
async function howToAdopt(client: Client, workflowId: string, input: string): Promise<string | undefined> {
  const { type, key: guid } = partsOfId(workflowId) ?? {};
  if (type === 'businessOnboarding') {
    const profile = await idAtPartner(client, [workflowId], 'bankingProfileId');
    const where = profile
      ? `banking profile ${profile} exists at the bank`
      : 'look for the business at the bank';
    return `${where}: to adopt it, set the "merchantProfileId" of its merchant in ${input}`;
  }
  if (type !== 'merchantBoarding' && type !== 'customerOnboarding') return undefined;
  const [ids, where] = isCustomer(workflowId)
    ? [[workflowId, ...Object.values(partIds(workflowId))], `in "boarding" of ${input}`]
    : [[workflowId], `in ${input}`];
  const merchant = await idAtPartner(client, ids, 'merchantProfileId');
  return merchant
    ? `merchant ${merchant} exists at the partner: to adopt it, set "merchantProfileId": ${merchant} ${where}`
    : `look for a merchant with guid ${guid} in the partner’s portal: to adopt it, set its "merchantProfileId" ${where}`;
}

/** The first id that one of these workflows has; undefined when none has one yet. */
async function idAtPartner(
  client: Client,
  workflowIds: readonly string[],
  name: 'merchantProfileId' | 'bankingProfileId',
): Promise<string | undefined> {
  for (const workflowId of workflowIds) {
    const described = await describe(client, workflowId);
    const id = described?.typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]);
    if (id !== undefined) return id;
  }
  return undefined;
}

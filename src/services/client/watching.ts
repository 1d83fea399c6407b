import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { isCustomer, partsOfId } from '../../messages/ids.js';
import type { OnboardingOutcomes } from '../../messages/onboarding-outcomes.js';
import type { TimelineEntry } from '../../messages/onboarding-state.js';
import type { Part } from '../../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import type { OnboardingType } from '../../messages/workflow-types.js';
import { Deadline, untilAborted } from '../../platform/http/deadline.js';
import { describe, partIds, waitForResult } from '../../temporal/find-onboarding.js';
import { isNotFound, TemporalProblem, TransientError } from '../../temporal/unavailable.js';
import { type OpenRequirement, readableParts, type Waits, waitsOf } from '../inbox/waiting-state.js';

/** Follows an onboarding to its end, with a reading of each change, and its outcome. */

const READ_EVERY_MS = 1_000;

/** How long a busy worker may take to start a workflow, in milliseconds. */
const BUSY_WORKER_MS = 10_000;

/** The workflow with an entry in its timeline; '' if there is only one workflow. */
export type Owner = 'customer' | Part | '';

/** An entry of a timeline with its owner. */
export interface OwnedEntry extends TimelineEntry {
  readonly of?: Owner;
}

/** The progress of an onboarding or operation, what it waits for, and what has happened since the previous reading. */
export interface Reading extends Waits {
  /** The entries since the previous reading, oldest first. The first reading has all entries. */
  readonly entries: readonly OwnedEntry[];
  /** This is the last reading. */
  readonly hasEnded: boolean;
}

/** The workflow to read, and when to stop. */
export interface WatchOptions {
  /** Ends the watch: readings and outcome fail with the signal's reason. The workflow continues. */
  readonly signal?: AbortSignal | undefined;
  /** Skips the first reading and the one after the end, for callers that have just started a workflow. */
  readonly isBrief?: boolean;
}

/** A watched workflow. Its readings can be iterated once. */
export class Watching<Ending> implements AsyncIterable<Reading> {
  /**
   * The outcome. Rejects with {@link EndedWithoutOutcome} if the workflow was stopped or failed. The readings end normally in both
   * cases.
   */
  readonly outcome: Promise<Ending>;
  readonly #ended = new AbortController();
  readonly #client: Client;
  readonly #id: Promise<string>;
  readonly #isBrief: boolean;

  /** @internal */
  constructor(
    client: Client,
    workflowId: Promise<string>,
    outcomeOf: (workflowId: string) => Promise<Ending>,
    { signal, isBrief = false }: WatchOptions = {},
  ) {
    this.#client = client;
    this.#id = workflowId;
    this.#isBrief = isBrief;
    const wait = async () => outcomeOf(await workflowId);
    this.outcome = cancelable(client, signal, wait).finally(() => this.#ended.abort());
    // A caller that only iterates gets the error from the iteration.
    this.outcome.catch(() => undefined);
  }

  /** Aborts once the workflow has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Yields a reading for each change, and one after the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Reading, void, undefined> {
    const id = await this.#id;
    const busyUntil = Date.now() + BUSY_WORKER_MS;
    const seen = new Map<Owner, number>();
    let before: string | undefined;
    let isReading = this.#isBrief ? await pause(this.ended) : !this.ended.aborted;
    for (; isReading; isReading = await pause(this.ended)) {
      const waits = await untilEnded(this.#client, this.ended, () => waitsOf(this.#client, id, busyUntil));
      if (!waits) break;
      const entries = newEntries(id, waits, seen);
      const { step, requirements, obstacles, on } = waits;
      const now = JSON.stringify([step, requirements, obstacles, on]);
      if (entries.length > 0 || now !== before) yield { ...waits, entries, hasEnded: false };
      before = now;
    }
    await this.outcome.catch((error: unknown) => {
      if (!(error instanceof EndedWithoutOutcome)) throw error;
    });
    if (this.#isBrief) return;
    const last = await waitsOf(this.#client, id, 0);
    yield { ...last, entries: newEntries(id, last, seen), hasEnded: true };
  }
}

/** Waits until the signal aborts. */
async function cancelable<Ending>(
  client: Client,
  signal: AbortSignal | undefined,
  wait: () => Promise<Ending>,
): Promise<Ending> {
  if (!signal) return wait();
  signal.throwIfAborted();
  return untilAborted(calling(client, signal, wait), signal);
}

/** Makes calls that end with the signal. They get their own signal, because the connection never removes its listeners. */
async function calling<T>(client: Client, until: AbortSignal, calls: () => Promise<T>): Promise<T> {
  const deadline = new Deadline({ until });
  try {
    return await client.connection.withAbortSignal(deadline.signal, calls);
  } finally {
    deadline.release();
  }
}

/** @returns false if `ended` aborts before the next read */
export function pause(ended: AbortSignal): Promise<boolean> {
  return sleep(READ_EVERY_MS, true, { signal: ended }).catch(() => false);
}

/** Returns undefined if `ended` aborts first, or the workflow does not exist. */
function untilEnded<T>(client: Client, ended: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
  return calling(client, ended, ask).catch((error: unknown) => {
    // The outcome fails with a better error.
    if (!ended.aborted && !isNotFound(error)) throw error;
    return undefined;
  });
}

/** Returns new entries, oldest first. */
function newEntries(workflowId: string, waits: Waits, seen: Map<Owner, number>): OwnedEntry[] {
  const entries = Object.entries(timelinesOf(workflowId, waits)).flatMap(([name, timeline]) => {
    const of = name as Owner;
    const added = timeline.slice(seen.get(of) ?? 0);
    seen.set(of, timeline.length);
    return added.map((entry) => (of ? { of, ...entry } : entry));
  });
  return entries.sort((one, other) => one.at.localeCompare(other.at));
}

function timelinesOf(workflowId: string, { state, parts }: Waits) {
  if (!state) return {};
  if (!isCustomer(workflowId)) return { '': state.timeline };
  const ofParts = readableParts(parts).map(({ part, state: own }) => [part, own.timeline] as const);
  return { customer: state.timeline, ...Object.fromEntries(ofParts) };
}

/** The outcome of an onboarding of any kind. */
export type Outcome = OnboardingOutcomes[OnboardingType];

/** Thrown if a workflow ended without an outcome, because it was stopped or failed. */
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

/** Options for waiting for an outcome. */
export interface OutcomeOptions {
  /** Ends the wait, which fails with the signal's reason. The onboarding continues. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum wait, in milliseconds, at most 24 days. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the open requirements each time they change. */
  readonly onRequirements?: ((open: readonly OpenRequirement[]) => void) | undefined;
}

/** Thrown if an onboarding did not end within `timeoutMs`. It continues. */
export class StillRunning extends TransientError {
  override readonly name = 'StillRunning';
  constructor(
    id: string,
    timeoutMs: number,
    /** Its open requirements, if a worker responds. */
    readonly requirements: readonly OpenRequirement[],
    options?: ErrorOptions,
  ) {
    const open = requirements.map(({ requirement }) => requirement.id).join(', ');
    super(
      `${id} has not ended after ${timeoutMs / 1_000} s${open && `; it waits for a person: ${open}`}`,
      options,
    );
  }
}

/** Reports a watched workflow's open requirements each time they change. */
export async function reportRequirements(
  watching: AsyncIterable<Pick<Waits, 'requirements'>>,
  report: (open: readonly OpenRequirement[]) => void,
): Promise<void> {
  let before = '';
  for await (const { requirements } of watching) {
    const now = requirements.map(({ workflowId, requirement }) => `${workflowId} ${requirement.id}`).join();
    if (now !== before) report(requirements);
    before = now;
  }
}

/** The words with which {@link EndedWithoutOutcome} explains what to do next. */
export interface Advice {
  /** How to start it again: `start it again with --again`. */
  readonly restart: string;
  /** The caller's name for an input: `FILE`. */
  readonly input: string;
}

/**
 * Waits for the outcome of a workflow.
 *
 * @throws {EndedWithoutOutcome}
 */
export async function awaitOutcome<Ending>(client: Client, workflowId: string, { restart, input }: Advice) {
  try {
    return await waitForResult<Ending>(client, workflowId);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const advice = await howToImport(client, workflowId, input);
    const next = advice === undefined ? restart : `${advice}; then ${restart}`;
    throw new EndedWithoutOutcome(workflowId, `${reasonOf(error)}; ${next}`, { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was canceled';
  if (cause instanceof TerminatedFailure) return 'it was terminated';
  return `it failed: ${cause?.message}`;
}

/**
 * Explains what prevents a second start of an onboarding from creating a second merchant or profile; undefined for other workflows.
 * The IDs come from search attributes, which need no worker.
 */
async function howToImport(client: Client, workflowId: string, input: string): Promise<string | undefined> {
  const { type, key: guid } = partsOfId(workflowId) ?? {};
  if (type === 'businessOnboarding') {
    const profile = await idAtPartner(client, [workflowId], 'bankingProfileId');
    const where = profile
      ? `banking profile ${profile} exists at the bank`
      : 'look for the business at the bank';
    return `${where}: to import it, set the "merchantProfileId" of its merchant in ${input}`;
  }
  if (type !== 'merchantBoarding' && type !== 'customerOnboarding') return undefined;
  const [ids, where] = isCustomer(workflowId)
    ? [[workflowId, ...Object.values(partIds(workflowId))], `in "boarding" of ${input}`]
    : [[workflowId], `in ${input}`];
  const merchant = await idAtPartner(client, ids, 'merchantProfileId');
  return merchant
    ? `merchant ${merchant} exists at the partner: to import it, set "merchantProfileId": ${merchant} ${where}`
    : `look for a merchant with guid ${guid} in the partner’s portal: to import it, set its "merchantProfileId" ${where}`;
}

/** Returns the first ID that one of these workflows has; undefined if none has one. */
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

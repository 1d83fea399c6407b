import {
  type Client,
  QueryNotRegisteredError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Assignment } from '../../src/messages/claims.js';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../src/messages/ids.js';
import type { ListedRequirement } from '../../src/messages/list-fields.js';
import { type OnboardingState, stateQuery } from '../../src/messages/onboarding-state.js';
import type { Part } from '../../src/messages/onboardings.js';
import { type Answer, type Requirement, resolveRequirement } from '../../src/messages/requirements.js';
import { sendAssignment, sendConfirmation, sendProposal } from '../../src/services/inbox/send-answer.js';
import { partIds } from '../../src/temporal/find-onboarding.js';
import { type Listed, listOnboardings } from '../../src/temporal/search.js';
import { unlessStill } from './still.js';
import { eventually } from './waiting.js';

/** A running onboarding, for tests. */
export class Onboarding<Outcome = { readonly outcome: string }> {
  readonly handle: WorkflowHandle;

  constructor(
    private readonly client: Client,
    readonly workflowId: string,
  ) {
    this.handle = client.workflow.getHandle(workflowId);
  }

  /** Tries twice: a query fails while a workflow that just ended is evicted, though its history replays. */
  async state(): Promise<OnboardingState> {
    return this.handle.query(stateQuery).catch((error: unknown) => {
      if (!(error instanceof QueryNotRegisteredError)) throw error;
      return this.handle.query(stateQuery);
    });
  }

  /** Waits until the server lists it, which takes a moment after its start. */
  async listed(filter = ''): Promise<void> {
    await eventually(
      () => this.client.workflow.count(`WorkflowId = '${this.workflowId}'${filter}`),
      ({ count }) => count === 1,
      `${this.workflowId} in the list of workflows`,
    );
  }

  outcome(): Promise<Outcome> {
    return unlessStill(this.client, this.workflowId, 'the outcome', () => this.handle.result());
  }

  /** Waits until `reached` is true of the state. The part of a customer may not have started yet. */
  async until(reached: (state: OnboardingState) => boolean, what = 'the state'): Promise<OnboardingState> {
    const unlessMissing = (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    };
    const state = await unlessStill(this.client, this.workflowId, what, ({ signal }) =>
      eventually(
        () => this.state().catch(unlessMissing),
        (now) => signal.aborted || (now !== undefined && reached(now)),
        what,
      ),
    );
    return state as OnboardingState;
  }

  /** The status poll, as the server has it. */
  async poll() {
    const { raw } = await this.handle.describe();
    return raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
  }

  /** Waits until the status poll sleeps after `reads` reads since it was last nudged. */
  async asleepAfter(reads: number): Promise<void> {
    await eventually(
      () => this.reads(),
      (counted) => counted >= reads,
      `${reads} reads`,
    );
  }

  /** How many reads the status poll has done since it was last nudged, 0 while it does not sleep. */
  async reads(): Promise<number> {
    const poll = await this.poll();
    if (!poll?.lastFailure || !poll.nextAttemptScheduleTime) return 0;
    // The attempt that it sleeps before is already counted.
    return (poll.attempt ?? 0) - 1;
  }

  /** Waits until this many attempts of an activity have failed and the server waits before the next. */
  async retrying(activityType: string, attempts = 1): Promise<void> {
    const pending = async () => (await this.handle.describe()).raw.pendingActivities ?? [];
    await eventually(
      pending,
      (all) =>
        all.some(
          ({ activityType: type, lastFailure, attempt }) =>
            type?.name === activityType && lastFailure && (attempt ?? 0) > attempts,
        ),
      `${attempts} failed attempts of ${activityType}`,
    );
  }

  /** Repeats a change until the onboarding goes on in another run. The first has number 1. */
  async changedUntilNextRun(change: (number: number) => Promise<unknown>): Promise<void> {
    const { runId } = await this.handle.describe();
    for (let number = 1; (await this.handle.describe()).runId === runId; number += 1) {
      if (number > 60) throw new Error(`${this.workflowId} never goes on in another run`);
      await change(number);
    }
  }

  /** Waits for an open requirement of a kind. */
  async requirement(kind: Requirement['kind']): Promise<Requirement> {
    const of = ({ requirements }: OnboardingState) =>
      requirements.find((requirement) => requirement.kind === kind);
    const requirement = of(await this.until((state) => of(state) !== undefined, `a requirement ${kind}`));
    if (!requirement) throw new Error('unreachable');
    return requirement;
  }

  /** Waits for another question than this one. @returns what is open then */
  async asksAgain(first: string): Promise<readonly Requirement[]> {
    const isAnother = ({ id }: Requirement) => id !== first;
    return (await this.until(({ requirements }) => requirements.some(isAnother), 'another question'))
      .requirements;
  }

  resolve(requirementId: string, answer: Answer, actor = 'olga', reason = 'because') {
    return this.handle.executeUpdate(resolveRequirement, {
      args: [{ requirementId, answer, actor, reason }],
    });
  }

  /** Claims a requirement for an hour, or releases it with `until` undefined. */
  claim(requirementId: string, actor: string, more: Partial<Assignment> = {}) {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    return sendAssignment(this.client, this.workflowId, { requirementId, actor, until, ...more });
  }

  propose(requirementId: string, answer: Answer, actor = 'pete', reason = 'called the merchant') {
    return sendProposal(this.client, this.workflowId, { requirementId, answer, actor, reason });
  }

  confirm(requirementId: string, proposedAt: string, actor = 'olga', reason?: string) {
    const confirmation = { requirementId, proposedAt, actor, ...(reason !== undefined && { reason }) };
    return sendConfirmation(this.client, this.workflowId, confirmation);
  }

  /** As the list of workflows has it, once that shows what a test waits for. */
  async listedAs(shows: (requirements: readonly ListedRequirement[]) => boolean): Promise<Listed> {
    const query = `WorkflowId = '${this.workflowId}' AND ExecutionStatus = 'Running'`;
    const [result] = await eventually(
      () => Array.fromAsync(listOnboardings(this.client, query)),
      // Lists lag: it may have gone on in another run.
      ([first]) => first?.state === 'running' && shows(first.requirements),
      'the list of workflows',
    );
    return result as Listed;
  }

  /** What the Web UI shows. */
  async currentDetails(): Promise<string> {
    const query = '__temporal_workflow_metadata';
    return (await this.handle.query<{ currentDetails: string }>(query)).currentDetails;
  }

  /** Waits until the workflow has processed a cancellation request, such as the one that a canceled parent sends to a child. */
  async cancellationSeen(): Promise<void> {
    const history = async () => (await this.handle.fetchHistory()).events ?? [];
    await eventually(
      history,
      (events) => {
        const requested = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
        const seen = events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
        return requested >= 0 && seen > requested;
      },
      'the workflow to see the cancel request',
    );
  }

  /** The parts of a customer. */
  get parts(): Readonly<Record<Part, Onboarding>> {
    const { boarding, business } = partIds(this.workflowId);
    return {
      boarding: new Onboarding(this.client, boarding),
      business: new Onboarding(this.client, business),
    };
  }

  /** The kinds of the events of the history, sorted. Leaves out workflow tasks, because a busy machine may need more of them. */
  async written(): Promise<readonly string[]> {
    const { events } = await this.handle.fetchHistory();
    const names = (events ?? []).flatMap((event) =>
      Object.keys(event).filter((key) => key.endsWith('Attributes')),
    );
    return names.filter((name) => !name.startsWith('workflowTask')).sort();
  }

  async events(): Promise<readonly string[]> {
    const { timeline } = await this.state();
    return timeline.map(({ event }) => event);
  }
}

/** The state of a part, as its customer shows it: without its timeline, and its dba, which is mostly that of the customer. */
export function asShown({ dba: _, ...state }: OnboardingState): OnboardingState {
  return { ...state, timeline: [] };
}

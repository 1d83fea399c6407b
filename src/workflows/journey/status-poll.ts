import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { Pace } from '../../messages/onboarding-state.js';
import type { RequirementKind } from '../../messages/requirements.js';
import type { Journey } from './journey.js';
import { unlessAbandoned } from './requirement-queue.js';
import { runStep } from './run-step.js';
import type { Task, Tasks } from './tasks.js';

/** The workflow's reactions to the status that it follows. */
export interface StatusFollower<Seen, Snapshot, Outcome> {
  readonly journey: Journey;
  readonly status: StatusPoll<Seen, Snapshot>;
  /** The tasks that run next to the poll. */
  readonly tasks: Tasks;
  /** Kinds of requirements that it raises without waiting. Abandoning one of them ends the workflow. */
  readonly kinds: readonly RequirementKind[];
  /** The tasks that can begin now. */
  readonly dueTasks: readonly Task[];
  /** The values with which the next poll compares. */
  readonly seen: Seen;
  /** False while a write is in flight whose own effect would look like a change. */
  readonly isListening: boolean;
  /** The time at which the next timed task is due, in milliseconds since 1970; infinite if there is none. */
  readonly nextDueAt: number;
  /** Takes note of a change, and raises what the partner now asks. */
  onChange(snapshot: Snapshot): void;
  /** The outcome of the workflow; undefined while it continues. */
  readonly outcome: Outcome | undefined;
  /** Lets writes in flight end, and returns the outcome. */
  end(): Promise<Outcome>;
}

/**
 * Follows a status until the workflow has an outcome. Each round starts what is due, waits until there is something to do, and
 * takes the change of the status, if there is one. The poll goes on while a person is asked, so a decision of the partner ends
 * whatever else runs.
 *
 * @param continueInNewRun called when the history has grown long and nothing is in flight
 */
export async function followStatus<Seen, Snapshot, Outcome>(
  follower: StatusFollower<Seen, Snapshot, Outcome>,
  continueInNewRun: () => Promise<never>,
): Promise<Outcome> {
  const { journey, status, tasks, kinds } = follower;
  try {
    for (;;) {
      tasks.start(follower.dueTasks);
      if (follower.isListening) status.follow(follower.seen);
      await untilDue(follower);
      tasks.check();
      const abandoned = journey.requirements.abandonedOf(kinds);
      if (abandoned) unlessAbandoned(abandoned.resolution);
      const change = status.takeChange();
      if (change) follower.onChange(change);
      if (follower.outcome) return await follower.end();
      if (change && workflowInfo().continueAsNewSuggested && !tasks.isBusy) {
        // No step runs any more, so a question about its wait closes itself.
        const isQuiet = () => allHandlersFinished() && journey.requirements.openOf('waiting').length === 0;
        await condition(isQuiet);
        journey.state.refresh();
        return await continueInNewRun();
      }
    }
  } catch (error) {
    await tasks.stop();
    throw error;
  }
}

/** Publishes the state, and waits until there is something to do, at the latest until `nextDueAt`. */
async function untilDue<Seen, Snapshot, Outcome>(
  follower: StatusFollower<Seen, Snapshot, Outcome>,
): Promise<void> {
  const { journey, status, tasks, kinds } = follower;
  const isDue = () =>
    status.hasChange ||
    tasks.hasFailed ||
    tasks.canStart(follower.dueTasks) ||
    (follower.isListening && !status.isFollowing) ||
    follower.outcome !== undefined ||
    journey.requirements.abandonedOf(kinds) !== undefined;
  while (!isDue()) {
    if (tasks.isBusy) journey.state.refresh();
    else journey.state.report();
    const dueAt = follower.nextDueAt;
    const isOver = () => isDue() || follower.nextDueAt !== dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) await condition(isOver);
    else await condition(isOver, dueAt - Date.now(), { summary: 'Wait until an answer shows its effect' });
  }
}

/** Measures how often a partner changes something, to space out the reads. */
export class Pacer {
  #pace: Pace | undefined;

  /** Pace of the next wait; undefined when nothing was read yet. */
  get pace(): Pace | undefined {
    return this.#pace;
  }

  /** The number of consecutive waits that ended with their first read. */
  get changes(): number {
    return this.#pace?.changes ?? 0;
  }

  /** A wait has ended after this number of reads. */
  ended(polls: number): void {
    this.#pace = { readAt: Date.now(), changes: polls === 1 ? this.changes + 1 : 1 };
  }

  /** Something else has read the status. */
  read(): void {
    this.#pace = { readAt: Date.now(), changes: this.changes };
  }
}

/** Polls a status while the workflow does other things, and keeps one change at a time. */
export class StatusPoll<Seen, Snapshot> {
  #change: Snapshot | undefined;
  #failure: unknown;
  #poll: CancellationScope | undefined;
  readonly #pacer = new Pacer();
  /** Ends with the last poll that was begun: two polls at once would have the same activity id. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param watch waits for the first read that differs from what was seen */
  constructor(
    private readonly journey: Journey,
    private readonly watch: (
      seen: Seen,
      pace: Pace | undefined,
    ) => Promise<{ readonly snapshot: Snapshot; readonly polls: number }>,
  ) {}

  /** Waits for the first read that differs from `seen`. Does nothing when a poll runs already. */
  follow(seen: Seen): void {
    if (this.isFollowing) return;
    const { journey, watch } = this;
    const poll = new CancellationScope();
    this.#poll = poll;
    const before = this.#last;
    const read = async () => {
      await before;
      return runStep(journey, {
        effect: 'read',
        title: 'read the status',
        waitsForChange: true,
        run: () => watch(seen, this.#pacer.pace),
      });
    };
    this.#last = poll.run(read).then(
      ({ snapshot, polls }) => {
        if (this.#poll !== poll) return;
        this.#pacer.ended(polls);
        this.#count(polls);
        this.#change = snapshot;
      },
      (error: unknown) => {
        if (this.#poll === poll) this.#failure = error;
      },
    );
  }

  #count(reads: number): void {
    const { state } = this.journey;
    state.know({ polls: state.facts.polls + reads });
  }

  /** True while a poll runs, and until its change is taken. */
  get isFollowing(): boolean {
    return this.#poll !== undefined;
  }

  /** The number of consecutive reads that have changed something. */
  get changes(): number {
    return this.#pacer.changes;
  }

  /** Takes the read of another step as the change, and cancels the poll. */
  replaceWith(snapshot: Snapshot): void {
    const poll = this.#poll;
    this.#poll = new CancellationScope();
    this.#pacer.read();
    this.#count(1);
    this.#change = snapshot;
    poll?.cancel();
  }

  /** True when there is something to {@link takeChange}. */
  get hasChange(): boolean {
    return this.#change !== undefined || (this.#failure !== undefined && !isCancellation(this.#failure));
  }

  /**
   * Takes the change. The poll rests until the next {@link follow}.
   *
   * @throws {Abandoned} when a person, asked for a permission, abandons the onboarding
   */
  takeChange(): Snapshot | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const change = this.#change;
    if (change) this.#poll = undefined;
    this.#change = undefined;
    return change;
  }
}

import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Pace } from '../../messages/onboarding-state.js';
import { runStep } from './carry-out.js';
import type { Journey } from './journey.js';

/** Counts how restless a partner is, so that reads keep their distance however often something changes. */
export class Pacer {
  #pace: Pace | undefined;

  /** Of the next wait; undefined when nothing was read yet. */
  get pace(): Pace | undefined {
    return this.#pace;
  }

  /** How many waits in a row ended with their first read. */
  get changes(): number {
    return this.#pace?.changes ?? 0;
  }

  /** A wait has ended, with its so many-th read. */
  ended(polls: number): void {
    this.#pace = { readAt: Date.now(), changes: polls === 1 ? this.changes + 1 : 1 };
  }

  /** Something else has read. */
  read(): void {
    this.#pace = { readAt: Date.now(), changes: this.changes };
  }
}

/** Waits for the first read that differs from what was seen. */
export type Watch<Seen, Snapshot> = (
  seen: Seen,
  pace: Pace | undefined,
) => Promise<{ readonly snapshot: Snapshot; readonly polls: number }>;

/** Follows a status in the background, one change at a time, while the workflow does other things. */
export class Follower<Seen, Snapshot> {
  #news: Snapshot | undefined;
  #failure: unknown;
  #poll: CancellationScope | undefined;
  readonly #pacer = new Pacer();
  /** Ends with the last poll that was begun: two at once would have the same id. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly journey: Journey,
    private readonly watch: Watch<Seen, Snapshot>,
  ) {}

  /** Waits in the background for the first read that differs from `seen`, unless it already waits. */
  follow(seen: Seen): void {
    if (this.isFollowing) return;
    const { journey, watch } = this;
    const poll = new CancellationScope();
    this.#poll = poll;
    const before = this.#last;
    const read = async () => {
      await before;
      return runStep(journey, {
        title: 'read the status',
        waits: true,
        run: () => watch(seen, this.#pacer.pace),
      });
    };
    this.#last = poll.run(read).then(
      ({ snapshot, polls }) => {
        if (this.#poll !== poll) return;
        this.#pacer.ended(polls);
        journey.know({ polls: journey.state.polls + polls });
        this.#news = snapshot;
      },
      (error: unknown) => {
        if (this.#poll === poll) this.#failure = error;
      },
    );
  }

  /** False while nothing waits for a change, and nothing that was found is still to be taken. */
  get isFollowing(): boolean {
    return this.#poll !== undefined;
  }

  /** How many reads in a row have changed something. */
  get changes(): number {
    return this.#pacer.changes;
  }

  /** Takes a read that something else made for what was found, and waits no longer. */
  hear(snapshot: Snapshot): void {
    const poll = this.#poll;
    this.#poll = new CancellationScope();
    this.#pacer.read();
    this.#news = snapshot;
    poll?.cancel();
  }

  /** True when there is something to {@link take}. */
  get hasNews(): boolean {
    return this.#news !== undefined || (this.#failure !== undefined && !isCancellation(this.#failure));
  }

  /**
   * Takes what was found. The follower rests until the next {@link follow}.
   *
   * @throws {Abandoned} when a person, asked for credentials, gave up
   */
  take(): Snapshot | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const news = this.#news;
    if (news) this.#poll = undefined;
    this.#news = undefined;
    return news;
  }
}

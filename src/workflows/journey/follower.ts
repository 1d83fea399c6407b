import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { carryOut } from './carry-out.js';
import type { Journey } from './journey.js';

/** Waits for the first read that differs from what was seen. */
export type Watch<Seen, Snapshot> = (
  seen: Seen,
) => Promise<{ readonly snapshot: Snapshot; readonly polls: number }>;

/** Follows a status in the background, one change at a time, while the workflow does other things. */
export class Follower<Seen, Snapshot> {
  #news: Snapshot | undefined;
  #failure: unknown;
  #poll: CancellationScope | undefined;
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
      return carryOut(journey, { title: 'read the status', run: () => watch(seen) });
    };
    this.#last = poll.run(read).then(
      ({ snapshot, polls }) => {
        if (this.#poll !== poll) return;
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

  /** Takes a read that something else made for what was found, and waits no longer. */
  hear(snapshot: Snapshot): void {
    const poll = this.#poll;
    this.#poll = new CancellationScope();
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

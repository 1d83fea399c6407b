import { isCancellation } from '@temporalio/workflow';
import type { Access } from '../../messages/banking-activities.js';
import { carryOut } from './carry-out.js';
import type { Journey } from './journey.js';

/** Waits for the first read that differs from what was seen. */
export type Watch<Seen, Snapshot> = (
  seen: Seen,
  access: Access,
) => Promise<{ readonly snapshot: Snapshot; readonly polls: number }>;

/** Follows a status in the background, one change at a time, while the workflow does other things. */
export class Follower<Seen, Snapshot> {
  #news: Snapshot | undefined;
  #failure: unknown;
  #following = false;

  constructor(
    private readonly journey: Journey,
    private readonly watch: Watch<Seen, Snapshot>,
  ) {}

  /** Waits in the background for the first read that differs from `seen`, unless it already does. */
  follow(seen: Seen): void {
    if (this.#following) return;
    this.#following = true;
    const { journey, watch } = this;
    carryOut(journey, { title: 'read the status', run: (access) => watch(seen, access) }).then(
      ({ snapshot, polls }) => {
        journey.know({ polls: journey.state.polls + polls });
        this.#news = snapshot;
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  /** True when there is something to {@link take}. */
  get hasNews(): boolean {
    return this.#news !== undefined || (this.#failure !== undefined && !isCancellation(this.#failure));
  }

  /** The latest status, not taken off. */
  get news(): Snapshot | undefined {
    return this.#news;
  }

  /**
   * Takes what was found. The follower rests until the next {@link follow}.
   *
   * @throws {Abandoned} when a person, asked for credentials, gave up
   */
  take(): Snapshot | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const news = this.#news;
    if (news) this.#following = false;
    this.#news = undefined;
    return news;
  }
}

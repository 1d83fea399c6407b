import { isCancellation } from '@temporalio/workflow';
import type { Seen, StatusSnapshot } from '../messages/boarding-activities.js';
import { awaitStatusChange } from './boarding-activities.js';
import { carryOut } from './carry-out.js';
import type { Journey } from './journey.js';

/** Follows a merchant's status in the background, one change at a time, while the workflow does other things. */
export class StatusFollower {
  #news: StatusSnapshot | undefined;
  #failure: unknown;
  #following = false;

  constructor(
    private readonly journey: Journey,
    private readonly merchantProfileId: () => number,
  ) {}

  /** Waits in the background for the first read that differs from `seen`, unless it already does. */
  follow(seen: Seen): void {
    if (this.#following) return;
    this.#following = true;
    const { journey } = this;
    const merchantProfileId = this.merchantProfileId();
    const title = 'read the status';
    carryOut(journey, { title, run: () => awaitStatusChange({ merchantProfileId, seen }) }).then(
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
  get news(): StatusSnapshot | undefined {
    return this.#news;
  }

  /**
   * Takes what was found. The follower rests until the next {@link follow}.
   *
   * @throws {Abandoned} when a person, asked for credentials, gave up
   */
  take(): StatusSnapshot | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const news = this.#news;
    if (news) this.#following = false;
    this.#news = undefined;
    return news;
  }
}

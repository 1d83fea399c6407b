import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Pace } from '../../messages/onboarding-state.js';
import type { Journey } from './journey.js';
import { runRead } from './run-step.js';

/** @param isFirst whether the wait ended with its first read: the pace counts how many did so in a row */
export function paceAfter(before: Pace | undefined, isFirst: boolean): Pace {
  return { readAt: Date.now(), changes: isFirst ? (before?.changes ?? 0) + 1 : 1 };
}

/** Where a poll is. It rests until it is told what was seen, and after its change was taken. */
type Progress<Snapshot> =
  | { readonly is: 'resting' }
  | { readonly is: 'polling'; readonly scope: CancellationScope }
  | { readonly is: 'changed'; readonly snapshot: Snapshot }
  | { readonly is: 'failed'; readonly error: unknown };

// Keeps F6.
/** Polls a status while the workflow does other things, and keeps one change at a time. */
export class StatusPoll<Seen, Snapshot> {
  #progress: Progress<Snapshot> = { is: 'resting' };
  /** Spaces out the reads of a status that changes often. Undefined until something was read. */
  #pace: Pace | undefined;
  /** The change that was taken last, unless a write has begun since. */
  #latest: Snapshot | undefined;
  /** Ends with the last poll that was begun: two polls at once would have the same activity id. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param watch waits for the first read that differs from what was seen */
  constructor(
    private readonly journey: Journey,
    private readonly watch: (
      seen: Seen,
      pace: Pace | undefined,
    ) => Promise<{ readonly snapshot: Snapshot; readonly isFirst: boolean }>,
  ) {}

  /** Waits for the first read that differs from `seen`. Does nothing when a poll runs already. */
  start(seen: Seen): void {
    if (this.isPolling) return;
    const { journey, watch } = this;
    const scope = new CancellationScope();
    this.#progress = { is: 'polling', scope };
    const before = this.#last;
    // Not once another read has replaced the poll.
    const isCurrent = () => this.#progress.is === 'polling' && this.#progress.scope === scope;
    const read = async () => {
      await before;
      const run = () => watch(seen, this.#pace);
      return runRead(journey, 'read the status', run, { waitsForChange: true });
    };
    this.#last = scope.run(read).then(
      ({ snapshot, isFirst }) => {
        if (!isCurrent()) return;
        this.#pace = paceAfter(this.#pace, isFirst);
        this.#progress = { is: 'changed', snapshot };
      },
      (error: unknown) => {
        if (isCurrent()) this.#progress = { is: 'failed', error };
      },
    );
  }

  /** True while a poll runs, and until its change is taken. */
  get isPolling(): boolean {
    return this.#progress.is !== 'resting';
  }

  get changes(): number {
    return this.#pace?.changes ?? 0;
  }

  /** Takes the read of another step as the change, and cancels the poll. A failed poll stays failed. */
  replaceWith(snapshot: Snapshot): void {
    const before = this.#progress;
    this.#pace = { readAt: Date.now(), changes: this.changes };
    if (before.is !== 'failed') this.#progress = { is: 'changed', snapshot };
    if (before.is === 'polling') before.scope.cancel();
  }

  get latest(): Snapshot | undefined {
    return this.#latest;
  }

  /** Call this before a write: what was read before is no evidence of it. */
  forgetLatest(): void {
    this.#latest = undefined;
  }

  get hasChange(): boolean {
    const progress = this.#progress;
    return progress.is === 'changed' || (progress.is === 'failed' && !isCancellation(progress.error));
  }

  /** Takes the change, or throws why the poll failed. The poll rests until the next {@link start}. */
  takeChange(): Snapshot | undefined {
    const progress = this.#progress;
    if (progress.is === 'failed') throw progress.error;
    if (progress.is !== 'changed') return undefined;
    this.#progress = { is: 'resting' };
    this.#latest = progress.snapshot;
    return progress.snapshot;
  }
}

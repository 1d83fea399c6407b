import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { omitUndefined } from '../../messages/objects.js';
import type { Pace } from '../../messages/onboarding-state.js';
import type { OnboardingRuntime } from './onboarding-runtime.js';
import { runRead } from './run-step.js';
import type { PollState } from './state.js';

/** @param isFirst whether the poll's first read showed a change. The pace counts how many polls in a row ended that way */
export function paceAfter(before: Pace | undefined, isFirst: boolean): Pace {
  return { readAt: Date.now(), changes: isFirst ? (before?.changes ?? 0) + 1 : 1 };
}

type Running =
  | { readonly is: 'resting' }
  | { readonly is: 'polling'; readonly scope: CancellationScope }
  | { readonly is: 'failed'; readonly error: unknown };

// Keeps F6.
/** Polls a status in the background, and holds one change at a time. */
export class StatusPoll<Seen, Snapshot> {
  #running: Running = { is: 'resting' };
  /** Settles when the latest poll ends. Two polls at the same time would share an activity ID. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param watch waits for the first read that differs from `seen` */
  constructor(
    private readonly runtime: OnboardingRuntime,
    private readonly watch: (
      seen: Seen,
      pace: Pace | undefined,
    ) => Promise<{ readonly snapshot: Snapshot; readonly isFirst: boolean }>,
  ) {}

  /** Waits for a read that differs from `seen`. Does nothing if a poll is already running. */
  start(seen: Seen): void {
    if (this.isPolling) return;
    const { runtime, watch } = this;
    const scope = new CancellationScope();
    this.#running = { is: 'polling', scope };
    const before = this.#last;
    // False once {@link replaceWith} has ended this poll.
    const isCurrent = () => this.#running.is === 'polling' && this.#running.scope === scope;
    const read = async () => {
      await before;
      const run = () => watch(seen, this.#polled.pace);
      return runRead(runtime, 'read the status', run, { waitsForChange: true });
    };
    this.#last = scope.run(read).then(
      ({ snapshot, isFirst }) => {
        if (!isCurrent()) return;
        this.#running = { is: 'resting' };
        this.patch({ pace: paceAfter(this.#polled.pace, isFirst), change: snapshot });
      },
      (error: unknown) => {
        if (isCurrent()) this.#running = { is: 'failed', error };
      },
    );
  }

  get #polled(): PollState<Snapshot> {
    return this.runtime.store.state.poll as PollState<Snapshot>;
  }

  patch(change: { readonly [Name in keyof PollState]?: PollState<Snapshot>[Name] | undefined }): void {
    this.runtime.update((state) => ({
      ...state,
      poll: omitUndefined({ ...state.poll, ...change }) as PollState,
    }));
  }

  /** True while a poll runs, and until its change is taken. */
  get isPolling(): boolean {
    return this.#running.is !== 'resting' || this.#polled.change !== undefined;
  }

  get changes(): number {
    return this.#polled.pace?.changes ?? 0;
  }

  /** Cancels the poll, and uses another step's read as its change. A failed poll stays failed. */
  replaceWith(snapshot: Snapshot): void {
    const running = this.#running;
    const isFailed = running.is === 'failed';
    if (!isFailed) this.#running = { is: 'resting' };
    this.patch({
      pace: { readAt: Date.now(), changes: this.changes },
      ...(!isFailed && { change: snapshot }),
    });
    if (running.is === 'polling') running.scope.cancel();
  }

  get latest(): Snapshot | undefined {
    return this.#polled.latest;
  }

  /** Call this before a write, because an earlier read is not evidence of the write. */
  forgetLatest(): void {
    this.patch({ latest: undefined });
  }

  get hasChange(): boolean {
    const running = this.#running;
    const hasFailed = running.is === 'failed' && !isCancellation(running.error);
    return hasFailed || this.#polled.change !== undefined;
  }

  /** Returns and clears the change, or throws the poll's error. Polling stops until the next {@link start}. */
  takeChange(): Snapshot | undefined {
    if (this.#running.is === 'failed') throw this.#running.error;
    const { change } = this.#polled;
    if (change !== undefined) this.patch({ change: undefined, latest: change });
    return change;
  }
}

import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

export interface Task {
  /** At most one task of this name runs at a time. */
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** For a promise that is not awaited: ignores its cancellation. */
export function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}

/** Runs tasks concurrently. `check` throws the first failure. */
export class Tasks {
  readonly #running = new Map<string, CancellationScope>();
  #failure: { readonly error: unknown } | undefined;

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  start(pending: readonly Task[]): void {
    for (const { name, run } of pending) {
      if (this.isRunning(name)) continue;
      const scope = new CancellationScope();
      this.#running.set(name, scope);
      scope.run(run).then(
        () => {
          this.#running.delete(name);
        },
        (error: unknown) => {
          this.#running.delete(name);
          if (!(isCancellation(error) && scope.consideredCancelled)) this.#failure ??= { error };
        },
      );
    }
  }

  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Cancels all tasks and waits until they end. Writes in flight finish, and no new one starts. */
  async stop(): Promise<void> {
    for (const scope of this.#running.values()) scope.cancel();
    if (this.isBusy) await CancellationScope.nonCancellable(() => condition(() => !this.isBusy));
  }
}

/** Runs tasks concurrently until none is pending. After a failure, cancels the others and throws the error. */
export async function runPendingTasks(pending: () => readonly Task[]): Promise<void> {
  const tasks = new Tasks();
  try {
    do {
      tasks.start(pending());
      const canStart = () => pending().some(({ name }) => !tasks.isRunning(name));
      await condition(() => tasks.hasFailed || canStart() || !tasks.isBusy);
      tasks.check();
    } while (tasks.isBusy || pending().length > 0);
  } finally {
    await tasks.stop();
  }
}

/** Returns the result of a wait. If `ended` comes first, cancels the wait and returns undefined. */
export async function runUnlessEnded<T>(
  wait: () => Promise<T>,
  ended: () => boolean,
): Promise<T | undefined> {
  const scope = new CancellationScope();
  try {
    return await scope.run(() => Promise.race([wait(), condition(ended).then(() => undefined)]));
  } finally {
    scope.cancel();
  }
}

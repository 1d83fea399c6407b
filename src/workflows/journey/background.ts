import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

/** Something that goes on beside the story, one at a time. Its failure is kept until the story asks for it. */
export class Background {
  #scope: CancellationScope | undefined;
  #failure: { readonly error: unknown } | undefined;

  get isBusy(): boolean {
    return this.#scope !== undefined;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  start(task: () => Promise<void>): void {
    const scope = new CancellationScope();
    this.#scope = scope;
    scope.run(task).then(
      () => {
        this.#scope = undefined;
      },
      (error: unknown) => {
        this.#scope = undefined;
        if (!(isCancellation(error) && scope.consideredCancelled)) this.#failure = { error };
      },
    );
  }

  /** @throws what the task threw */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Ends the task: it begins nothing more, a write that was sent is seen through. Returns when it has ended. */
  async stop(): Promise<void> {
    this.#scope?.cancel();
    await CancellationScope.nonCancellable(() => condition(() => !this.isBusy));
  }
}

/** Runs tasks side by side. When one fails, the others begin nothing more and are seen to their end, and then it throws. */
export async function inParallel(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const scope = new CancellationScope();
  let failure: { readonly error: unknown } | undefined;
  await scope.run(() =>
    Promise.all(
      tasks.map((task) =>
        task().catch((error: unknown) => {
          failure ??= { error };
          scope.cancel();
        }),
      ),
    ),
  );
  if (failure) throw failure.error;
}

import { condition } from '@temporalio/workflow';

/** Something that goes on beside the story, one at a time. Its failure is kept until the story asks for it. */
export class Background {
  #isBusy = false;
  #failure: { readonly error: unknown } | undefined;

  get isBusy(): boolean {
    return this.#isBusy;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  start(task: () => Promise<void>): void {
    this.#isBusy = true;
    task().then(
      () => {
        this.#isBusy = false;
      },
      (error: unknown) => {
        this.#failure = { error };
      },
    );
  }

  /** Waits until the task has ended, well or not. */
  async settled(): Promise<void> {
    await condition(() => !this.#isBusy || this.hasFailed);
  }

  /** @throws what the task threw */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

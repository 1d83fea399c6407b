import { onTestFinished, vi } from 'vitest';

type Options = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/** Time that only the test moves, until it ends. Default: only the date stands still. */
export function stoppedAt(now: string | number, toFake: Options['toFake'] = ['Date']): void {
  vi.useFakeTimers({ toFake, now: new Date(now) });
  onTestFinished(() => void vi.useRealTimers());
}

import { condition } from '@temporalio/workflow';
import { inParallel } from '../journey/background.js';

/** Something to see to, whenever it is due. */
export interface Duty {
  readonly isDue: () => boolean;
  readonly run: () => Promise<void>;
}

/** Waits until the first duty is due, and sees to all of them side by side until none is. */
export async function seeTo(duties: readonly Duty[]): Promise<void> {
  const busy = new Set<Duty>();
  const isOver = () => busy.size === 0 && !duties.some(({ isDue }) => isDue());
  const whenever = (duty: Duty) => async () => {
    for (;;) {
      await condition(() => duty.isDue() || isOver());
      if (!duty.isDue()) return;
      busy.add(duty);
      await duty.run();
      busy.delete(duty);
    }
  };
  await condition(() => !isOver());
  await inParallel(duties.map(whenever));
}

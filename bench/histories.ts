import type { Onboarding } from '../test/rigs/onboarding.js';
import { type Goal, type Line, line } from './line.js';

/** Counts the events of an onboarding's history by kind. */
export async function eventsOf({ handle }: Pick<Onboarding, 'handle'>): Promise<Record<string, number>> {
  const { events } = await handle.fetchHistory();
  const kinds: Record<string, number> = {};
  for (const event of events ?? []) {
    const attributes = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? 'unknown';
    const kind = attributes.replace('EventAttributes', '');
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** Events and bytes of a history. A busy machine may need more workflow tasks. */
export async function* sizeOf(what: string, onboarding: Onboarding, goal?: Goal): AsyncGenerator<Line> {
  const { historyLength, historySize = 0 } = await onboarding.handle.describe();
  const parts = await eventsOf(onboarding);
  yield line({ what, figure: historyLength, unit: 'events', ...(goal && { goal }), parts });
  yield line({ what, figure: historySize, unit: 'bytes' });
}

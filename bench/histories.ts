import type { Onboarding } from '../test/rigs/onboarding.js';
import { type Goal, type Line, line } from './line.js';

type Counts = Readonly<Record<string, number>>;

export type History = Awaited<ReturnType<Onboarding['handle']['fetchHistory']>>;

/** Counts the events of an onboarding's history by kind. */
export async function eventsOf({ handle }: Pick<Onboarding, 'handle'>): Promise<Counts> {
  return countsOf(await handle.fetchHistory());
}

/** Counts the events of a history by kind. */
export function countsOf({ events }: History): Counts {
  const kinds: Record<string, number> = {};
  for (const event of events ?? []) {
    const attributes = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? 'unknown';
    const kind = attributes.replace('EventAttributes', '');
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** How often each activity that has ended was tried, in all. */
export function attemptsOf({ events }: History): number {
  return sum((events ?? []).map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 0));
}

/** Events and bytes of a history. A busy machine may need more workflow tasks. */
export async function* sizeOf(what: string, onboarding: Onboarding, goal?: Goal): AsyncGenerator<Line> {
  const { historyLength, historySize = 0 } = await onboarding.handle.describe();
  const parts = await eventsOf(onboarding);
  yield line({ what, figure: historyLength, unit: 'events', ...(goal && { goal }), parts });
  yield line({ what, figure: historySize, unit: 'bytes' });
}

/** Events that Temporal Cloud bills as one action each: https://docs.temporal.io/cloud/actions. */
const BILLED: Readonly<Record<string, string>> = {
  workflowExecutionStarted: 'starts',
  timerStarted: 'timers',
  workflowExecutionSignaled: 'signals',
  workflowExecutionUpdateAccepted: 'updates',
  upsertWorkflowSearchAttributes: 'search attribute upserts',
};

/** The billed actions that a history shows, by kind. Heartbeats are billed, too, but are in no history. */
export async function billed({ handle }: Pick<Onboarding, 'handle'>): Promise<Counts> {
  const history = await handle.fetchHistory();
  const kinds = countsOf(history);
  const parts = {
    ...Object.fromEntries(Object.entries(BILLED).map(([kind, name]) => [name, kinds[kind] ?? 0])),
    'activity attempts': attemptsOf(history),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, count]) => count > 0));
}

export async function billedOf(what: string, onboarding: Onboarding): Promise<Line> {
  const parts = await billed(onboarding);
  return line({ what, figure: sum(Object.values(parts)), unit: 'actions', parts });
}

export function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** The events that one history has more than another, by kind. */
export function difference(all: Counts, without: Counts): Counts {
  const kinds = Object.keys({ ...all, ...without });
  const more = kinds.map((kind) => [kind, (all[kind] ?? 0) - (without[kind] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count !== 0));
}

/** The events that one history has more than another. */
export function moreEvents(what: string, all: Counts, without: Counts, goal: Goal): Line {
  const parts = difference(all, without);
  return line({ what, figure: sum(Object.values(parts)), unit: 'events', goal, parts });
}

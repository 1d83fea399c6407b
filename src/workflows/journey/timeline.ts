import { metricMeter, workflowInfo } from '@temporalio/workflow';
import { COUNTERS, type TimelineEvent } from '../../messages/codes.js';
import { systemOf } from '../../messages/ids.js';
import type { TimelineEntry } from '../../messages/onboarding-state.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { accountName } from './activity-proxies.js';

/** The events of a workflow in order, with their actors. Holds a short form of each answer, never a secret. */
export class Timeline {
  readonly #entries: TimelineEntry[];

  constructor(entries: readonly TimelineEntry[] = []) {
    this.#entries = [...entries];
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** @param labels of the counter of the event, where it has one */
  add(
    event: TimelineEvent,
    { detail, ...who }: Omit<TimelineEntry, 'at' | 'event'> = {},
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const about = detail === undefined ? {} : { detail: shortened(detail, LONGEST.text) };
    this.#entries.push({ at: new Date().toISOString(), event, ...about, ...who });
    if (!isCounted(event)) return;
    const [name, help] = COUNTERS[event];
    // Not in a replay. The label '' stands for no partner, or the account without a name.
    metricMeter.createCounter(name, undefined, help).add(1, {
      system: systemOf(workflowInfo().workflowId),
      account: accountName() ?? '',
      ...labels,
    });
  }
}

function isCounted(event: TimelineEvent): event is keyof typeof COUNTERS {
  return event in COUNTERS;
}

import { metricMeter } from '@temporalio/workflow';
import { COUNTERS } from '../../messages/counters.js';

/** Counts something that happens now; what happens again in a replay has been counted. The type of the workflow is told beside `tags`. */
export function count(what: keyof typeof COUNTERS, tags: Readonly<Record<string, string>> = {}): void {
  const [name, help] = COUNTERS[what];
  metricMeter.createCounter(name, undefined, help).add(1, tags);
}

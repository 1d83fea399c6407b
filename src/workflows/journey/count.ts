import { metricMeter, workflowInfo } from '@temporalio/workflow';
import { systemOf } from '../../messages/ids.js';
import { COUNTERS } from '../../messages/search-attributes.js';
import { partnerAccount } from './partner-account.js';

/**
 * Counts something that happens now; what happens again in a replay has been counted. The type of the workflow is counted
 * beside `tags`, and so are the partner that it works with, as `system`, and our `account` there; '' stands for none.
 */
export function count(what: keyof typeof COUNTERS, tags: Readonly<Record<string, string>> = {}): void {
  const [name, help] = COUNTERS[what];
  metricMeter.createCounter(name, undefined, help).add(1, {
    system: systemOf(workflowInfo().workflowId),
    account: partnerAccount() ?? '',
    ...tags,
  });
}

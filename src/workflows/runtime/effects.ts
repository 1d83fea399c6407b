import { metricMeter, proxySinks, uuid4, workflowInfo } from '@temporalio/workflow';
import { COUNTERS } from '../../messages/codes.js';
import { partsOfId, systemOf } from '../../messages/ids.js';
import { ONBOARDINGS, type WorkflowType } from '../../messages/kinds.js';
import { omitUndefined } from '../../messages/objects.js';
import type {
  About,
  OutboundEvent,
  OutboundEventData,
  OutboundEventSinks,
  OutboundEventType,
} from '../../messages/outbound-events.js';
import { accountName } from './activity-proxies.js';
import type { Count, OutboundEventsState } from './state.js';
import type { Effects } from './store.js';

const { outbound } = proxySinks<OutboundEventSinks>();

export const EFFECTS: Effects = { count, publish, random: uuid4 };

/** Not in a replay. The label '' stands for no partner, or the account without a name. */
function count({ count: event, labels }: Count): void {
  const [name, help] = COUNTERS[event];
  metricMeter.createCounter(name, undefined, help).add(1, {
    system: systemOf(workflowInfo().workflowId),
    account: accountName() ?? '',
    ...labels,
  });
}

/**
 * Publishes the events that wait. Deliveries begin before the worker reports the workflow task, which publishes again if it is lost.
 *
 * @returns the state without them
 */
function publish({ pending, ...before }: OutboundEventsState): OutboundEventsState {
  const { workflowId, namespace } = workflowInfo();
  const events = pending.map(
    ({ id, sequence, type, time, data }): OutboundEvent => ({
      ...{ specversion: '1.0', id, source: `/gangway/${namespace}`, type, subject: workflowId, time },
      sequence: String(sequence).padStart(8, '0'),
      datacontenttype: 'application/json',
      data: { ...about(), ...data } as unknown as OutboundEventData[OutboundEventType],
    }),
  );
  if (events.length > 0) outbound.publish(events);
  return { ...before, pending: [] };
}

function about(): About {
  const { workflowId, workflowType } = workflowInfo();
  const externalId = workflowType in ONBOARDINGS ? partsOfId(workflowId)?.key : undefined;
  return { workflowId, workflowType: workflowType as WorkflowType, ...omitUndefined({ externalId }) };
}

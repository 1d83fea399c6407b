import { metricMeter, proxySinks, uuid4, workflowInfo } from '@temporalio/workflow';
import { COUNTERS } from '../../messages/codes.js';
import { partsOfId, systemOf } from '../../messages/ids.js';
import { ONBOARDINGS, type WorkflowType } from '../../messages/kinds.js';
import { defined } from '../../messages/objects.js';
import type {
  About,
  OutboundEvent,
  OutboundEventData,
  OutboundEventSinks,
  OutboundEventType,
} from '../../messages/outbound-events.js';
import { accountName } from './activity-proxies.js';
import type { Commands } from './cell.js';
import { fingerprint } from './outbound-events.js';
import type { Count, OutboundEventsState } from './state.js';

const { outbound } = proxySinks<OutboundEventSinks>();

export const COMMANDS: Commands = { count, publish };

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
  const { workflowId, namespace, firstExecutionRunId } = workflowInfo();
  let { sequence, last } = before;
  const events = pending.map(({ type, time, data }): OutboundEvent => {
    sequence += 1;
    last = `${firstExecutionRunId}.${sequence}.${fingerprint([uuid4(), last, type, data])}`;
    return {
      specversion: '1.0',
      // After a reset, sequences repeat. Up to the reset point, random numbers repeat as well: the same event has the same id.
      // Later numbers differ: a new event has an id that no receiver has seen. A task that is tried again, because its worker
      // died or because a cancellation came, may publish something else with the same number. The events that follow then have new IDs as well.
      id: last,
      source: `/gangway/${namespace}`,
      type,
      subject: workflowId,
      time,
      sequence: String(sequence).padStart(8, '0'),
      datacontenttype: 'application/json',
      data: { ...about(), ...data } as unknown as OutboundEventData[OutboundEventType],
    };
  });
  if (events.length > 0) outbound.publish(events);
  return { ...before, sequence, last, pending: [] };
}

function about(): About {
  const { workflowId, workflowType } = workflowInfo();
  const externalId = workflowType in ONBOARDINGS ? partsOfId(workflowId)?.key : undefined;
  return { workflowId, workflowType: workflowType as WorkflowType, ...defined({ externalId }) };
}

import { omitUndefined } from '../../messages/objects.js';
import type { OutcomeName } from '../../messages/onboarding-state.js';
import type {
  About,
  OutboundEventData,
  OutboundEventType,
  RequirementEvent,
} from '../../messages/outbound-events.js';
import type { Requirement } from '../../messages/requirements.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { compose, type Transition } from './state.js';

/**
 * Adds an event. Its ID is the same in every replay, and unique to the event. After a reset, sequence numbers repeat, but random
 * numbers repeat only up to the reset point. If a retried workflow task publishes a different event under the same sequence number,
 * the fingerprint changes the IDs of that event and all later ones.
 */
const addEvent =
  <Type extends OutboundEventType>(
    type: Type,
    data: Omit<OutboundEventData[Type], keyof About>,
  ): Transition =>
  (state, { now, random, firstRunId }) => {
    const { events } = state;
    const sequence = events.sequence + 1;
    const id = `${firstRunId}.${sequence}.${fingerprint([random(), events.last, type, data])}`;
    const event = { id, sequence, type, time: new Date(now).toISOString(), data };
    return { ...state, events: { ...events, sequence, last: id, pending: [...events.pending, event] } };
  };

export const publishPending: Transition = (state) => ({
  ...state,
  effects: [...state.effects, { publish: 'events' }],
});

/** Adds a stage event if the stage has changed. */
export const stageEvent: Transition = (state, context) => {
  const { stage, partnerStatus } = state.facts;
  if (stage === state.events.stage || !(context.workflowType in ONBOARDINGS)) return state;
  const noted = { ...state, events: { ...state.events, stage } };
  return addEvent('onboarding.stage.changed.v1', { stage, partnerStatus })(noted, context);
};

export const requirementEvent = <Type extends OutboundEventType & `requirement.${string}`>(
  type: Type,
  { id: requirementId, kind, raisedAt, dueAt }: Requirement,
  more: Omit<OutboundEventData[Type], keyof RequirementEvent>,
): Transition =>
  compose(
    addEvent<Type>(type, { requirementId, kind, raisedAt, dueAt, ...more } as Omit<
      OutboundEventData[Type],
      keyof About
    >),
    publishPending,
  );

export const endEvent =
  (outcome: OutcomeName | 'cancelled'): Transition =>
  (state, context) => {
    if (!(context.workflowType in ONBOARDINGS)) return state;
    const { merchantProfileId, profileId, mid } = state.facts;
    const ids = omitUndefined({ merchantProfileId, profileId, mid });
    return compose(addEvent('onboarding.completed.v1', { outcome, ...ids }), publishPending)(state, context);
  };

/** 8 hexadecimal digits (FNV-1a of the value as JSON). */
export function fingerprint(value: unknown): string {
  let hash = 0x811c9dc5;
  for (const sign of JSON.stringify(value)) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

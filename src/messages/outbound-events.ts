import type { Sinks } from '@temporalio/workflow';
import type { OutcomeName, Stage } from './onboarding-state.js';
import type { RequirementKind } from './requirements.js';
import type { WorkflowType } from './workflow-types.js';

/** The workflow that an event is about. */
export interface About {
  readonly workflowId: string;
  readonly workflowType: WorkflowType;
  /** The caller's own key of an onboarding. */
  readonly externalId?: string;
}

/** An onboarding has entered another stage. */
export interface StageChanged extends About {
  readonly stage: Stage;
  /** The partner's own name of the status last read; null before the first read. */
  readonly partnerStatus: string | null;
}

/** Names a requirement. Query `state` returns what it asks. */
export interface RequirementEvent extends About {
  readonly requirementId: string;
  readonly kind: RequirementKind;
  /** ISO 8601. */
  readonly raisedAt: string;
  readonly dueAt: string;
}

/** A colleague has assigned a requirement. */
export interface RequirementAssigned extends RequirementEvent {
  /** The ID of the person who has it now, as at the identity provider: `ada-17`. */
  readonly assignee: string;
  /** ISO 8601. */
  readonly until: string;
}

/** A link was made for the merchant. The event does not have its address, which holds a secret. */
export interface LinkCreated extends RequirementEvent {
  readonly link: string;
  /** ISO 8601. */
  readonly until: string;
}

/** An onboarding has ended. */
export interface Completed extends About {
  readonly outcome: OutcomeName | 'cancelled';
  readonly merchantProfileId?: number;
  /** The banking profile. */
  readonly profileId?: number;
  readonly mid?: string;
}

/** The data of an event, by CloudEvents type. */
export interface OutboundEventData {
  readonly 'onboarding.stage.changed.v1': StageChanged;
  readonly 'requirement.raised.v1': RequirementEvent;
  readonly 'requirement.overdue.v1': RequirementEvent;
  readonly 'requirement.unclaimed.v1': RequirementEvent;
  readonly 'requirement.assigned.v1': RequirementAssigned;
  readonly 'requirement.link.created.v1': LinkCreated;
  readonly 'onboarding.completed.v1': Completed;
}

/** The CloudEvents types of outbound events. */
export type OutboundEventType = keyof OutboundEventData;

/**
 * An event for other systems: a CloudEvent 1.0 in its JSON format. It holds IDs and states only; a receiver that needs more
 * queries the state. Each delivery of an event has the same `id`. An event after a reset of its workflow is a new one, although
 * its `sequence` may repeat.
 */
export interface OutboundEvent<Type extends OutboundEventType = OutboundEventType> {
  readonly specversion: '1.0';
  /** `<first run>.<sequence>.<fingerprint>`; compare it as a whole. */
  readonly id: string;
  /** `/gangway/<namespace>`. */
  readonly source: string;
  readonly type: Type;
  /** The workflow ID. */
  readonly subject: string;
  /** ISO 8601. */
  readonly time: string;
  /** Grows with each event of a subject, because a later event may arrive first (CloudEvents extension). */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly data: OutboundEventData[Type];
}

/** The delivery of one event to one receiver. */
export interface Delivery {
  readonly event: OutboundEvent;
  /** One of the worker's `EVENTS_URLS`, by its ID, because the URL may hold a secret. */
  readonly destination: string;
}

/** The sinks through which the worker publishes for workflows. */
export interface OutboundEventSinks extends Sinks {
  readonly outbound: {
    /** Starts the delivery of events to every destination. Does nothing without destinations. */
    publish(events: readonly OutboundEvent[]): void;
  };
}

export interface OutboundEventActivities {
  /**
   * Sends one event. The server retries for three days.
   *
   * @returns the HTTP status of the response
   * @throws ApplicationFailure `NotDelivered` when the receiver did not accept it; `Undeliverable`, not retryable, when it never
   *   will: 410, a destination that is no longer in the settings, or a forbidden address
   */
  deliverEvent(delivery: Delivery): Promise<{ readonly status: number }>;
}

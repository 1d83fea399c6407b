import type { WorkflowType } from './ids.js';
import type { OutcomeName, Stage } from './onboarding-state.js';
import type { RequirementKind } from './requirements.js';

/** Whose news it is. */
export interface About {
  readonly workflowId: string;
  readonly workflowType: WorkflowType;
  /** Of an onboarding, the caller's own key. */
  readonly externalId?: string;
}

/** An onboarding has entered another stage. */
export interface StageChanged extends About {
  readonly stage: Stage;
  /** The partner's own name of the status last read; null before the first read. */
  readonly partnerStatus: string | null;
}

/** What must be done is told by query `state`; here is only that something must. */
export interface RequirementEvent extends About {
  readonly requirementId: string;
  readonly kind: RequirementKind;
  /** ISO 8601. */
  readonly raisedAt: string;
  readonly dueAt: string;
}

/** An onboarding has ended. */
export interface Completed extends About {
  readonly outcome: OutcomeName | 'cancelled';
  readonly merchantProfileId?: number;
  /** The banking profile. */
  readonly profileId?: number;
  readonly mid?: string;
}

/** What happened, by CloudEvents type. */
export interface OutboundEventData {
  readonly 'onboarding.stage.changed.v1': StageChanged;
  readonly 'requirement.raised.v1': RequirementEvent;
  readonly 'requirement.overdue.v1': RequirementEvent;
  readonly 'onboarding.completed.v1': Completed;
}

/** The CloudEvents types of outbound events. */
export type OutboundEventType = keyof OutboundEventData;

/**
 * News for others: a CloudEvent 1.0 in its JSON format. It is thin, with ids and states alone; whoever wants to know more
 * asks for the state. The same event always has the same `id`, however often it is sent. What happens after a reset of its
 * workflow is a new event, although its `sequence` may repeat.
 */
export interface OutboundEvent<Type extends OutboundEventType = OutboundEventType> {
  readonly specversion: '1.0';
  /** `<first run>.<sequence>.<random>`; compare it as a whole. */
  readonly id: string;
  /** `/gangway/<namespace>`. */
  readonly source: string;
  readonly type: Type;
  /** The workflow id. */
  readonly subject: string;
  /** ISO 8601. */
  readonly time: string;
  /** Grows with each event of a subject, for events may overtake each other (CloudEvents extension). */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly data: OutboundEventData[Type];
}

/** One event on its way to one receiver. */
export interface Delivery {
  readonly news: OutboundEvent;
  /** Which of the worker's `EVENTS_URLS`: its id, for the URL may hold a secret. */
  readonly destination: string;
}

export interface OutboundEventActivities {
  /** Starts the delivery of events to every destination. Does nothing where there is none. */
  announce(news: readonly OutboundEvent[]): Promise<void>;
  /**
   * Sends one event once; its retries go on for three days.
   *
   * @returns the HTTP status that the receiver answered
   * @throws ApplicationFailure `NotDelivered` when the receiver did not take it; `Undeliverable`, not to be retried, when
   *   it never will: 410, a destination that is no longer in the settings, or an address that may not be called
   */
  deliverEvent(delivery: Delivery): Promise<{ readonly status: number }>;
}

import { proxySinks, uuid4, workflowInfo } from '@temporalio/workflow';
import { ONBOARDINGS, partsOfId, type WorkflowType } from '../../messages/ids.js';
import { defined } from '../../messages/objects.js';
import type { OnboardingState, OutcomeName, Stage } from '../../messages/onboarding-state.js';
import type {
  About,
  OutboundEvent,
  OutboundEventData,
  OutboundEventSinks,
  OutboundEventType,
} from '../../messages/outbound-events.js';
import type { Requirement } from '../../messages/requirements.js';

const { outbound } = proxySinks<OutboundEventSinks>();

export interface OutboundEventRecords {
  readonly sequence: number;
  readonly stage: Stage | undefined;
  /** Events that wait for the next {@link OutboundEvents.send}. */
  readonly pending: readonly OutboundEvent[];
}

/**
 * Publishes outbound events. Deliveries begin before the worker reports the workflow task, which publishes again if it is lost.
 */
export class OutboundEvents {
  readonly #about = about();
  #sequence: number;
  #stage: Stage | undefined;
  #last = '';
  #pending: OutboundEvent[];

  constructor(records?: OutboundEventRecords) {
    this.#sequence = records?.sequence ?? 0;
    this.#stage = records?.stage;
    this.#pending = [...(records?.pending ?? [])];
  }

  get records(): OutboundEventRecords {
    return { sequence: this.#sequence, stage: this.#stage, pending: this.#pending };
  }

  /** Records the stage of an onboarding, if it has changed. The next {@link send} publishes it. */
  noteStage({ stage, partnerStatus }: Pick<OnboardingState, 'stage' | 'partnerStatus'>): void {
    if (stage === this.#stage || !this.#isOnboarding) return;
    this.#stage = stage;
    this.#add('onboarding.stage.changed.v1', { stage, partnerStatus });
  }

  requirement(
    type: `requirement.${'raised' | 'overdue' | 'unclaimed'}.v1`,
    { id: requirementId, kind, raisedAt, dueAt }: Requirement,
  ): void {
    this.#add(type, { requirementId, kind, raisedAt, dueAt });
    this.send();
  }

  ended(
    outcome: OutcomeName | 'cancelled',
    { merchantProfileId, profileId, mid }: Pick<OnboardingState, 'merchantProfileId' | 'profileId' | 'mid'>,
  ): void {
    if (!this.#isOnboarding) return;
    this.#add('onboarding.completed.v1', { outcome, ...defined({ merchantProfileId, profileId, mid }) });
    this.send();
  }

  send(): void {
    if (this.#pending.length > 0) outbound.publish(this.#pending);
    this.#pending = [];
  }

  get #isOnboarding(): boolean {
    return this.#about.workflowType in ONBOARDINGS;
  }

  #add<Type extends OutboundEventType>(type: Type, data: Omit<OutboundEventData[Type], keyof About>): void {
    this.#sequence += 1;
    const { workflowId, namespace, firstExecutionRunId } = workflowInfo();
    const mark = fingerprint([uuid4(), this.#last, type, data]);
    this.#last = `${firstExecutionRunId}.${this.#sequence}.${mark}`;
    this.#pending.push({
      specversion: '1.0',
      // After a reset, sequences repeat. Up to the reset point, random numbers repeat as well: the same event has the same id.
      // Later numbers differ: a new event has an id that no receiver has seen. A task that is tried again, because its worker
      // died or because a cancellation came, may publish something else with the same number. The events that follow then have new IDs as well.
      id: this.#last,
      source: `/gangway/${namespace}`,
      type,
      subject: workflowId,
      time: new Date().toISOString(),
      sequence: String(this.#sequence).padStart(8, '0'),
      datacontenttype: 'application/json',
      data: { ...this.#about, ...data } as unknown as OutboundEventData[Type],
    });
  }
}

/** 8 hexadecimal digits (FNV-1a of the value as JSON). */
export function fingerprint(value: unknown): string {
  let hash = 0x811c9dc5;
  for (const sign of JSON.stringify(value)) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function about(): About {
  const { workflowId, workflowType } = workflowInfo();
  const externalId = workflowType in ONBOARDINGS ? partsOfId(workflowId)?.key : undefined;
  return { workflowId, workflowType: workflowType as WorkflowType, ...defined({ externalId }) };
}

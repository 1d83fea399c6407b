import {
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyLocalActivities,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { ONBOARDINGS, partsOfId, type WorkflowType } from '../../messages/ids.js';
import { defined } from '../../messages/objects.js';
import type { OnboardingState, OutcomeName, Stage } from '../../messages/onboarding-state.js';
import type {
  About,
  OutboundEvent,
  OutboundEventActivities,
  OutboundEventData,
  OutboundEventType,
} from '../../messages/outbound-events.js';
import type { Requirement } from '../../messages/requirements.js';

/** It only starts the deliveries. One event of history, where an activity from a task queue takes six. */
const { publishEvents } = proxyLocalActivities<OutboundEventActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', maximumInterval: '30s' },
  summary: 'Tell others',
});

/** What an announcer hands to the next run of the same workflow. */
export interface AnnouncerRecords {
  readonly sequence: number;
  readonly stage: Stage | undefined;
  /** Events whose delivery may not have begun. */
  readonly untold: readonly OutboundEvent[];
}

/**
 * Tells others what happens, in events that are delivered however long that takes, also when the workflow has ended by
 * then. Nobody waits for it.
 */
export class Announcer {
  readonly #about: About;
  #sequence: number;
  #stage: Stage | undefined;
  #untold: OutboundEvent[];
  #isBusy = false;

  constructor(records?: AnnouncerRecords) {
    this.#about = about();
    this.#sequence = records?.sequence ?? 0;
    this.#stage = records?.stage;
    this.#untold = [...(records?.untold ?? [])];
    this.#tell();
  }

  get records(): AnnouncerRecords {
    return { sequence: this.#sequence, stage: this.#stage, untold: this.#untold };
  }

  stage({ stage, partnerStatus }: Pick<OnboardingState, 'stage' | 'partnerStatus'>): void {
    if (stage === this.#stage || !this.#isOnboarding) return;
    this.#stage = stage;
    this.#add('onboarding.stage.changed.v1', { stage, partnerStatus });
  }

  requirement(
    type: 'requirement.raised.v1' | 'requirement.overdue.v1',
    { id: requirementId, kind, raisedAt, dueAt }: Requirement,
  ): void {
    this.#add(type, { requirementId, kind, raisedAt, dueAt });
  }

  ended(
    outcome: OutcomeName | 'cancelled',
    { merchantProfileId, profileId, mid }: Pick<OnboardingState, 'merchantProfileId' | 'profileId' | 'mid'>,
  ): void {
    if (!this.#isOnboarding) return;
    this.#add('onboarding.completed.v1', { outcome, ...defined({ merchantProfileId, profileId, mid }) });
  }

  /** Waits until every delivery has begun. */
  async settled(): Promise<void> {
    await condition(() => !this.#isBusy);
  }

  get #isOnboarding(): boolean {
    return this.#about.workflowType in ONBOARDINGS;
  }

  #add<Type extends OutboundEventType>(type: Type, data: Omit<OutboundEventData[Type], keyof About>): void {
    this.#sequence += 1;
    const { workflowId, namespace, firstExecutionRunId } = workflowInfo();
    this.#untold.push({
      specversion: '1.0',
      // A reset repeats sequences. The random numbers of a replay are those of the run that was reset, up to that point,
      // and others after it; so what is published again keeps its id, and what is new gets one that nobody has seen.
      id: `${firstExecutionRunId}.${this.#sequence}.${uuid4().slice(0, 8)}`,
      source: `/gangway/${namespace}`,
      type,
      subject: workflowId,
      time: new Date().toISOString(),
      sequence: String(this.#sequence).padStart(8, '0'),
      datacontenttype: 'application/json',
      data: { ...this.#about, ...data } as unknown as OutboundEventData[Type],
    });
    this.#tell();
  }

  #tell(): void {
    if (this.#isBusy || this.#untold.length === 0) return;
    this.#isBusy = true;
    // A workflow that was cancelled has something to tell as well.
    CancellationScope.nonCancellable(() => this.#tellAll())
      .catch((error: unknown) => {
        if (!isCancellation(error)) log.error('events were lost, for their delivery cannot begin', { error });
        this.#untold = [];
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #tellAll(): Promise<void> {
    // What happens in the same breath goes out together.
    await Promise.resolve();
    while (this.#untold.length > 0) {
      const told = this.#untold.length;
      await publishEvents(this.#untold);
      this.#untold = this.#untold.slice(told);
    }
  }
}

function about(): About {
  const { workflowId, workflowType: type } = workflowInfo();
  const workflowType = type as WorkflowType;
  if (!(type in ONBOARDINGS)) return { workflowId, workflowType };
  return { workflowId, workflowType, ...defined({ externalId: partsOfId(workflowId)?.key }) };
}

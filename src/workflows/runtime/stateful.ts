import { metricMeter, proxySinks, uuid4, workflowInfo } from '@temporalio/workflow';
import { COUNTERS } from '../../messages/codes.js';
import { partsOfId, systemOf } from '../../messages/ids.js';
import { omitUndefined } from '../../messages/objects.js';
import type {
  About,
  OutboundEvent,
  OutboundEventData,
  OutboundEventSinks,
  OutboundEventType,
} from '../../messages/outbound-events.js';
import type { Resolved } from '../../messages/requirements.js';
import { STARTER_MEMO } from '../../messages/search-attributes.js';
import { ONBOARDINGS, type WorkflowType } from '../../messages/workflow-types.js';
import { currentAccount } from './activity-proxies.js';
import {
  compose,
  type Effects,
  initialState,
  type MetricIncrement,
  type OutboundEventsState,
  recordEvent,
  type State,
  Store,
  setPartnerState,
  type Transition,
} from './state.js';

/** The state that continue-as-new passes to the next run, without the input. */
export type CarriedState<PartnerState> = Omit<State<PartnerState>, 'input'>;

export interface StatefulOptions<PartnerState, Input extends object> {
  readonly input: Input & Resolved;
  /** The initial partner state. */
  readonly partnerState: PartnerState;
  /** Absent in the first run. */
  readonly carriedState?: CarriedState<PartnerState> | undefined;
  /** The time that a person has to answer, in milliseconds. */
  readonly dueInMs: number;
  /** The prefix of each numbered requirement ID. */
  readonly idPrefix?: string;
}

/** A workflow with a state, which is new or comes from the previous run. */
export class StatefulWorkflow<PartnerState, Input extends object> {
  readonly store: Store<PartnerState, Input>;
  readonly isContinued: boolean;

  constructor({
    input,
    partnerState,
    carriedState,
    dueInMs,
    idPrefix = '',
  }: StatefulOptions<PartnerState, Input>) {
    const { workflowType, firstExecutionRunId: firstRunId } = workflowInfo();
    const state = carriedState
      ? { ...carriedState, input: { current: input, base: input } }
      : initialState(workflowType, input, partnerState);
    const { fourEyes = [] } = input;
    this.store = new Store(state, { workflowType, firstRunId, dueInMs, idPrefix, fourEyes }, EFFECTS);
    this.isContinued = carriedState !== undefined;
    if (!carriedState) this.record('started', starter());
  }

  get partnerState(): PartnerState {
    return this.store.state.partnerState;
  }

  patchState(change: Partial<PartnerState>): void {
    this.update(setPartnerState({ ...this.partnerState, ...change }));
  }

  /** Adds an event to the timeline: see {@link recordEvent}. */
  readonly record = (...event: Parameters<typeof recordEvent>): void => this.update(recordEvent(...event));

  update(...transitions: readonly Transition[]): void {
    this.store.update(compose(...transitions));
  }

  /**
   * The state for the next run. Leaves out the input, which is a separate argument, and the last read, which would be too old as
   * evidence.
   */
  get carriedState(): CarriedState<PartnerState> {
    const { input: _, ...carriedState } = this.store.state;
    return { ...carriedState, poll: omitUndefined({ pace: carriedState.poll.pace }) };
  }
}

function starter(): { readonly actor?: string } {
  const actor = workflowInfo().memo?.[STARTER_MEMO];
  return typeof actor === 'string' ? { actor } : {};
}

const { outbound } = proxySinks<OutboundEventSinks>();

const EFFECTS: Effects = { count, publish, random: uuid4 };

/** Counts an event, except in a replay. The label '' means no partner, or the unnamed account. */
function count({ count: event, labels }: MetricIncrement): void {
  const [name, help] = COUNTERS[event];
  metricMeter.createCounter(name, undefined, help).add(1, {
    system: systemOf(workflowInfo().workflowId),
    account: currentAccount() ?? '',
    ...labels,
  });
}

/**
 * Publishes pending events. Deliveries start before the worker reports the workflow task. If the report is lost, the retried task
 * publishes them again.
 *
 * @returns the state without pending events
 */
function publish({ pending, ...before }: OutboundEventsState): OutboundEventsState {
  const { workflowId, namespace } = workflowInfo();
  const events = pending.map(
    ({ id, sequence, type, time, data }): OutboundEvent => ({
      specversion: '1.0',
      id,
      source: `/gangway/${namespace}`,
      type,
      subject: workflowId,
      time,
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

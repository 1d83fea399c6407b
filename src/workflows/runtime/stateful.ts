import { workflowInfo } from '@temporalio/workflow';
import { omitUndefined } from '../../messages/objects.js';
import type { Resolved } from '../../messages/requirements.js';
import { EFFECTS } from './effects.js';
import { compose, initialState, recordEvent, type State, setPartnerState, type Transition } from './state.js';
import { Store } from './store.js';

/** What a run takes over from the previous one, besides the input, which is the argument of the workflow. */
export type CarriedState<PartnerState> = Omit<State<PartnerState>, 'input'>;

export interface StatefulOptions<PartnerState, Input extends object> {
  readonly input: Input & Resolved;
  /** What the workflow knows of its partner at its start. */
  readonly partnerState: PartnerState;
  /** Absent in the first run. */
  readonly carriedState?: CarriedState<PartnerState> | undefined;
  /** Milliseconds that a person has to answer. */
  readonly dueInMs: number;
  /** Stands before each numbered id of a requirement. */
  readonly idPrefix?: string;
}

/** A workflow with its state, from its beginning or from the run before. */
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
    if (!carriedState) this.record('started');
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

  /** What the next run takes over: all but the input, which it gets as such, and the last read, which is no evidence there. */
  get carriedState(): CarriedState<PartnerState> {
    const { input: _, ...carriedState } = this.store.state;
    return { ...carriedState, poll: omitUndefined({ pace: carriedState.poll.pace }) };
  }
}

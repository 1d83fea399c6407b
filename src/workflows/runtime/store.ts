import type { Context, Count, OutboundEventsState, State, Transition } from './state.js';

/** Runs the effects of transitions, and gives them random texts. */
export interface Effects {
  random(): string;
  count(counted: Count): void;
  /** @returns the state of the events once those that wait are published */
  publish(events: OutboundEventsState): OutboundEventsState;
}

/** The one place of a workflow that changes: it holds the state. */
export class Store<PartnerState = unknown, Input extends object = object> {
  #state: State<PartnerState, Input>;

  constructor(
    state: State<PartnerState, Input>,
    private readonly constants: Omit<Context, 'now' | 'random'>,
    private readonly effects: Effects,
  ) {
    this.#state = state;
  }

  get state(): State<PartnerState, Input> {
    return this.#state;
  }

  /** Replaces the state, and does what that calls for. */
  update(transition: Transition): void {
    const context = { ...this.constants, now: Date.now(), random: this.effects.random() };
    const { effects, ...state } = transition(this.#state, context);
    this.#state = { ...state, effects: [] };
    for (const effect of effects)
      if ('count' in effect) this.effects.count(effect);
      else this.#state = { ...this.#state, events: this.effects.publish(this.#state.events) };
  }
}

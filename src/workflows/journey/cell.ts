import type { Context, Count, OutboundEventsState, State, Transition } from './state.js';

/** What a transition may call for, and what it takes its chances from. */
export interface Commands {
  random(): string;
  count(counted: Count): void;
  /** @returns the state of the events once those that wait are published */
  publish(events: OutboundEventsState): OutboundEventsState;
}

/** The one place of a workflow that changes: it holds the state. */
export class Cell<Memory = unknown, Input extends object = object> {
  #state: State<Memory, Input>;

  constructor(
    state: State<Memory, Input>,
    private readonly constants: Omit<Context, 'now' | 'random'>,
    private readonly commands: Commands,
  ) {
    this.#state = state;
  }

  get state(): State<Memory, Input> {
    return this.#state;
  }

  /** Replaces the state, and does what that calls for. */
  update(transition: Transition): void {
    const context = { ...this.constants, now: Date.now(), random: this.commands.random() };
    const { commands, ...state } = transition(this.#state, context);
    this.#state = { ...state, commands: [] };
    for (const command of commands)
      if ('count' in command) this.commands.count(command);
      else this.#state = { ...this.#state, events: this.commands.publish(this.#state.events) };
  }
}

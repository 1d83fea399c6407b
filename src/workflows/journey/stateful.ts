import { workflowInfo } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { Resolved } from '../../messages/requirements.js';
import { Cell } from './cell.js';
import { COMMANDS } from './commands.js';
import { all, initialState, recorded, type State, type Transition, withMemory } from './state.js';

/** What a run takes over from the run before. Its input comes as that of the workflow. */
export type Carried<Memory> = Omit<State<Memory>, 'input'>;

export interface Beginning<Memory, Input extends object> {
  readonly input: Input & Resolved;
  /** What the workflow knows of its partner at its start. */
  readonly memory: Memory;
  /** Absent in the first run. */
  readonly carried?: Carried<Memory> | undefined;
  /** Milliseconds that a person has to answer. */
  readonly dueInMs: number;
  /** Stands before each numbered id of a requirement. */
  readonly idPrefix?: string;
}

/** A workflow with its state, from its beginning or from the run before. */
export class Stateful<Memory, Input extends object> {
  readonly cell: Cell<Memory, Input>;
  readonly isContinued: boolean;

  constructor({ input, memory, carried, dueInMs, idPrefix = '' }: Beginning<Memory, Input>) {
    const { workflowType, firstExecutionRunId: firstRunId } = workflowInfo();
    const state = carried
      ? { ...carried, input: { current: input, kept: input } }
      : initialState(workflowType, input, memory);
    const { fourEyes = [] } = input;
    this.cell = new Cell(state, { workflowType, firstRunId, dueInMs, idPrefix, fourEyes }, COMMANDS);
    this.isContinued = carried !== undefined;
    if (!carried) this.update(recorded('started'));
  }

  get memory(): Memory {
    return this.cell.state.memory;
  }

  remember(change: Partial<Memory>): void {
    this.update(withMemory({ ...this.memory, ...change }));
  }

  update(...transitions: readonly Transition[]): void {
    this.cell.update(all(...transitions));
  }

  /** What the next run takes over: all but the input, which it gets as such, and the last read, which is no evidence there. */
  get carried(): Carried<Memory> {
    const { input: _, ...carried } = this.cell.state;
    return { ...carried, poll: defined({ pace: carried.poll.pace }) };
  }
}

import type { Payload } from '@temporalio/common';
import { msNumberToTs } from '@temporalio/common/lib/time.js';
import type { Activation, Commands, Failure, Init, Job } from '../runtime.js';
import type { World } from '../world.js';

/** What a run of a workflow begins with, the tasks that it takes, and the events of its history. */

export type Payloads = Readonly<Record<string, Payload>>;

/** A workflow to start. */
export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: Payload[];
  readonly memo: Payloads | undefined;
  readonly searchAttributes: Payloads | undefined;
  readonly headers: Payloads | undefined;
  /** Its start delay exceeds its timeout, so it never runs. */
  readonly neverRuns?: boolean;
  readonly parent?: { readonly run: Kin; readonly seq: number };
  /** The run before this one, which continued as new. */
  readonly before?: Kin;
}

/** As in queries and in the names of events. */
export const STATUSES = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELED: 'Canceled',
  TERMINATED: 'Terminated',
  CONTINUED_AS_NEW: 'ContinuedAsNew',
} as const;

export type Status = keyof typeof STATUSES;

/** What events have of it. */
export const startedAs = ({ type, taskQueue, args, memo, searchAttributes }: Start) => ({
  workflowType: { name: type },
  taskQueue: { name: taskQueue },
  input: { payloads: args },
  memo: { fields: memo },
  searchAttributes: { indexedFields: searchAttributes },
});

/** How a run ended. */
export interface Closed {
  readonly status: Exclude<Status, 'RUNNING'>;
  readonly result?: Payload;
  readonly failure?: Failure;
}

/** What a run knows of its parent, its children and the run that it continues. */
export interface Kin {
  readonly runId: string;
  readonly start: Pick<Start, 'workflowId' | 'type'>;
  readonly init: Init;
  childClosed(seq: number, child: Kin, end: Closed): void;
}

/** What a task of a workflow did. */
export interface Step {
  readonly activation: Activation;
  readonly commands: readonly Commands[];
  readonly flags: readonly number[];
}

/** With these, nothing may have happened since the task began. The core moves them to the end of a task. */
const LAST = [
  'completeWorkflowExecution' as const,
  'failWorkflowExecution' as const,
  'cancelWorkflowExecution' as const,
  'continueAsNewWorkflowExecution' as const,
];

export const isLast = (command: Commands) => LAST.some((last) => command[last]);

/** As the core hands them over: first the start, then signals and updates, then the rest in the order of the history. */
const RANKS: { readonly [Name in keyof Job]?: number } = {
  initializeWorkflow: 0,
  notifyHasPatch: 1,
  signalWorkflow: 2,
  doUpdate: 2,
};

export const rankOf = (job: Job) => RANKS[Object.keys(job)[0] as keyof Job] ?? 3;

/** A step with what another one got before it. */
export const joined = (before: Activation, activation: Activation): Activation => ({
  ...activation,
  jobs: [...before.jobs, ...activation.jobs].toSorted((one, other) => rankOf(one) - rankOf(other)),
});

/** What a command begins. */
type Begun = 'activity' | 'timer' | 'child' | 'signal' | 'cancel';

/** The history of a run, as a client gets it. */
export class Events {
  readonly all: object[] = [];
  /** What happens while a task runs comes after its commands. */
  readonly #waiting: {
    readonly kind: string;
    readonly attributes: object;
    readonly job?: Job | undefined;
  }[] = [];
  /** The events of commands, by what they have begun. */
  readonly #begun = new Map<string, number>();

  constructor(private readonly world: World) {}

  write(kind: string, attributes: object = {}): void {
    const [eventId, eventTime] = [this.all.length + 1, msNumberToTs(this.world.now)];
    this.all.push({ eventId, eventTime, [`${kind}EventAttributes`]: attributes });
  }

  /** Writes that a command begins something. */
  begin(what: Begun, seq: number, kind: string, attributes: object): void {
    this.#begun.set(`${what} ${seq}`, this.all.length + 1);
    this.write(kind, attributes);
  }

  /** Says what an event is about: what a command has begun. */
  of(what: Begun, seq: number): object {
    const eventId = this.#begun.get(`${what} ${seq}`);
    if (what === 'activity') return { scheduledEventId: eventId };
    return what === 'timer' ? { startedEventId: eventId } : { initiatedEventId: eventId };
  }

  /** @param job which a worker gets with it */
  later(kind: string, attributes: object, job?: Job): void {
    this.#waiting.push({ kind, attributes, job });
  }

  /** It fired while the task that cancels it ran. */
  forgetTimer(seq: number): void {
    const fired = this.#waiting.findIndex(({ job }) => job?.fireTimer?.seq === seq);
    if (fired >= 0) this.#waiting.splice(fired, 1);
  }

  flush(): void {
    for (const { kind, attributes } of this.#waiting.splice(0)) this.write(kind, attributes);
  }
}

import type { Activation, Commands, Job } from '../runtime.js';

/** What a task of a workflow did. */
export interface Step {
  readonly activation: Activation;
  readonly commands: readonly Commands[];
  readonly flags: readonly number[];
}

/** With these, nothing may have happened since the task began. The core moves them to the end of a task. */
const LAST = [
  ...(['completeWorkflowExecution', 'failWorkflowExecution'] as const),
  ...(['cancelWorkflowExecution', 'continueAsNewWorkflowExecution'] as const),
];

export const isLast = (command: Commands) => LAST.some((last) => command[last]);

/** As the core hands them over: first the start, then signals and updates, then the rest in the order of the history. */
const RANKS: { readonly [Name in keyof Job]?: number } = {
  ...{ initializeWorkflow: 0, notifyHasPatch: 1, signalWorkflow: 2, doUpdate: 2 },
};

export const rankOf = (job: Job) => RANKS[Object.keys(job)[0] as keyof Job] ?? 3;

/** A step with what another one got before it. */
export const joined = (before: Activation, activation: Activation): Activation => ({
  ...activation,
  jobs: [...before.jobs, ...activation.jobs].toSorted((one, other) => rankOf(one) - rankOf(other)),
});

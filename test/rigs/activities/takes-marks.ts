import type { Client } from '@temporalio/client';

/** Stands in for the Temporal service where there is no server: accepts each mark of a write, and lists no workflows. */
export const takesMarks = {
  withDeadline: (_: unknown, request: () => Promise<void>) => request(),
  withAbortSignal: (_: unknown, request: () => Promise<void>) => request(),
  activity: { heartbeat: async () => undefined },
  options: { namespace: 'default' },
  workflowService: {
    getSystemInfo: async () => ({}),
    listWorkflowExecutions: async () => ({ executions: [] }),
  },
} as unknown as Client;

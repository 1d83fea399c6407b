import type { Client } from '@temporalio/client';

/** What an activity needs of the Temporal service when no server is there: it takes each mark of a write, and lists no workflows. */
export const takesMarks = {
  withDeadline: (_: unknown, request: () => Promise<void>) => request(),
  withAbortSignal: (_: unknown, request: () => Promise<void>) => request(),
  activity: { heartbeat: async () => undefined },
  workflow: { list: () => [] },
  workflowService: { getSystemInfo: async () => ({}) },
} as unknown as Client;

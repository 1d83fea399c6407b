import type { Client } from '@temporalio/client';

/** Stands in for the Temporal service where there is no server: accepts each mark of a write, and lists no workflows. */
export const takesMarks = {
  withDeadline: (_: unknown, request: () => Promise<void>) => request(),
  withAbortSignal: (_: unknown, request: () => Promise<void>) => request(),
  activity: { heartbeat: async () => undefined },
  workflow: { list: () => [] },
  workflowService: { getSystemInfo: async () => ({}) },
} as unknown as Client;

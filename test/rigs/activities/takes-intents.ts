import type { Client } from '@temporalio/client';
import { grpcError } from '../temporal/answering-service.js';

/**
 * Stands in for the Temporal service where there is no server: accepts each intent of a write and each reservation, and has no
 * workflows.
 */
export const takesIntents = {
  withDeadline: (_: unknown, request: () => Promise<void>) => request(),
  withAbortSignal: (_: unknown, request: () => Promise<void>) => request(),
  activity: { heartbeat: async () => undefined },
  options: { namespace: 'default' },
  workflowService: {
    getSystemInfo: async () => ({}),
    listWorkflowExecutions: async () => ({ executions: [] }),
    describeWorkflowExecution: () => Promise.reject(grpcError('NOT_FOUND')),
    startWorkflowExecution: async () => ({ runId: 'run-1' }),
  },
} as unknown as Client;

import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** A workflow as the list has it, with encrypted payloads. The list of the SDK fails at one that it cannot decrypt. */
export type RawListed = temporal.api.workflow.v1.IWorkflowExecutionInfo;

export const idOf = ({ execution }: RawListed): string => execution?.workflowId ?? '';

/** A query for the running workflows of a task queue. */
export function runningIn(taskQueue: string, ...conditions: readonly string[]): string {
  const quoted = `'${taskQueue.replaceAll("'", "''")}'`;
  return [`TaskQueue = ${quoted}`, "ExecutionStatus = 'Running'", ...conditions].join(' AND ');
}

/** Temporal returns no more at once. */
const PAGE = 1_000;

/** At most `limit` workflows, the last started first. */
export async function listed(client: Client, query: string, limit: number): Promise<RawListed[]> {
  const { namespace } = client.options;
  const found: RawListed[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const pageSize = Math.min(PAGE, limit - found.length);
    const page = await client.workflowService.listWorkflowExecutions({
      ...{ namespace, query, pageSize },
      ...(nextPageToken && { nextPageToken }),
    });
    found.push(...(page.executions ?? []));
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && found.length < limit);
  return found.slice(0, limit);
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';

/** All that Temporal stores about one execution of a workflow. */
export interface Kept {
  readonly workflowId: string;
  /** `COMPLETED`. */
  readonly status: string;
  readonly history: History;
  /** The history and the description in their wire format. */
  readonly bytes: Buffer;
  /** Its entry in the visibility store, as JSON. */
  readonly visibility: Buffer;
}

/** Every execution that a server has. */
export async function* kept(client: Client): AsyncGenerator<Kept> {
  const { History } = proto.temporal.api.history.v1;
  const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1;
  for await (const { workflowId, runId, status, raw } of client.workflow.list()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const history = await handle.fetchHistory();
    const { raw: described } = await handle.describe();
    const bytes = [History.encode(history), DescribeWorkflowExecutionResponse.encode(described)];
    yield {
      workflowId,
      status: status.name,
      history,
      bytes: Buffer.concat(bytes.map((writer) => writer.finish())),
      visibility: Buffer.from(JSON.stringify(raw)),
    };
  }
}

/** All bytes of the files in a folder, such as those of a server's database and its log of changes. */
export async function bytesIn(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  );
}

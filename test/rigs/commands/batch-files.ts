import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { merchant } from '../inputs.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';

/** Writes a file of this name's kind, `rows.csv`, and answers its path. */
export async function batchFile({ documentDir }: Rig, name: string, content: string): Promise<string> {
  await mkdir(documentDir, { recursive: true });
  const path = join(documentDir, `${randomUUID()}-${name}`);
  await writeFile(path, content);
  return path;
}

export function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** So many merchants, and the file that they are in. */
export async function merchantsFile(rig: Rig, count: number, scenario?: string) {
  const inputs = Array.from({ length: count }, () => merchant(scenario));
  const ids = inputs.map(idOf);
  return { inputs, ids, file: await batchFile(rig, 'merchants.ndjson', ndjson(inputs)) };
}

export function idOf({ externalId }: Pick<MerchantBoardingInput, 'externalId'>): string {
  return `merchant-boarding-${externalId}`;
}

export interface Execution {
  readonly workflowId: string;
  readonly startTime: Date;
}

/** Every execution on a task queue by Temporal's own list, once there are so many; one that ran twice is there twice. */
export async function executions(client: Client, taskQueue: string, count: number): Promise<Execution[]> {
  const query = `TaskQueue = '${taskQueue}'`;
  const list = async () => {
    const found: Execution[] = [];
    for await (const { workflowId, startTime } of client.workflow.list({ query }))
      found.push({ workflowId, startTime });
    return found;
  };
  return eventually(list, (found) => found.length >= count, `${count} executions`);
}

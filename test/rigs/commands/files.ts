import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { documentStore } from '../../../src/partners/documents/document-store.js';
import { folder } from '../../../src/platform/documents/file-store.js';
import { describe } from '../../../src/temporal/find-onboarding.js';
import { merchant } from '../inputs.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';

/** Writes an input file. @returns its path */
export function inputFile(rig: Rig, content: unknown): Promise<string> {
  return batchFile(rig, 'input.json', typeof content === 'string' ? content : JSON.stringify(content));
}

/** Writes a file with this extension, `rows.csv`. @returns its path */
export async function batchFile({ documentDir }: Rig, name: string, content: string): Promise<string> {
  await mkdir(documentDir, { recursive: true });
  const path = join(documentDir, `${randomUUID()}-${name}`);
  await writeFile(path, content);
  return path;
}

/** A document in the store of a rig. */
export const stored = ({ documentDir }: Rig, fileName = 'check.pdf') =>
  documentStore(folder(documentDir)).put(fileName, Buffer.from('%PDF-1.7 test %%EOF'));

export function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** This many merchants, and a file that holds them. */
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

/** Every execution on a task queue in Temporal's list, once there are this many. A workflow that ran twice is listed twice. */
export async function executions(client: Client, taskQueue: string, count: number): Promise<Execution[]> {
  const query = `TaskQueue = '${taskQueue}'`;
  const list = async () => {
    const matches: Execution[] = [];
    for await (const { workflowId, startTime } of client.workflow.list({ query }))
      matches.push({ workflowId, startTime });
    return matches;
  };
  return eventually(list, (matches) => matches.length >= count, `${count} executions`);
}

/** A stream of this content in chunks of this size, in bytes. */
export function inChunks(content: string | Buffer, size: number): Readable {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const count = Math.ceil(bytes.length / size);
  return Readable.from(
    Array.from({ length: count }, (_, place) => bytes.subarray(place * size, (place + 1) * size)),
  );
}

/** Whether a workflow was started. It describes the workflow, because the list of the server is late. */
export async function wasStarted(client: Client, workflowId: string): Promise<boolean> {
  return (await describe(client, workflowId)) !== undefined;
}

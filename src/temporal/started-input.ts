import { isDeepStrictEqual } from 'node:util';
import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { isUnreadable } from './unreadable.js';

/**
 * Compares an input with the one that a workflow was first started with, before any correction.
 *
 * @returns dotted names of the fields that differ; none when both are the same. `undefined` when the first input cannot be
 * read any more: its history is gone, or its key is not among ours
 */
export async function differenceFromStart(
  client: Client,
  workflowId: string,
  input: unknown,
): Promise<string[] | undefined> {
  try {
    return differingFields(await firstInput(client, workflowId), JSON.parse(JSON.stringify(input)));
  } catch (error) {
    // A history is deleted when its run ended longer ago than the namespace's retention.
    if (isUnreadable(error) || (isGrpcServiceError(error) && error.code === status.NOT_FOUND))
      return undefined;
    throw error;
  }
}

async function firstInput(client: Client, workflowId: string): Promise<unknown> {
  const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId: raw.workflowExecutionInfo?.firstRunId || runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  let payloads = started?.input?.payloads ?? [];
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads);
  const [first] = payloads;
  return first && payloadConverter.fromPayload(first);
}

/** Of two values as JSON has them. */
export function differingFields(one: unknown, other: unknown, path = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    differingFields(one[name], other[name], path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

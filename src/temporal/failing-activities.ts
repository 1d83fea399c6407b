import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** What the last tries failed with of those activities of a workflow that the server tries again. */
export async function failuresOf(client: Client, workflowId: string): Promise<string[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const failures = (raw.pendingActivities ?? []).flatMap(({ lastFailure }) => lastFailure ?? []);
  return Promise.all(failures.map((failure) => messageOf(client, failure)));
}

/** The message of an encrypted failure is in its attributes. */
async function messageOf(
  client: Client,
  { message, encodedAttributes }: temporal.api.failure.v1.IFailure,
): Promise<string> {
  if (!encodedAttributes) return message ?? '';
  let payloads = [encodedAttributes];
  for (const codec of client.options.loadedDataConverter.payloadCodecs)
    payloads = await codec.decode(payloads);
  const [payload] = payloads;
  return payload ? defaultPayloadConverter.fromPayload<{ message: string }>(payload).message : '';
}

import { type Client, defaultPayloadConverter } from '@temporalio/client';
import proto from '@temporalio/proto';

const { APPLICATION_ERROR_CATEGORY_BENIGN: BENIGN } = proto.temporal.api.enums.v1.ApplicationErrorCategory;

/**
 * The messages of the last failures of those activities of a workflow that the server retries. A status poll that saw no
 * change has not failed.
 */
export async function failuresOf(client: Client, workflowId: string): Promise<string[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const failures = (raw.pendingActivities ?? []).flatMap(({ lastFailure }) => lastFailure ?? []);
  const real = failures.filter(({ applicationFailureInfo }) => applicationFailureInfo?.category !== BENIGN);
  return Promise.all(real.map((failure) => messageOf(client, failure)));
}

/** The message of a failure. That of an encrypted one is in its attributes. */
export async function messageOf(
  client: Client,
  { message, encodedAttributes }: proto.temporal.api.failure.v1.IFailure,
): Promise<string> {
  if (!encodedAttributes) return message ?? '';
  let payloads = [encodedAttributes];
  for (const codec of client.options.loadedDataConverter.payloadCodecs)
    payloads = await codec.decode(payloads);
  const [payload] = payloads;
  return payload ? defaultPayloadConverter.fromPayload<{ message: string }>(payload).message : '';
}

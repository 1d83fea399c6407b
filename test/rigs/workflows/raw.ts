import proto from '@temporalio/proto';
import type { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

const { ListWorkflowExecutionsResponse, UpdateWorkflowExecutionResponse } =
  proto.temporal.api.workflowservice.v1;
const { History } = proto.temporal.api.history.v1;

/** Sends an update as the Web UI does, and returns the response as it is on the wire. */
export async function sent(
  { client }: Rig,
  { workflowId }: Onboarding<unknown>,
  name: string,
  argument: unknown,
) {
  const { connection, options } = client;
  const { payloadConverter, payloadCodecs } = options.loadedDataConverter;
  const [codec] = payloadCodecs;
  const plain = [payloadConverter.toPayload(argument)];
  const payloads = (await codec?.encode(plain)) ?? plain;
  const response = await connection.workflowService.updateWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId },
    waitPolicy: {
      lifecycleStage:
        proto.temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage
          .UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
    },
    request: { meta: {}, input: { name, args: { payloads } } },
  });
  const { message, stackTrace } = response.outcome?.failure ?? {};
  return {
    message,
    stackTrace,
    bytes: Buffer.from(UpdateWorkflowExecutionResponse.encode(response).finish()),
  };
}

/** The bytes of a history, as the server has them. */
export async function historyOf({ handle }: Onboarding<unknown>): Promise<Buffer> {
  return Buffer.from(History.encode(await handle.fetchHistory()).finish());
}

/** The bytes of this workflow in the list of workflows: search attributes and memo. */
export async function listOf({ client }: Rig, { workflowId }: Onboarding<unknown>): Promise<Buffer> {
  const { namespace } = client.options;
  const query = `WorkflowId = '${workflowId}'`;
  const response = await client.workflowService.listWorkflowExecutions({ namespace, query });
  return Buffer.from(ListWorkflowExecutionsResponse.encode(response).finish());
}

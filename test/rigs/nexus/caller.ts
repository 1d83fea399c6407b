import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter } from '../../../src/temporal/payload-codec.js';
import { gangway } from '../command.js';
import type { Rig } from '../rig.js';
import { workflowsOfTests } from '../temporal/bundle.js';
import { eventually } from '../waiting.js';
import { keysFrom } from '../worker-config.js';
import type { Call, Called, callGangway } from './workflows.js';

/** A team with a namespace of its own, whose workflows call Gangway through an endpoint. */
export interface Caller {
  /** In the namespace of the caller. */
  readonly client: Client;
  readonly namespace: string;
  readonly taskQueue: string;
  /** The Nexus endpoint of Gangway. */
  readonly endpoint: string;
  start(operation: Call['operation'], input: unknown): Promise<WorkflowHandle<typeof callGangway>>;
  call(operation: Call['operation'], input: unknown): Promise<Called>;
}

/** Creates the namespace, and the endpoint by `gangway setup`, and runs a worker of the caller until the rig closes. */
export async function startCaller(rig: Pick<Rig, 'env' | 'atClose'>): Promise<Caller> {
  const address = rig.env['TEMPORAL_ADDRESS'] ?? '';
  const namespace = `caller-${randomUUID()}`;
  const endpoint = `gangway-${randomUUID()}`;
  const created = await gangway(rig.env, ['setup', '--nexus-endpoint', endpoint]);
  if (created.code !== 0) throw new Error(created.stderr);
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  const converter = dataConverter(keysFrom(rig.env['PAYLOAD_KEYS'] ?? ''));
  const client = new Client({ connection, namespace, dataConverter: converter });
  await eventually(
    () =>
      client.workflow.count().then(
        () => true,
        () => false,
      ),
    (isThere) => isThere,
    `namespace ${namespace}`,
  );
  const taskQueue = 'caller';
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle: await workflowsOfTests(converter.failureConverterPath),
    dataConverter: converter,
  });
  const running = worker.run();
  rig.atClose(async () => {
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
  });
  const start = (operation: Call['operation'], input: unknown) =>
    client.workflow.start<typeof callGangway>('callGangway', {
      taskQueue,
      workflowId: `call-${randomUUID()}`,
      args: [{ endpoint, operation, input }],
    });
  return {
    client,
    namespace,
    taskQueue,
    endpoint,
    start,
    call: async (operation, input) => (await start(operation, input)).result(),
  };
}

/** Waits until Gangway has accepted the operation of a caller, which ends later. */
export async function accepted(handle: WorkflowHandle): Promise<void> {
  await eventually(
    async () => (await handle.fetchHistory()).events ?? [],
    (events) => events.some((event) => event.nexusOperationStartedEventAttributes),
    'the start of the operation',
  );
}

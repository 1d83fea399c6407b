// Runs the workflow signUp in a namespace of its own, which calls Gangway in another one. See README.md.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter, parsePayloadKeys } from 'gangway/encryption';
import type { MerchantToBoard } from 'gangway/nexus';
import type { SignUp, signUp } from './workflows.ts';

const { TEMPORAL_ADDRESS: address = 'localhost:7233', TEMPORAL_NAMESPACE: namespace = 'sales' } = process.env;
const { NEXUS_ENDPOINT: endpoint = 'gangway', PAYLOAD_KEYS: keys } = process.env;
const [file = 'examples/merchant.json'] = process.argv.slice(2);

const merchant = JSON.parse(await readFile(file, 'utf8')) as MerchantToBoard;
// The same keys as Gangway, because inputs, answers and outcomes are encrypted on both sides.
const converter = dataConverter(keys ? parsePayloadKeys(keys) : undefined);
const taskQueue = 'sales';

const native = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
try {
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
    dataConverter: converter,
  });
  const client = new Client({ connection, namespace, dataConverter: converter });
  const args: [SignUp] = [{ endpoint, merchant }];
  const workflowId = `sign-up-${merchant.externalId}`;
  const end = await worker.runUntil(
    client.workflow.execute<typeof signUp>('signUp', { taskQueue, workflowId, args }),
  );
  process.stdout.write(`${JSON.stringify(end)}\n`);
} finally {
  await connection.close();
  await native.close();
}

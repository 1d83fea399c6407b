// A bare process that lists workflows with the SDK's client, beside "gangway list".
import { Client, Connection } from '@temporalio/client';

const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
const client = new Client({ connection });
const found = await Array.fromAsync(client.workflow.list({ query: "WorkflowType = 'merchantBoarding'" }));
process.stdout.write(`${found.length}\n`);
await connection.close();

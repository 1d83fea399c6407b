// A worker of the SDK with nothing around it, in plain JavaScript, so that it starts as fast as possible. It runs the bare workflows
// on BARE_TASK_QUEUE, and activities on that and on BARE_ACTIVITY_TASK_QUEUE, with the tuning of Gangway's workers. With PAYLOAD_KEYS,
// it encrypts payloads as Gangway does.
import { NativeConnection, Worker } from '@temporalio/worker';
import { byHand } from './by-hand.mjs';

const { TEMPORAL_ADDRESS, BARE_TASK_QUEUE, BARE_ACTIVITY_TASK_QUEUE, BARE_BUNDLE, BARE_TUNING } = process.env;
const { BOARDING_URL, PAYLOAD_KEYS } = process.env;

let client;

const activities = {
  ...byHand,
  async noOp() {},
  // Reads what Gangway's poll reads.
  async readStatus(id) {
    const { boardingClient } = await import('../../dist/partners/boarding/client.js');
    client ??= boardingClient({ url: BOARDING_URL, username: 'sandbox', password: 'sandbox', posNames: [] });
    return { ...(await client.getStatus({ id })), notes: await client.getUnderwritingNotes({ id }) };
  },
};

const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
const common = { ...JSON.parse(BARE_TUNING), connection, activities, ...(await encrypting()) };
const workers = await Promise.all([
  Worker.create({ ...common, taskQueue: BARE_TASK_QUEUE, workflowBundle: { codePath: BARE_BUNDLE } }),
  Worker.create({ ...common, taskQueue: BARE_ACTIVITY_TASK_QUEUE }),
]);
const runs = workers.map((worker) => worker.run());
process.stdout.write('bare worker is ready\n');
await Promise.all(runs);
await client?.close();
await connection.close();

async function encrypting() {
  if (!PAYLOAD_KEYS) return {};
  const { dataConverter, parsePayloadKeys } = await import('../../dist/temporal/payload-codec.js');
  const { payloadCodecs } = dataConverter(parsePayloadKeys(PAYLOAD_KEYS));
  return { dataConverter: { payloadCodecs } };
}

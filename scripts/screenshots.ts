/**
 * Takes the pictures of the Web UI that the README and docs show (`npm run screenshots`), of a demo of its own: with the
 * codec server, and, for docs/images/encrypted.png, without.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCodecServer } from '../src/codec-server/server.js';
import { createLogger } from '../src/process/logging.js';
import { freePort, startDevServer } from '../src/temporal/dev-server.js';
import { generatePayloadKey, parsePayloadKeys } from '../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { openBrowser } from '../test/rigs/browser/browser.js';
import { WorkflowPages } from '../test/rigs/browser/web-ui.js';
import { customer } from '../test/rigs/inputs.js';
import { createRig, type Rig } from '../test/rigs/rig.js';
import { requireFreshBuild } from './build-stamp.js';

requireFreshBuild();

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const TOKEN = '0123456789abcdef0123456789abcdef';
const KEYS = generatePayloadKey();

const codecPort = await freePort();
const server = await startDevServer({ codecEndpoint: `http://127.0.0.1:${codecPort}/${TOKEN}` });
const rig = await createRig({ address: server.address, payloadKeys: KEYS, worker: false });
await registerSearchAttributes(rig.client);
await rig.startWorker();
const browser = await openBrowser();

const { asked, customerId } = await story(rig);
await (await latest(asked)).text('timeline', ['merchantBoarding'], join(IMAGES, 'encrypted.png'));

const codec = await startCodecServer({
  host: '127.0.0.1',
  port: codecPort,
  keys: parsePayloadKeys(KEYS),
  bearer: { tokens: [TOKEN], jwt: undefined },
  uiOrigin: server.uiUrl,
  tokenInPath: true,
  namespaces: ['default'],
  requestsPerMinute: 3_000,
  logger: createLogger('error'),
});
const waiting = await latest(customerId);
await waiting.text(
  'user-metadata',
  ['Lantern Bistro', 'voided check'],
  join(IMAGES, 'waiting-for-a-person.png'),
);
const timeline = await latest(asked);
await timeline.text('timeline', ['Lantern Bistro', 'Create the merchant'], join(IMAGES, 'timeline.png'));

await codec.close();
await browser.close();
await rig.close();
await server.stop();
process.exit();

async function latest(id: string): Promise<WorkflowPages> {
  const { runId } = await rig.client.workflow.getHandle(id).describe();
  return new WorkflowPages(browser, `${server.uiUrl}/namespaces/default/workflows/${id}/${runId}`);
}

/** A customer whose merchant and business both wait for a person, and others that have ended. */
async function story({ onboard }: Rig): Promise<{ asked: string; customerId: string }> {
  for (const [name, boarding] of [
    ['juniper-tea', ''],
    ['night-market', ' [declined]'],
  ] as const) {
    const { boarding: part, ...rest } = customer();
    const merchant = { ...part.merchant, dba: `Juniper Tea${boarding}` };
    await (await onboard({ ...rest, externalId: name, boarding: { ...part, merchant } })).outcome();
  }
  const input = customer();
  const { merchant } = input.boarding;
  const lantern = await onboard({
    ...input,
    externalId: 'lantern-bistro',
    boarding: { ...input.boarding, merchant: { ...merchant, dba: 'Lantern Bistro [notes]' } },
    business: {
      ...input.business,
      holder: { ...input.business.holder, doingBusinessAsName: 'Lantern Bistro [ticket]' },
    },
  });
  await lantern.until(({ requirements }) => requirements.length === 3, 'two notes and a ticket');
  return { asked: 'merchant-boarding-lantern-bistro', customerId: lantern.workflowId };
}

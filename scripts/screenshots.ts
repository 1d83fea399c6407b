/**
 * Takes the pictures of the Web UI in docs/images (`npm run screenshots`, after a build), from onboardings of its own.
 * The Web UI decrypts with the codec server; only docs/images/encrypted.png is taken without it.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCodecServer } from '../src/codec-server/server.js';
import { createLogger } from '../src/process/logging.js';
import { freePort, startDevServer } from '../src/temporal/dev-server.js';
import { generatePayloadKey, parsePayloadKeys } from '../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { openBrowser, textOf } from '../test/rigs/browser/browser.js';
import { WorkflowPages } from '../test/rigs/browser/web-ui.js';
import { customer, merchant } from '../test/rigs/inputs.js';
import type { Onboarding } from '../test/rigs/onboarding.js';
import { launch } from '../test/rigs/processes.js';
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
const cafe = await withKilledWorker(rig);
await rig.startWorker();
const browser = await openBrowser();

const { bakery, lantern, bookshop } = await onboardings(rig);
await take('encrypted', 'merchant-boarding-lantern-bistro', 'timeline', ['merchantBoarding']);

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
await take('waiting-for-a-person', lantern.workflowId, 'user-metadata', ['Lantern Bistro', 'voided check']);
await take('timeline', 'merchant-boarding-lantern-bistro', 'timeline', [
  'Lantern Bistro',
  'Create the merchant',
]);
await take('boarded', bakery.workflowId, 'timeline', ['Create the merchant', '518000']);
await take('note', bookshop.workflowId, 'user-metadata', ['Tutorial Books', 'voided check']);
await cafe.requirement('uncertain-write');
await take('uncertain-write', cafe.workflowId, 'user-metadata', ['Tutorial Cafe', 'Did it happen?']);
await takeList(['tutorial-cafe', '5180']);

await codec.close();
await browser.close();
await rig.close();
await server.stop();
process.exit();

async function take(
  picture: string,
  id: string,
  page: 'timeline' | 'user-metadata',
  expected: readonly string[],
): Promise<void> {
  const { runId } = await rig.client.workflow.getHandle(id).describe();
  const pages = new WorkflowPages(browser, `${server.uiUrl}/namespaces/default/workflows/${id}/${runId}`);
  const height = page === 'timeline' ? 1_200 : 1_000;
  await pages.text(page, expected, { file: join(IMAGES, `${picture}.png`), height });
}

/** Workflows by their search attributes, in the columns that a person has chosen. */
async function takeList(expected: readonly string[]): Promise<void> {
  const labels = ['Status', 'Workflow ID', 'OnboardingStage', 'PartnerStatus', 'ActionRequired', 'Mid'];
  const columns = { default: labels.map((label) => ({ label, pinned: false })) };
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(
    (chosen) => localStorage.setItem('namespace-workflow-table-columns', chosen),
    JSON.stringify(columns),
  );
  await page.goto(`${server.uiUrl}/namespaces/default/workflows`, { waitUntil: 'domcontentloaded' });
  await textOf(page, expected, 60_000);
  await page.screenshot({ path: join(IMAGES, 'list.png') });
}

/** A merchant whose worker is killed while its create is in flight. Its question is asked two minutes later. */
async function withKilledWorker({ board, env, sandbox }: Rig): Promise<Onboarding> {
  const { merchant: basics, ...rest } = merchant();
  const input = { ...rest, externalId: 'tutorial-cafe', merchant: { ...basics, dba: 'Tutorial Cafe' } };
  const call = await sandbox.hold('create-merchant', input.externalId, 'delay-after-commit');
  const worker = await launch('worker', env, 'worker is ready');
  const boarding = await board(input);
  await call.underWay();
  worker.child.kill('SIGKILL');
  await worker.exit;
  await call.letGo();
  return boarding;
}

/** A customer and a merchant who wait for a person, and others that have ended. */
async function onboardings({
  board,
  onboard,
}: Rig): Promise<Record<'bakery' | 'lantern' | 'bookshop', Onboarding>> {
  for (const [name, boarding] of [
    ['juniper-tea', ''],
    ['night-market', ' [declined]'],
  ] as const) {
    const { boarding: part, ...rest } = customer();
    const merchant = { ...part.merchant, dba: `Juniper Tea${boarding}` };
    await (await onboard({ ...rest, externalId: name, boarding: { ...part, merchant } })).outcome();
  }
  const bakery = await board(merchant(undefined, { externalId: 'tutorial-bakery' }));
  await bakery.outcome();
  const { merchant: basics, ...rest } = merchant('notes');
  const bookshop = await board({
    ...rest,
    externalId: 'tutorial-books',
    merchant: { ...basics, dba: 'Tutorial Books [notes]' },
  });
  const input = customer();
  const lantern = await onboard({
    ...input,
    externalId: 'lantern-bistro',
    boarding: { ...input.boarding, merchant: { ...input.boarding.merchant, dba: 'Lantern Bistro [notes]' } },
    business: {
      ...input.business,
      holder: { ...input.business.holder, doingBusinessAsName: 'Lantern Bistro [ticket]' },
    },
  });
  await bookshop.until(({ requirements }) => requirements.length === 2, 'two notes');
  await lantern.until(({ requirements }) => requirements.length === 3, 'two notes and a ticket');
  return { bakery, lantern, bookshop };
}

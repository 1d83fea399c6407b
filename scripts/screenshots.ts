/**
 * Takes the pictures of the Web UI and of the console in docs/images (`npm run screenshots`, after a build), from onboardings of its own.
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
import { ensureFreshBuild } from './build-stamp.js';
import { takeConsolePictures } from './console-pictures.js';

ensureFreshBuild();

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const TOKEN = '0123456789abcdef0123456789abcdef';
const KEYS = generatePayloadKey();

/** Of the window, in pixels, where the page is taller or shorter than most. */
const HEIGHTS: Readonly<Record<string, number>> = {
  'waiting-for-a-person': 1_250,
  note: 1_700,
  'uncertain-write': 1_400,
  outcome: 700,
};

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
await take('outcome', bakery.workflowId, 'user-metadata', ['Tutorial Bakery', 'Boarded:']);
await take('note', bookshop.workflowId, 'user-metadata', ['Tutorial Books', 'voided check']);
await cafe.requirement('uncertain-write');
await take('uncertain-write', cafe.workflowId, 'user-metadata', ['Tutorial Cafe', 'Outcome unknown']);
await takeRejection(bookshop, 'answer.text: must not be empty');
await takeList(['Tutorial Cafe', 'Tutorial Bakery']);
await takeConsolePictures(rig, browser, bookshop, IMAGES);

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
  const pages = await pagesOf(id);
  const height = page === 'timeline' ? 1_200 : (HEIGHTS[picture] ?? 1_000);
  await pages.text(page, expected, { file: join(IMAGES, `${picture}.png`), height });
}

async function pagesOf(id: string): Promise<WorkflowPages> {
  const { runId } = await rig.client.workflow.getHandle(id).describe();
  return new WorkflowPages(browser, `${server.uiUrl}/namespaces/default/workflows/${id}/${runId}`);
}

/** An answer that is sent with the form of the Web UI as the details show it, except for its author and reason. */
async function takeRejection({ workflowId }: Onboarding, reason: string): Promise<void> {
  const pages = await pagesOf(workflowId);
  const details = await pages.text('user-metadata', ['Answers']);
  const [blank = ''] = details.match(/^\{\n[\s\S]*?^\}$/m) ?? [];
  const json = blank
    .replace('"actor": ""', '"actor": "olga"')
    .replace('"reason": ""', '"reason": "asked the shop"');
  await pages.sendUpdate('resolveRequirement', json, reason, { file: join(IMAGES, 'rejected-answer.png') });
}

/** Workflows by their search attributes, in the columns that a person has chosen. */
async function takeList(expected: readonly string[]): Promise<void> {
  const labels = ['Status', 'Dba', 'OnboardingStage', 'ActionRequired', 'ActionDueAt', 'Workflow ID'];
  const columns = { default: labels.map((label) => ({ label, pinned: false })) };
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(
    (chosen) => localStorage.setItem('namespace-workflow-table-columns', chosen),
    JSON.stringify(columns),
  );
  const view = new URLSearchParams({ query: 'Dba IS NOT NULL', savedQuery: 'Onboardings' });
  await page.goto(`${server.uiUrl}/namespaces/default/workflows?${view}`, { waitUntil: 'domcontentloaded' });
  await textOf(page, expected, 60_000);
  await page.screenshot({ path: join(IMAGES, 'list.png') });
}

/** A merchant of this name. */
function shop(externalId: string, dba: string) {
  return merchant(undefined, { externalId, merchant: { ...merchant().merchant, dba } });
}

/** A customer of this name, with a scenario of its merchant and one of its business. */
function company(externalId: string, dba: string, boardingScenario = '', businessScenario = '') {
  const { boarding, business, ...rest } = customer();
  const merchant = { ...boarding.merchant, dba: dba + boardingScenario };
  const holder = { ...business.holder, doingBusinessAsName: dba + businessScenario };
  return { ...rest, externalId, boarding: { ...boarding, merchant }, business: { ...business, holder } };
}

/** A merchant whose worker is killed while its create is in flight. Its question is asked two minutes later. */
async function withKilledWorker({ board, env, sandbox }: Rig): Promise<Onboarding> {
  const input = shop('tutorial-cafe', 'Tutorial Cafe');
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
async function onboardings({ board, onboard }: Rig) {
  await (await onboard(company('juniper-tea', 'Juniper Tea'))).outcome();
  await (await onboard(company('night-market', 'Night Market', ' [declined]'))).outcome();
  const bakery = await board(shop('tutorial-bakery', 'Tutorial Bakery'));
  await bakery.outcome();
  const bookshop = await board(shop('tutorial-books', 'Tutorial Books [notes]'));
  const lantern = await onboard(company('lantern-bistro', 'Lantern Bistro', ' [notes]', ' [ticket]'));
  await bookshop.until(({ requirements }) => requirements.length === 2, 'two notes');
  await lantern.until(({ requirements }) => requirements.length === 3, 'two notes and a ticket');
  return { bakery, lantern, bookshop };
}

/**
 * Takes the pictures of the Web UI and of the console in docs/images (`npm run screenshots`, after a build), from onboardings of its own.
 * The Web UI decrypts with the codec server; only docs/images/encrypted.png is taken without it.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startCodecServer } from '../src/apps/codec-server/server.js';
import { freePort, startDevServer } from '../src/apps/demo/dev-server.js';
import { createLogger } from '../src/platform/process/logging.js';
import { generatePayloadKey, parsePayloadKeys } from '../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { openBrowser, textOf } from '../test/rigs/browser/browser.js';
import { WorkflowPages } from '../test/rigs/browser/web-ui.js';
import { ndjson } from '../test/rigs/commands/files.js';
import { runConsole } from '../test/rigs/console/running-console.js';
import { customer, merchant } from '../test/rigs/inputs.js';
import type { Onboarding } from '../test/rigs/onboarding.js';
import { launch } from '../test/rigs/processes.js';
import { createRig, type Rig } from '../test/rigs/rig.js';
import { ensureFreshBuild } from './build-stamp.js';

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
await takeConsolePictures(bookshop);

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

/** Takes the pictures of the console, as an admin who has signed in sees it. @param waiting a merchant with open notes */
async function takeConsolePictures(waiting: Onboarding): Promise<void> {
  const console = await runConsole(rig, {}, rig.atClose);
  const { cookies } = await console.signedIn({ role: 'admin', name: 'Olga Park' });
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 900 },
    timezoneId: 'America/New_York',
  });
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: console.url })));
  const page = await context.newPage();
  const takePage = async (
    name: string,
    path: string,
    act: (page: Page) => Promise<unknown> = async () => {},
  ) => {
    // The second time, the console has the zone of the browser.
    for (const _ of [1, 2]) await page.goto(console.url + path);
    await act(page);
    await page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
  };
  const [note, other] = (await waiting.state()).requirements;
  await waiting.claim(other?.id ?? '', 'Grace Lee');
  await waiting.listedAs((requirements) => requirements.some(({ claim }) => claim !== undefined));
  const onboarding = `/onboardings/${waiting.workflowId}`;
  // A list that is read again has the claim and the questions.
  const isComplete = (page: Page) =>
    Promise.all([page.getByText('Grace Lee').waitFor(), page.getByText('voided check').first().waitFor()]);
  await takePage('inbox', '/', isComplete);
  await takePage('onboarding', onboarding);
  await takePage('answer', `${onboarding}/requirements/${note?.id}`);
  await takePage('report', '/report');
  await takePage('batch', '/start', async () => {
    const rows = Array.from({ length: 200 }, () => merchant());
    const file = { name: 'merchants.ndjson', mimeType: 'text/plain', buffer: Buffer.from(ndjson(rows)) };
    await page.getByLabel('CSV or NDJSON file').setInputFiles(file);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByLabel('type the number of rows').fill('200');
    await page.getByRole('button', { name: 'Start 200 rows' }).click();
    await page.getByText(/^[4-9]\d of 200 rows/).waitFor();
  });
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await takePage('inbox-narrow-dark', '/', isComplete);
  await context.close();
  await console.close();
}

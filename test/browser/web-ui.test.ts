import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCodecServer } from '../../src/codec-server/server.js';
import { createLogger } from '../../src/logging.js';
import { type DevServer, freePort, startDevServer } from '../../src/temporal/dev-server.js';
import { generatePayloadKey, parsePayloadKeys } from '../../src/temporal/payload-keys.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { createRig, merchant, type Rig } from '../rig.js';
import { openBrowser } from './browser.js';
import { WorkflowPages } from './web-ui.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const KEYS = generatePayloadKey();

let codecPort: number;
let server: DevServer;
let rig: Rig;
let browser: Browser;
let url: string;
beforeAll(async () => {
  codecPort = await freePort();
  server = await startDevServer({ codecEndpoint: `http://127.0.0.1:${codecPort}/${TOKEN}` });
  rig = await createRig({ address: server.address, payloadKeys: KEYS, worker: false });
  await registerSearchAttributes(rig.client);
  await rig.startWorker();
  const boarding = await rig.board(merchant('notes'));
  await boarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  const { runId } = await boarding.handle.describe();
  url = `${server.uiUrl}/namespaces/default/workflows/${boarding.workflowId}/${runId}`;
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await rig.close();
  await server.stop();
});

const PRIVATE = ['Corner Bakery', 'Ada', 'voided check', 'merchant-created', 'Create the merchant'];

/** Longer than a page takes to come up, as long as nothing is decoded. */
const GLANCE_MS = 5_000;

async function everything(patienceMs?: number): Promise<string> {
  const pages = new WorkflowPages(browser, url, patienceMs);
  const shown = [
    await pages.text('timeline', ['Corner Bakery', 'Create the merchant']),
    await pages.text('user-metadata', ['Corner Bakery', 'voided check']),
    await pages.text('query', ['merchant-created']),
  ];
  return shown.join('\n');
}

// In this order: first there is no codec server where the Web UI looks for it, then there is.
it('without a codec server the Web UI shows that a boarding runs, and nothing of what is in it', async () => {
  const text = await everything(GLANCE_MS);
  expect(text).toContain('merchantBoarding');
  expect(PRIVATE.filter((value) => text.includes(value))).toEqual([]);
}, 90_000);

it('with a codec server that admits another origin it shows no more', async () => {
  await startCodec('https://temporal.example.com');
  const text = await everything(GLANCE_MS);
  expect(PRIVATE.filter((value) => text.includes(value))).toEqual([]);
}, 90_000);

it('with its codec server the dba, the timeline and the requirement are readable', async () => {
  await startCodec(server.uiUrl);
  const text = await everything();
  expect(PRIVATE.filter((value) => !text.includes(value))).toEqual([]);
}, 90_000);

async function startCodec(uiOrigin: string): Promise<void> {
  const codec = await startCodecServer({
    host: '127.0.0.1',
    port: codecPort,
    keys: parsePayloadKeys(KEYS),
    bearer: { tokens: [TOKEN], jwt: undefined },
    uiOrigin,
    tokenInPath: true,
    requestsPerMinute: 3_000,
    logger: createLogger('error'),
  });
  onTestFinished(() => codec.close());
}

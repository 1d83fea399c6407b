import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCodecServer } from '../../../src/apps/codec-server/server.js';
import { type DevServer, freePort } from '../../../src/apps/demo/dev-server.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { openBrowser } from '../../rigs/browser/browser.js';
import { WorkflowPages } from '../../rigs/browser/web-ui.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { startTemporal } from '../../rigs/temporal-server.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const KEYS = generatePayloadKey();

/** A browser takes its time on a busy machine. */
const TIMEOUT_MS = 300_000;

let codecPort: number;
let server: DevServer;
let rig: Rig;
let boarding: Onboarding;
let browser: Browser;
let pages: WorkflowPages;
beforeAll(async () => {
  codecPort = await freePort();
  server = await startTemporal({ codecEndpoint: `http://127.0.0.1:${codecPort}/${TOKEN}` });
  rig = await createRig({ address: server.address, payloadKeys: KEYS, worker: false });
  await rig.startWorker();
  boarding = await rig.board(merchant('notes'));
  await boarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  const { runId } = await boarding.handle.describe();
  browser = await openBrowser();
  const path = `namespaces/default/workflows/${boarding.workflowId}/${runId}`;
  pages = new WorkflowPages(browser, `${server.uiUrl}/${path}`);
});
afterAll(async () => {
  await browser.close();
  await rig.close();
  await server.stop();
});

const PRIVATE = ['Corner Bakery', 'Ada', 'voided check', 'merchant-created', 'Create the merchant'];

const PAGES = ['timeline', 'user-metadata', 'query'] as const;

// In this order: first no codec server runs at the address that the Web UI calls, then one does.
it(
  'without a codec server the Web UI shows that a boarding runs, and nothing of what is in it',
  async () => {
    // What each page shows in any case: it has come up.
    const titles = { timeline: 'Timeline', 'user-metadata': 'User Metadata', query: 'Queries' };
    const texts = PAGES.map((name) => pages.text(name, ['merchantBoarding', titles[name]]));
    const text = (await Promise.all(texts)).join('\n');
    expect(text.split('merchantBoarding')).toHaveLength(4);
    expect(PRIVATE.filter((value) => text.includes(value))).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'with its codec server, a person who has only the browser reads what is asked, answers it, and reads why an answer is rejected',
  async () => {
    await startCodec();
    const [timeline, details, query] = await Promise.all([
      pages.text('timeline', ['Corner Bakery', 'Ada', 'Create the merchant']),
      pages.text('user-metadata', ['Corner Bakery', 'voided check', 'keyed in by hand', 'Answers']),
      pages.text('query', ['merchant-created']),
    ]);
    const text = [timeline, details, query].join('\n');
    expect(PRIVATE.filter((value) => !text.includes(value))).toEqual([]);
    const [first = '', second = ''] = details.match(/^\{\n[\s\S]*?^\}$/gm) ?? [];
    const send = (json: string, output: string) => pages.sendUpdate('resolveRequirement', json, output);

    // As it is, then with its blanks filled in.
    expect(await send(first, 'must name')).toContain('actor: must name the person who answers');
    const answered = (json: string) =>
      json
        .replace('"actor": ""', '"actor": "olga"')
        .replace('"reason": ""', '"reason": "asked them"')
        .replace('"text": ""', '"text": "Here it is."');
    const SENT = 'Update successful';
    for (const json of [first, second]) expect(await send(answered(json), SENT)).toContain(SENT);

    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { merchantProfileId = 0 } = await boarding.state();
    expect((await rig.sandbox.merchant(merchantProfileId))['reviewComments']).toEqual([
      expect.stringMatching(/^.*voided check.*\nHere it is\.\n\n.*by hand\?\nHere it is\.$/),
    ]);
    const boarded = 'Boarded: The merchant can take payments.';
    expect(await pages.text('user-metadata', ['Boarded:'])).toContain(boarded);
  },
  TIMEOUT_MS,
);

async function startCodec(): Promise<void> {
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
  onTestFinished(() => codec.close());
}

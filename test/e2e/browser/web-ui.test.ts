import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCodecServer } from '../../../src/codec-server/server.js';
import { createLogger } from '../../../src/process/logging.js';
import { type DevServer, freePort, startDevServer } from '../../../src/temporal/dev-server.js';
import { generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { openBrowser } from '../../rigs/browser/browser.js';
import { WorkflowPages } from '../../rigs/browser/web-ui.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const KEYS = generatePayloadKey();

/** A browser takes its time on a busy machine. */
const TIMEOUT_MS = 300_000;

let codecPort: number;
let server: DevServer;
let rig: Rig;
let boarding: Onboarding;
let browser: Browser;
let url: string;
beforeAll(async () => {
  codecPort = await freePort();
  server = await startDevServer({ codecEndpoint: `http://127.0.0.1:${codecPort}/${TOKEN}` });
  rig = await createRig({ address: server.address, payloadKeys: KEYS, worker: false });
  await registerSearchAttributes(rig.client);
  await rig.startWorker();
  boarding = await rig.board(merchant('notes'));
  await boarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  const { runId } = await boarding.handle.describe();
  url = `${server.uiUrl}/namespaces/default/workflows/${boarding.workflowId}/${runId}`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await rig.close();
  await server.stop();
});

const PRIVATE = ['Corner Bakery', 'Ada', 'voided check', 'merchant-created', 'Create the merchant'];

type Expected = Readonly<Record<'timeline' | 'user-metadata' | 'query', readonly string[]>>;

/** What each page shows in any case: it has come up. */
const A_PAGE: Expected = {
  timeline: ['merchantBoarding', 'Timeline'],
  'user-metadata': ['merchantBoarding', 'User Metadata'],
  query: ['merchantBoarding', 'Queries'],
};

const READABLE: Expected = {
  timeline: ['Corner Bakery', 'Ada', 'Create the merchant'],
  'user-metadata': ['Corner Bakery', 'voided check'],
  query: ['merchant-created'],
};

async function everything(expected: Expected): Promise<string> {
  const pages = new WorkflowPages(browser, url);
  const names = ['timeline', 'user-metadata', 'query'] as const;
  return (await Promise.all(names.map((name) => pages.text(name, expected[name])))).join('\n');
}

// In this order: first no codec server runs at the address that the Web UI calls, then one does.
it(
  'without a codec server the Web UI shows that a boarding runs, and nothing of what is in it',
  async () => {
    const text = await everything(A_PAGE);
    expect(text.split('merchantBoarding')).toHaveLength(4);
    expect(PRIVATE.filter((value) => text.includes(value))).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'with its codec server the dba, the timeline and the requirement are readable',
  async () => {
    await startCodec();
    const text = await everything(READABLE);
    expect(PRIVATE.filter((value) => !text.includes(value))).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'a person who has only the browser answers what is asked, and reads why an answer is rejected',
  async () => {
    await startCodec();
    const pages = new WorkflowPages(browser, url);
    const details = await pages.text('user-metadata', ['voided check', 'keyed in by hand', 'Answers']);
    const [first = '', second = ''] = details.match(/^\{\n[\s\S]*?^\}$/gm) ?? [];
    const send = (json: string, shown: string) => pages.sendUpdate('resolveRequirement', json, shown);

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
    expect(await pages.text('user-metadata', ['Boarded:'])).toContain(
      'Boarded: The merchant can take payments.',
    );
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

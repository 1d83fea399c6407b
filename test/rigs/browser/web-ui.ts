import type { Browser, BrowserContext, Page } from 'playwright-core';
import { eventually } from '../waiting.js';
import { textOf } from './browser.js';

const PATIENCE_MS = 60_000;

/** The Web UI asks three times for what is not decoded, and pauses a second at most: after this it has given up. */
const QUIET_MS = 1_500;

/** Pages of a workflow in the Temporal Web UI, as a person opens them. */
export class WorkflowPages {
  /** Its pages share what they have loaded. */
  #context: Promise<BrowserContext> | undefined;

  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /**
   * What the page of this name shows once it shows everything `expected` and asks for nothing more; `query` shows what
   * query `state` answers.
   *
   * @param file takes a picture as well
   */
  async text(
    name: 'timeline' | 'user-metadata' | 'query',
    expected: readonly string[],
    file?: string,
  ): Promise<string> {
    this.#context ??= this.browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await (await this.#context).newPage();
    try {
      const quiet = watchRequests(page);
      await page.goto(`${this.url}/${name}`, { waitUntil: 'domcontentloaded' });
      if (name === 'query') await runQuery(page, quiet);
      await textOf(page, expected, PATIENCE_MS);
      await quiet();
      if (file) await page.screenshot({ path: file });
      return await textOf(page, expected, 0);
    } finally {
      await page.close();
    }
  }
}

/** Where nothing is decoded there is no query to run. */
async function runQuery(page: Page, quiet: () => Promise<unknown>): Promise<void> {
  const button = page.getByRole('button', { name: 'Run Query' });
  await Promise.race([button.waitFor({ timeout: PATIENCE_MS }), quiet()]);
  if (await button.isVisible()) await button.click({ timeout: PATIENCE_MS });
}

/** Returns a function that waits until the page has had something decoded, or has tried to, and sends no requests. */
function watchRequests(page: Page): () => Promise<unknown> {
  let lastAt = Number.POSITIVE_INFINITY;
  page.on('request', (request) => {
    if (request.url().includes('/decode') || lastAt !== Number.POSITIVE_INFINITY) lastAt = performance.now();
  });
  return () =>
    eventually(
      async () => performance.now() - lastAt,
      (quietMs) => quietMs > QUIET_MS,
      'the end of all requests',
      PATIENCE_MS,
    );
}

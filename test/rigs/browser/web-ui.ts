import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { textOf } from './browser.js';

const PATIENCE_MS = 20_000;

/** Longer than what is decoded takes to show up, once the page is there. */
const LINGER_MS = 3_000;

/** Pages of a workflow in the Temporal Web UI, as a person opens them. */
export class WorkflowPages {
  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /**
   * What the page of this name shows once it shows everything `expected`, and a moment later; `query` shows what query
   * `state` answers.
   *
   * @param file takes a picture as well
   */
  async text(
    name: 'timeline' | 'user-metadata' | 'query',
    expected: readonly string[],
    file?: string,
  ): Promise<string> {
    const page = await this.browser.newPage({ viewport: { width: 1440, height: 900 } });
    try {
      await page.goto(`${this.url}/${name}`, { waitUntil: 'domcontentloaded' });
      if (name === 'query') await runQuery(page);
      await textOf(page, expected, PATIENCE_MS);
      await sleep(LINGER_MS);
      if (file) await page.screenshot({ path: file });
      return await textOf(page, expected, 0);
    } finally {
      await page.close();
    }
  }
}

/** Where nothing is decoded there is no query to run. */
async function runQuery(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Run Query' });
  await button.click({ timeout: 2 * LINGER_MS }).catch(() => undefined);
}

import type { Browser, Page } from 'playwright-core';
import { textOf } from './browser.js';

/** Pages of a workflow in the Temporal Web UI, as a person opens them. */
export class WorkflowPages {
  constructor(
    private readonly browser: Browser,
    private readonly url: string,
    /** How long to wait for what is expected. */
    private readonly patienceMs = 20_000,
  ) {}

  /** What the page of this name shows; `query` shows what query `state` answers. @param file takes a picture as well */
  async text(
    name: 'timeline' | 'user-metadata' | 'query',
    expected: readonly string[],
    file?: string,
  ): Promise<string> {
    const page = await this.browser.newPage({ viewport: { width: 1440, height: 900 } });
    try {
      await page.goto(`${this.url}/${name}`, { waitUntil: 'domcontentloaded' });
      if (name === 'query') await this.#runQuery(page);
      const text = await textOf(page, expected, this.patienceMs);
      if (file) await page.screenshot({ path: file });
      return text;
    } finally {
      await page.close();
    }
  }

  /** Where nothing is decoded there is no query to run. */
  async #runQuery(page: Page): Promise<void> {
    const button = page.getByRole('button', { name: 'Run Query' });
    await button.click({ timeout: this.patienceMs }).catch(() => undefined);
  }
}

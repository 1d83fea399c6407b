import type { Browser, BrowserContext, Page } from 'playwright-core';
import { eventually } from '../waiting.js';
import { textOf } from './browser.js';

const TIMEOUT_MS = 60_000;

/** The Web UI requests decoding up to three times, at most a second apart. After this time it has given up. */
const QUIET_MS = 1_500;

/** A picture to take of a page. */
export interface Picture {
  readonly file: string;
  /** Of the window, in pixels. Default: 900. */
  readonly height?: number;
}

/** Pages of a workflow in the Temporal Web UI. */
export class WorkflowPages {
  /** The pages share one cache. */
  #context: Promise<BrowserContext> | undefined;

  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /**
   * The text of the page of this name, once it contains everything `expected` and sends no more requests. Page `query` shows the
   * result of query `state`.
   *
   * @param picture is taken as well
   */
  async text(
    name: 'timeline' | 'user-metadata' | 'query',
    expected: readonly string[],
    picture?: Picture,
  ): Promise<string> {
    this.#context ??= this.browser.newContext();
    const page = await (await this.#context).newPage();
    try {
      await page.setViewportSize({ width: 1440, height: picture?.height ?? 900 });
      const quiet = watchRequests(page);
      await this.#shown(page, name, expected, quiet);
      await quiet();
      if (picture) await page.screenshot({ path: picture.file });
      return await textOf(page, expected, TIMEOUT_MS);
    } finally {
      await page.close();
    }
  }

  /**
   * Sends an update in the form of the Web UI, as a person does: choose it, paste the JSON, submit. A form that has an error
   * stays open.
   *
   * @param output what the page shows afterwards
   * @param picture is taken then as well
   */
  async sendUpdate(name: string, json: string, output: string, picture?: Picture): Promise<string> {
    this.#context ??= this.browser.newContext();
    const page = await (await this.#context).newPage();
    try {
      await page.setViewportSize({ width: 1440, height: picture?.height ?? 900 });
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.goto(`${this.url}/timeline`, { waitUntil: 'domcontentloaded' });
      await page.getByRole('button', { name: 'More Actions' }).click();
      await page.getByRole('menuitem', { name: 'Send an Update' }).first().click();
      const form = page.locator('dialog[open]');
      await form.getByTestId('update-select-button').click();
      // The description of another update may name this one.
      await form.getByRole('option', { name: new RegExp(`^${name}`) }).click();
      await form.locator('.cm-content').click();
      await page.keyboard.insertText(json);
      await form.getByRole('button', { name: 'Submit' }).click();
      const text = await textOf(page, [output], TIMEOUT_MS);
      if (picture) await page.screenshot({ path: picture.file });
      return text;
    } finally {
      await page.close();
    }
  }

  /** On a busy machine a page may stay incomplete until somebody loads it again. */
  async #shown(
    page: Page,
    name: string,
    expected: readonly string[],
    quiet: () => Promise<unknown>,
    loads = 3,
  ): Promise<void> {
    await page.goto(`${this.url}/${name}`, { waitUntil: 'domcontentloaded' });
    if (name === 'query') await runQuery(page, expected, quiet);
    const text = await textOf(page, expected, TIMEOUT_MS);
    if (loads === 1 || expected.every((each) => text.includes(each))) return;
    await this.#shown(page, name, expected, quiet, loads - 1);
  }
}

/**
 * Runs query `state`. A page without a codec server has no query to run: it shows what is expected of it. On a busy machine the button
 * may come long after the last request.
 */
async function runQuery(
  page: Page,
  expected: readonly string[],
  quiet: () => Promise<unknown>,
): Promise<void> {
  const button = page.getByRole('button', { name: 'Run Query' });
  const without = textOf(page, expected, TIMEOUT_MS).then(quiet);
  await Promise.race([button.waitFor({ timeout: TIMEOUT_MS }), without]);
  if (!(await button.isVisible())) return;
  await page.getByTestId('query-select-button').click({ timeout: TIMEOUT_MS });
  await page.getByRole('option', { name: 'state' }).click({ timeout: TIMEOUT_MS });
  await page.getByRole('button', { name: /Run Query|Refresh Query/ }).click({ timeout: TIMEOUT_MS });
  await without;
}

/** @returns waits until the page has requested decoding and sends no more requests */
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
      TIMEOUT_MS,
    );
}

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { openBrowser } from '../browser/browser.js';
import { shared } from '../shared.js';
import type { RunningConsole } from './running-console.js';

/** A person at a browser. */
export interface Browsing {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What scripts and the policy of the pages complained about. */
  readonly complaints: readonly string[];
  /** Goes to a path of the console, and waits until the page is there. */
  go(path: string): Promise<void>;
  /** The text of the page, as it is now. */
  text(): Promise<string>;
  /** Waits until the text of the page contains this. */
  says(text: string): Promise<void>;
}

export interface BrowsingOptions {
  /** The `sub` at the provider of the console. Default: nobody signs in at the console. */
  readonly sub?: string;
  /** Default: true. */
  readonly scripts?: boolean;
  readonly width?: number;
  readonly dark?: boolean;
}

let opened: Promise<Browser> | undefined;

/** Closes the browser when vitest ends the process, which runs many test files. */
// biome-ignore lint/correctness/noEmptyPattern: vitest accepts a pattern only
const test = base.extend('chromium', { scope: 'worker' }, ({}, { onCleanup }) => {
  onCleanup(async () => (await opened)?.close());
  return opened;
});

/** A Chromium that all test files of this process share. A test closes the pages and contexts that it opens, or shares them. */
export function sharedBrowser(): () => Browser {
  const browser = shared(() => {
    opened ??= openBrowser();
    return opened;
  });
  test.afterAll(({ chromium: _ }) => undefined);
  return browser;
}

/** Somebody opens a browser of their own: no cookie of anybody else. */
export async function browse(
  browser: Browser,
  console: RunningConsole,
  { sub, scripts = true, width = 1_280, dark = false }: BrowsingOptions = {},
): Promise<Browsing> {
  const context = await browser.newContext({
    javaScriptEnabled: scripts,
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    timezoneId: 'America/New_York',
    locale: 'en-US',
  });
  // A busy machine takes its time.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused form is an error for the browser, and what the test wants.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  if (sub !== undefined) await signIn(page, console, sub);
  return {
    page,
    context,
    complaints,
    go: async (path) => {
      await page.goto(new URL(path, console.url).href, { waitUntil: 'load' });
    },
    text: () => page.innerText('body'),
    says: (text) => expect.poll(() => page.innerText('body')).toContain(text),
  };
}

async function signIn(page: Page, console: RunningConsole, sub: string): Promise<void> {
  await page.goto(console.url);
  await page.locator(`button[value="${sub}"]`).click();
  await page.waitForURL(`${console.url}/**`);
}

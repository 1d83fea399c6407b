import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';

const ARGUMENTS = [
  // A container supports neither Chromium's sandbox nor a graphics card.
  '--no-sandbox',
  '--disable-gpu',
  // The Web UI requests the newest version from the internet, and without a network it would wait for the response.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * A headless Chromium: the one that `CHROMIUM_PATH` names, on Linux the one of a package, elsewhere the installed Chrome.
 */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] || (await packagedChromium());
  if (executablePath) return chromium.launch({ executablePath, args: ARGUMENTS });
  return chromium.launch({ channel: 'chrome', args: ARGUMENTS });
}

/**
 * Unpacks the Chromium of the package where it runs, unless that is done. Two processes must not do it at once: the second one
 * would start a program that the first one still writes. So vitest does it before all tests.
 *
 * @returns its executable
 */
export async function packagedChromium(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // The package then also unpacks the system libraries that a machine without a desktop lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  // The arguments of the package would switch off the same-origin policy, which the tests need.
  return packaged.executablePath();
}

/** The text of a page once it contains everything `expected`, or when the time has run out. */
export async function textOf(page: Page, expected: readonly string[], timeoutMs: number): Promise<string> {
  for (const until = Date.now() + timeoutMs; ; await sleep(100)) {
    // Markdown is in a frame of its own. While a page navigates, it cannot be read.
    const texts = page.frames().map((frame) => frame.innerText('body', { timeout: 1_000 }).catch(() => ''));
    const text = (await Promise.all(texts)).join('\n');
    if (Date.now() > until || expected.every((each) => text.includes(each))) return text;
  }
}

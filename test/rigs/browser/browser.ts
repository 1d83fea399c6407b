import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';

const ARGUMENTS = [
  // A container has no place for Chromium's own sandbox, and no graphics card.
  ...['--no-sandbox', '--disable-gpu'],
  // The Web UI asks the internet for news, and a machine without it would wait for them.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * A headless Chromium: the one that `CHROMIUM_PATH` names, on Linux the one that comes as a package, elsewhere the Chrome
 * that is installed.
 */
export async function openBrowser(): Promise<Browser> {
  const { CHROMIUM_PATH: executablePath } = process.env;
  if (executablePath) return chromium.launch({ executablePath, args: ARGUMENTS });
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium();
  return chromium.launch({ channel: 'chrome', args: ARGUMENTS });
}

async function packagedChromium(): Promise<Browser> {
  // Has the package unpack the system libraries as well, which a machine without a desktop lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  // Not with its own arguments: they switch off the same-origin policy, and with it what is to be tested.
  return chromium.launch({ executablePath: await packaged.executablePath(), args: ARGUMENTS });
}

/** What a page shows, once that holds everything `expected`, or when patience has run out. */
export async function textOf(page: Page, expected: readonly string[], patienceMs: number): Promise<string> {
  for (const until = Date.now() + patienceMs; ; await sleep(100)) {
    // Markdown is shown in a frame of its own. A page that moves on to another cannot be read for a moment.
    const texts = page.frames().map((frame) => frame.innerText('body', { timeout: 1_000 }).catch(() => ''));
    const text = (await Promise.all(texts)).join('\n');
    if (Date.now() > until || expected.every((each) => text.includes(each))) return text;
  }
}

import { packagedChromium } from './browser.js';

/** vitest runs this once, before all end-to-end tests. */
export default async function setup(): Promise<void> {
  if (!process.env['CHROMIUM_PATH']) await packagedChromium();
}

import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ndjson } from '../test/rigs/commands/files.js';
import { runConsole } from '../test/rigs/console/running-console.js';
import { merchant } from '../test/rigs/inputs.js';
import type { Onboarding } from '../test/rigs/onboarding.js';
import type { Rig } from '../test/rigs/rig.js';

/** Of the window, in pixels. */
const SIZE = { width: 1_280, height: 900 };

/**
 * Takes the pictures of the console in a folder, as an admin who has signed in sees it.
 *
 * @param waiting a merchant with open notes
 */
export async function takeConsolePictures(
  rig: Rig,
  browser: Browser,
  waiting: Onboarding,
  folder: string,
): Promise<void> {
  const console = await runConsole(rig, {}, rig.atClose);
  const { cookies } = await console.signedIn({ role: 'admin', name: 'Olga Park' });
  const context = await browser.newContext({ viewport: SIZE, timezoneId: 'America/New_York' });
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: console.url })));
  const page = await context.newPage();
  const take = async (name: string, path: string, act: (page: Page) => Promise<unknown> = async () => {}) => {
    // The second time, the console has the zone of the browser.
    for (const _ of [1, 2]) await page.goto(console.url + path);
    await act(page);
    await page.screenshot({ path: join(folder, `console-${name}.png`) });
  };
  const [note, other] = (await waiting.state()).requirements;
  await waiting.claim(other?.id ?? '', 'Grace Lee');
  await waiting.listedAs((requirements) => requirements.some(({ claim }) => claim !== undefined));
  const onboarding = `/onboardings/${waiting.workflowId}`;
  // A list that is read again has the claim and the questions.
  const isComplete = (page: Page) =>
    Promise.all([page.getByText('Grace Lee').waitFor(), page.locator('.question').first().waitFor()]);
  await take('inbox', '/', isComplete);
  await take('onboarding', onboarding);
  await take('answer', `${onboarding}/requirements/${note?.id}`);
  await take('report', '/report');
  await take('batch', '/start', async () => {
    const rows = Array.from({ length: 200 }, () => merchant());
    const file = { name: 'merchants.ndjson', mimeType: 'text/plain', buffer: Buffer.from(ndjson(rows)) };
    await page.getByLabel('CSV or NDJSON file').setInputFiles(file);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByLabel('type the number of rows').fill('200');
    await page.getByRole('button', { name: 'Start 200 rows' }).click();
    await page.getByText(/^[4-9]\d of 200 rows/).waitFor();
  });
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await take('inbox-narrow-dark', '/', isComplete);
  await context.close();
  await console.close();
}

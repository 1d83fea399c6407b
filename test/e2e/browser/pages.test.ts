import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../rigs/browser/browser.js';
import { gangway } from '../../rigs/command.js';
import { business, holder } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';

/** Runs in a page that does not escape it, and reports that it did. */
const HOSTILE =
  '"><script>window.hacked = 1</script><img src="http://127.0.0.1:9/x" onerror="window.hacked = 1"><svg onload="window.hacked = 1">';

let rig: Rig;
let browser: Browser;
let files: Readonly<Record<'report' | 'export', string>>;
beforeAll(async () => {
  rig = await createRig({ server: {} });
  const input = business(undefined, {
    holder: holder(undefined, { doingBusinessAsName: HOSTILE, legalBusinessName: HOSTILE, ssn: '078051120' }),
  });
  const onboarding = await rig.onboardBusiness(input);
  const { id } = await onboarding.requirement('rejected-input');
  await onboarding.listed(' AND ActionRequired = true');
  const folder = await mkdtemp(join(tmpdir(), 'gangway-pages-'));
  files = { report: join(folder, 'report.html'), export: join(folder, 'export.html') };
  await gangway(rig.env, ['report', '--html', files.report]);
  await onboarding.resolve(
    id,
    { kind: 'correction', patch: { holder: { city: HOSTILE } } },
    HOSTILE,
    HOSTILE,
  );
  const why = ['--with-private-values', '--reason', HOSTILE, '--actor', HOSTILE];
  await gangway(rig.env, ['export', onboarding.workflowId, '--html', files.export, ...why]);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

/** Opens a page, and watches what it does. */
async function opened(name: keyof typeof files, width = 1_200) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  const url = pathToFileURL(files[name]).href;
  await page.goto(url);
  return { page, url, requests, complaints };
}

const evaluated = (page: Page, script: string): Promise<unknown> => page.evaluate(script);

describe.each(['report', 'export'] as const)('the page of gangway %s', (name) => {
  it('shows scripts in the texts of others as text, requests nothing, and breaks no rule of its policy', async () => {
    const { page, url, requests, complaints } = await opened(name);
    expect(await page.innerText('body')).toContain('<script>window.hacked = 1</script>');
    expect(await evaluated(page, 'window.hacked')).toBeUndefined();
    expect(
      await evaluated(page, 'document.querySelectorAll("script, img, [onload], [onerror]").length'),
    ).toBe(0);
    expect(requests).toEqual([url]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([390, 1_200])('fits a window of %i pixels', async (width) => {
    const { page } = await opened(name, width);
    expect(await evaluated(page, 'document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  it('is dark where the person wants that, and light on paper', async () => {
    const { page } = await opened(name);
    const background = () => evaluated(page, 'getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await background()).toBe(light);
    await page.close();
  });
});

it('a chart of the report has a title and its numbers for those who do not see it', async () => {
  const { page } = await opened('report');
  const charts = page.locator('svg[role=img]');
  expect(await charts.count()).toBeGreaterThan(0);
  for (const chart of await charts.all()) {
    expect(await chart.locator('> title').textContent()).toMatch(/\w/);
    expect(await chart.locator('> desc').textContent()).toMatch(/: \d/);
  }
  await page.close();
});

it('the record of an onboarding shows its calls in full on paper, where nobody can unfold them', async () => {
  const { page } = await opened('export');
  const call = page.locator('details pre').first();
  expect(await call.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await call.isVisible()).toBe(true);
  await page.close();
});

import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { sharedBrowser } from '../../rigs/console/browsing.js';
import { business, holder } from '../../rigs/inputs.js';
import { createRig } from '../../rigs/rig.js';
import { shared, testEnds } from '../../rigs/shared.js';

/** Runs in a page that does not escape it, and reports that it did. */
const HOSTILE =
  '"><script>window.hacked = 1</script><img src="http://127.0.0.1:9/x" onerror="window.hacked = 1"><svg onload="window.hacked = 1">';

const browser = sharedBrowser();
const files = shared(async (until) => {
  const rig = await createRig({ ownNamespace: true });
  until(() => rig.close());
  const input = business(undefined, {
    holder: holder(undefined, { doingBusinessAsName: HOSTILE, legalBusinessName: HOSTILE, ssn: '078051120' }),
  });
  const onboarding = await rig.onboardBusiness(input);
  const { id } = await onboarding.requirement('rejected-input');
  await onboarding.listed(' AND ActionRequired = true');
  const [report, page] = [`${rig.documentDir}-report.html`, `${rig.documentDir}-export.html`];
  await gangway(rig.env, ['report', '--html', report]);
  const patch = { holder: { city: HOSTILE } };
  await onboarding.resolve(id, { kind: 'correction', patch }, HOSTILE, HOSTILE);
  const why = ['--with-private-values', '--reason', HOSTILE, '--actor', HOSTILE];
  await gangway(rig.env, ['export', onboarding.workflowId, '--html', page, ...why]);
  return { report, export: page };
});

/** Opens a page, and watches what it does. */
async function opened(name: keyof ReturnType<typeof files>) {
  const page = await browser().newPage({ viewport: { width: 1_200, height: 900 } });
  testEnds(() => page.close());
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  const url = pathToFileURL(files()[name]).href;
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
  });

  it('fits its window, and is dark where the person wants that, and light on paper', async () => {
    const { page } = await opened(name);
    for (const width of [390, 1_200]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await evaluated(page, 'document.documentElement.scrollWidth')).toBe(width);
    }
    const background = () => evaluated(page, 'getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await background()).toBe(light);
  });
});

it('the record of an onboarding shows its calls in full on paper, where nobody can unfold them', async () => {
  const { page } = await opened('export');
  const call = page.locator('details pre').first();
  expect(await call.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await call.isVisible()).toBe(true);
});

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differenceFromStart } from '../../../src/temporal/start.js';
import { axeFindings } from '../../rigs/browser/axe.js';
import { openBrowser } from '../../rigs/browser/browser.js';
import { ndjson } from '../../rigs/commands/files.js';
import { typedInto } from '../../rigs/console/pages.js';
import { type RunningConsole, runConsole } from '../../rigs/console/running-console.js';
import { business, merchant, OWNER } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
let console: RunningConsole;
let browser: Browser;
beforeAll(async () => {
  rig = await createRig({ ownNamespace: true });
  console = await runConsole(rig, { provider: null }, rig.atClose);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

/** Types into a form as a person does. */
async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    const field = page.locator(`[name="${name}"]`);
    const group = page.locator('details').filter({ has: field });
    if ((await group.count()) > 0 && !(await field.isVisible())) await group.locator('> summary').click();
    const kind = await field.evaluate((element) => element.tagName + (element.getAttribute('type') ?? ''));
    if (kind === 'SELECT') await field.selectOption(text);
    else if (kind === 'INPUTcheckbox') await field.setChecked(text === 'true');
    else await field.fill(kind === 'INPUTdate' ? text.slice(0, 10) : text);
  }
}

const file = (name: string, content: string) => ({
  ...{ name, mimeType: 'text/plain' },
  buffer: Buffer.from(content),
});

describe.each([true, false])('in a browser with JavaScript: %s', (javaScriptEnabled) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ javaScriptEnabled });
    // Of a machine that has other tests to run.
    context.setDefaultTimeout(120_000);
  });
  afterAll(() => context.close());

  it('a business is started by its form, after a mistake that the form shows at its field', async () => {
    const page = await context.newPage();
    const input = { ...business(), beneficialOwners: [OWNER], openFinancialAccount: true };
    await page.goto(`${console.url}/start`);
    await page.getByRole('link', { name: 'Start a business' }).click();
    await fill(page, { ...typedInto(input), 'holder.ssn': '12' });
    await page.getByRole('button', { name: 'Start the business' }).click();
    const ssn = page.locator('[name="holder.ssn"]');
    await page.getByRole('alert').waitFor();
    expect(await ssn.getAttribute('aria-invalid')).toBe('true');
    const error = page.locator(`[id="${(await ssn.getAttribute('aria-describedby'))?.split(' ').at(-1)}"]`);
    expect(await error.innerText()).toBe('must be 9 digits of a valid SSN, without dashes');
    expect(await page.locator('[name="beneficialOwners.0.city"]').inputValue()).toBe(OWNER.city);
    expect(await page.locator('[name="openFinancialAccount"]').isChecked()).toBe(true);
    await ssn.fill(input.holder.ssn);
    await page.getByRole('button', { name: 'Start the business' }).click();
    const id = `business-onboarding-${input.externalId}`;
    await page.waitForURL(`**/onboardings/${id}`);
    expect(await differenceFromStart(rig.client, id, input)).toEqual([]);
    await page.close();
  });

  it('a batch is checked, corrected, confirmed, and followed to its end', async () => {
    const page = await context.newPage();
    const findings = async () => (javaScriptEnabled ? axeFindings(page) : []);
    const inputs = Array.from({ length: 21 }, () => merchant());
    await page.goto(`${console.url}/start`);
    const upload = page.getByLabel('CSV or NDJSON file');
    const check = page.getByRole('button', { name: 'Check the file' });
    await upload.setInputFiles(file('rows.ndjson', ndjson([...inputs, { ...inputs[0], dueInHours: 0 }])));
    await check.click();
    await page.getByRole('heading', { name: 'rows.ndjson is not valid' }).waitFor();
    expect(await findings()).toEqual([]);
    expect(await page.getByRole('cell', { name: 'dueInHours' }).count()).toBeGreaterThan(0);
    await upload.setInputFiles(file('rows.ndjson', ndjson(inputs)));
    await check.click();
    await page.getByText('This starts 21 rows of rows.ndjson (21 merchants)').waitFor();
    expect(await findings()).toEqual([]);
    // Long enough for a busy machine to show that it runs.
    await page.getByLabel('Starts per second').fill('3');
    await page.getByLabel('type the number of rows').fill('3');
    await page.getByRole('button', { name: 'Start 21 rows' }).click();
    await page.getByText('The number does not match the number of rows').waitFor();
    await page.getByLabel('type the number of rows').fill('21');
    await page.getByRole('button', { name: 'Start 21 rows' }).click();
    await page.getByText('of 21 rows: running').waitFor();
    expect(await findings()).toEqual([]);
    const { pathname } = new URL(page.url());
    await page.goto(`${console.url}/start`);
    await page.locator(`a[href="${pathname}"]`).click();
    // The page updates itself.
    await page.getByText('21 of 21 rows: done').waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await findings()).toEqual([]);
    await page.close();
  });
});

describe('axe-core finds nothing wrong, in light and in dark', () => {
  const opened = async (path: string) => {
    const page = await browser.newPage();
    await page.goto(console.url + path);
    return page;
  };

  it.each(['/start', '/start/merchant', '/start/business', '/start/customer', '/report'])(
    'with %s',
    async (path) => {
      const page = await opened(path);
      expect(await axeFindings(page)).toEqual([]);
      await page.close();
    },
  );

  it('with a form that has errors', async () => {
    const page = await opened('/start/customer');
    await page.getByRole('button', { name: 'Start the customer' }).click();
    await page.getByRole('alert').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  it('with the record of an onboarding', async () => {
    const boarding = await rig.board(merchant());
    await boarding.outcome();
    const page = await opened(`/onboardings/${boarding.workflowId}/export`);
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });
});

it.each(['/start', '/start/customer', '/report'])(
  '%s fits windows of 320, 390 and 1600 pixels',
  async (path) => {
    for (const width of [320, 390, 1_600]) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      await page.goto(console.url + path);
      const root = 'document.documentElement';
      expect(
        await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`),
        `at ${width} px`,
      ).toBeLessThanOrEqual(0);
      await page.close();
    }
  },
);

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { differenceFromStart } from '../../../src/temporal/start.js';
import { axeFindings } from '../../rigs/browser/axe.js';
import { ndjson } from '../../rigs/commands/files.js';
import { browse, sharedBrowser } from '../../rigs/console/browsing.js';
import { office } from '../../rigs/console/office.js';
import { typedInto } from '../../rigs/console/pages.js';
import { runConsole } from '../../rigs/console/running-console.js';
import { business, merchant, OWNER } from '../../rigs/inputs.js';
import { shared, testEnds } from '../../rigs/shared.js';
import { variants } from '../../rigs/variants.js';
import { eventually } from '../../rigs/waiting.js';

const browser = sharedBrowser();
const rig = await office();
const console = shared((until) => runConsole(rig, { provider: null }, until));

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
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});

it('a start that Temporal does not answer says within 5 s that it may arrive, and a reload shows that it did', async () => {
  const { page, context } = await browse(browser(), console());
  testEnds(() => context.close());
  const input = merchant();
  await page.clock.install();
  await page.goto(`${console().url}/start/merchant`);
  await fill(page, typedInto(input));
  // The console gets it, and its response never arrives.
  const arrived = new Promise<unknown>((resolve) => {
    void context.route('**/start/merchant', (route) => resolve(route.fetch({ maxRedirects: 0 })));
  });
  // A tab that waits for its next page cannot be read, so another one waits.
  await page.evaluate(`document.querySelector('main form').target = '_blank'`);
  await page.getByRole('button', { name: 'Start the merchant' }).click();
  await page.clock.fastForward(5_000);
  await page.getByRole('status').getByText('It may still arrive.').waitFor();
  await arrived;
  await page.goto(`${console().url}/onboardings/merchant-boarding-${input.externalId}`);
  await page.getByRole('heading', { name: input.merchant.dba }).waitFor();
});

// Alone catches a spreadsheet that is sent, and a page of an error without the way to a CSV.
it('a spreadsheet is refused where it is chosen, with what to do', async () => {
  const { page, context } = await browse(browser(), console());
  testEnds(() => context.close());
  await page.goto(`${console().url}/start`);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.method()));
  const check = page.getByRole('button', { name: 'Check the file' });
  // Without a file, the browser asks for one.
  await check.click();
  const upload = page.getByLabel('CSV or NDJSON file');
  await upload.setInputFiles(file('list.xlsx', 'PK'));
  await page.getByText('In Excel, choose Save As, then "CSV UTF-8"').waitFor();
  await check.click();
  expect(requests.filter((method) => method === 'POST')).toEqual([]);
  await upload.setInputFiles(file('list.csv', 'externalId,merchant.dba\n'));
  await check.click();
  await page.getByText('The file has no rows.').waitFor();
});

describe.each(variants([true], [false]))('in a browser with JavaScript: %s', (javaScriptEnabled) => {
  async function newPage(): Promise<Page> {
    const { page, context } = await browse(browser(), console(), { scripts: javaScriptEnabled });
    // A busy machine takes its time.
    context.setDefaultTimeout(120_000);
    testEnds(() => context.close());
    return page;
  }

  it('a business is started by its form, after a mistake that the form shows at its field', async () => {
    const page = await newPage();
    const input = { ...business(), beneficialOwners: [OWNER], openFinancialAccount: true };
    await page.goto(`${console().url}/start`);
    await page.getByRole('link', { name: 'Start a business' }).click();
    await fill(page, { ...typedInto(input), 'holder.ssn': '12' });
    await page.getByRole('button', { name: 'Start the business' }).click();
    const ssn = page.locator('[name="holder.ssn"]');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => ssn.getAttribute('aria-invalid')).toBe('true');
    const error = page.locator(`[id="${(await ssn.getAttribute('aria-describedby'))?.split(' ').at(-1)}"]`);
    await expect.poll(() => error.innerText()).toBe('must be 9 digits of a valid SSN, without dashes');
    await expect.poll(() => page.locator('[name="beneficialOwners.0.city"]').inputValue()).toBe(OWNER.city);
    await expect.poll(() => page.locator('[name="openFinancialAccount"]').isChecked()).toBe(true);
    await ssn.fill(input.holder.ssn);
    await page.getByRole('button', { name: 'Start the business' }).click();
    const id = `business-onboarding-${input.externalId}`;
    await page.waitForURL(`**/onboardings/${id}`);
    expect(await differenceFromStart(rig.client, id, input)).toEqual([]);
  });

  it('a batch is checked, corrected, confirmed, and followed to its end', async () => {
    let page = await newPage();
    const findings = () => (javaScriptEnabled ? axeFindings(page) : []);
    // More than twenty need their number.
    const [count = 0] = variants([7], [21]).slice(-1);
    const inputs = Array.from({ length: count }, () => merchant());
    await page.goto(`${console().url}/start`);
    const upload = page.getByLabel('CSV or NDJSON file');
    const check = page.getByRole('button', { name: 'Check the file' });
    await upload.setInputFiles(file('rows.ndjson', ndjson([...inputs, { ...inputs[0], dueInHours: 0 }])));
    await check.click();
    await page.getByRole('heading', { name: 'rows.ndjson is not valid' }).waitFor();
    expect(await findings()).toEqual([]);
    await expect.poll(() => page.getByRole('cell', { name: 'dueInHours' }).count()).toBeGreaterThan(0);
    await upload.setInputFiles(file('rows.ndjson', ndjson(inputs)));
    await check.click();
    await page.getByText(`This starts ${count} rows of rows.ndjson (${count} merchants)`).waitFor();
    expect(await findings()).toEqual([]);
    // Long enough for a busy machine to show that it runs.
    await page.getByLabel('Starts per second').fill(`${count / 7}`);
    const start = page.getByRole('button', { name: `Start ${count} rows` });
    if (count > 20) {
      await page.getByLabel('type the number of rows').fill('3');
      await start.click();
      await page.getByText('The number does not match the number of rows').waitFor();
      await page.getByLabel('type the number of rows').fill(`${count}`);
    }
    await start.click();
    await page.getByText(`of ${count} rows: running`).waitFor();
    expect(await findings()).toEqual([]);
    const { pathname } = new URL(page.url());
    // This one leads to itself again and again.
    page = await newPage();
    const link = page.locator(`a[href="${pathname}"]`);
    // Lists lag.
    await eventually(
      async () => {
        await page.goto(`${console().url}/start`);
        return link.count();
      },
      (count) => count > 0,
      'the batch in the list',
    );
    await link.click();
    // The page updates itself.
    await page.getByText(`${count} of ${count} rows: done`).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await findings()).toEqual([]);
  });
});

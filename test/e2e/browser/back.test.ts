import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { answerers, CHECK, CONFIRM, fill, unfold } from '../../rigs/console/answering.js';
import { browse } from '../../rigs/console/browsing.js';
import { office } from '../../rigs/console/office.js';
import { press } from '../../rigs/console/people.js';
import { business, holder, merchant } from '../../rigs/inputs.js';
import { runLink } from '../../rigs/link/running-link.js';
import { ASKED, DOCUMENTS, LINK } from '../../rigs/link/stand-in-api.js';
import { testEnds } from '../../rigs/shared.js';

const rig = await office();
const { browser, local, answering } = answerers(rig);

/** Goes back until the first page of a browser: none may be the browser's own error in place of a form's response. */
async function backToTheFirst(page: Page, steps: number): Promise<string[]> {
  const paths: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    // Throws net::ERR_CACHE_MISS where a browser would have to send a form again.
    const response = await page.goBack();
    expect(response?.request().method() ?? 'GET').toBe('GET');
    paths.push(new URL(page.url()).pathname);
  }
  return paths;
}

// Each test alone catches an entry of the browser's history that only a form leads to.

it('after a refused answer, Back leads to the requirement', async () => {
  const boarding = await rig.board(merchant('notes'));
  const person = await answering(boarding, 'underwriting-note', 'Answer with text');
  const { pathname } = new URL(person.page.url());
  await fill(person, 'Answer', '   ');
  await press(person, 'Send the answer');
  await person.says('must not be empty');
  expect(new URL(person.page.url()).pathname).toBe(pathname);
  await fill(person, 'Answer', 'About one sale in ten.');
  await press(person, 'Send the answer');
  await person.says('Your answer is accepted');
  expect(await backToTheFirst(person.page, 2)).toEqual([pathname, pathname]);
  await person.says('You answered this');
  await person.context.close();
});

it('after the steps of a correction, Back leads to the requirement', async () => {
  const input = business(undefined, {
    holder: holder('correction', { website: 'https://unreachable.example' }),
  });
  const onboarding = await rig.onboardBusiness(input);
  const person = await answering(onboarding, 'rejected-input', 'Correct the input');
  const { pathname } = new URL(person.page.url());
  const website = person.page.getByLabel('Website').locator('visible=true');
  if ((await website.count()) === 0) await unfold(person, 'Holder');
  await website.fill('https://shop.example');
  await press(person, CHECK);
  await person.says('Check before it is sent');
  await press(person, 'Change it');
  await press(person, CHECK);
  await press(person, CONFIRM);
  await person.says('Your answer is accepted');
  expect(await backToTheFirst(person.page, 4)).toEqual([pathname, pathname, pathname, pathname]);
  await person.context.close();
});

it('after a refused file, Back leads to the page of files, and from a refused start to the batch', async () => {
  const { page, context, says, go } = await browse(browser(), local());
  await go('/start');
  const upload = page.getByLabel('CSV or NDJSON file');
  const check = page.getByRole('button', { name: 'Check the file' });
  const file = (rows: readonly unknown[]) => ({
    name: 'rows.ndjson',
    mimeType: 'text/plain',
    buffer: Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')),
  });
  await upload.setInputFiles(file([{ ...merchant(), dueInHours: 0 }]));
  await check.click();
  await says('rows.ndjson is not valid');
  await upload.setInputFiles(file([merchant()]));
  await check.click();
  await says('This starts 1 row');
  const { pathname } = new URL(page.url());
  await page.getByLabel('Starts per second').fill('0');
  await page.getByRole('button', { name: 'Start 1 row' }).click();
  await says('must be a whole number from 1 to 9999.');
  await page.goto(`${local().url}/report`);
  expect(await backToTheFirst(page, 4)).toEqual([pathname, pathname, '/start', '/start']);
  await context.close();
});

it('after a refused answer, Back leads a merchant to the question', async () => {
  const port = await freePort();
  const { server } = await runLink({
    link: { ...ASKED, wants: DOCUMENTS, began: true },
    settings: { LINK_URL: `http://127.0.0.1:${port}` },
  });
  await server.listen({ host: '127.0.0.1', port });
  const context = await browser().newContext();
  testEnds(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`http://127.0.0.1:${port}${LINK}`);
  const send = page.getByRole('button', { name: 'Send to Acme Payments' });
  await send.click();
  await page.getByText('Not sent yet').waitFor();
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('Choose a file first').waitFor();
  await page
    .getByLabel('Photo or PDF file')
    .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('x') });
  await send.click();
  await page.getByRole('heading', { name: 'Received, thank you' }).waitFor();
  expect(await backToTheFirst(page, 3)).toEqual([LINK, LINK, LINK]);
  await page.getByRole('heading', { name: 'Received, thank you' }).waitFor();
  // Its policy allows the one script that does this.
  expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([]);
});

import { expect, it } from 'vitest';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { axeFindings } from '../../rigs/browser/axe.js';
import { sharedBrowser } from '../../rigs/console/browsing.js';
import { runLink } from '../../rigs/link/running-link.js';
import { ASKED, CODE, DOCUMENTS, FIELDS, LINK } from '../../rigs/link/stand-in-api.js';
import { testEnds } from '../../rigs/shared.js';

const browser = sharedBrowser();

/** A text without a place to break it, of a script that is written from right to left. */
const WIDE = `${'long'.repeat(40)} ${'مخبز'.repeat(40)} <script>window.hacked = 1</script>`;

/** Somebody with a phone that runs no scripts, and somebody who looks at the same pages with a program that needs them. */
async function phone() {
  const [walk, look] = [false, true].map(async (javaScriptEnabled) => {
    const context = await browser().newContext({ javaScriptEnabled, viewport: { width: 390, height: 800 } });
    context.setDefaultTimeout(60_000);
    testEnds(() => context.close());
    return context.newPage();
  });
  return { page: await walk, other: await look };
}

it('a merchant with a phone and no scripts enters the code, sends a photo and an answer, and each page is for everyone', async () => {
  const port = await freePort();
  const { api, server } = await runLink({
    link: { state: 'code', language: 'en', attemptsLeft: 5 },
    settings: { LINK_URL: `http://127.0.0.1:${port}`, LINK_LOGO_FILE: 'test/rigs/link/logo.svg' },
  });
  await server.listen({ host: '127.0.0.1', port });
  const { page, other } = await phone();
  if (!page || !other) throw new Error('no page');
  const complaints: string[] = [];
  for (const each of [page, other]) {
    each.on('console', (message) => complaints.push(message.text()));
    each.on('pageerror', (error) => complaints.push(error.message));
  }
  /** Without a cookie, so it sees what the stand-in says now. */
  const isForEveryone = async () => {
    await other.goto(page.url());
    expect(await axeFindings(other)).toEqual([]);
    for (const width of [320, 390]) {
      await other.setViewportSize({ width, height: 800 });
      expect(await other.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(await other.evaluate('window.hacked')).toBeUndefined();
  };

  await page.goto(`http://127.0.0.1:${port}${LINK}`);
  await isForEveryone();
  await page.getByLabel('Code').fill('271828');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('This code is not right.').waitFor();
  await isForEveryone();
  await page.getByLabel('Code').fill(CODE);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Answer now' }).waitFor();

  api.link = { ...ASKED, wants: DOCUMENTS, dba: WIDE, text: WIDE };
  await page.reload();
  await isForEveryone();
  await page.getByRole('button', { name: 'Answer now' }).press('Enter');
  await isForEveryone();
  const photo = {
    name: `${WIDE.slice(0, 150)}.jpg`,
    mimeType: 'image/jpeg',
    buffer: Buffer.alloc(2_000_000),
  };
  await page.getByLabel('Photo or PDF file').setInputFiles(photo);
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('has arrived. Send it below').waitFor();
  await isForEveryone();
  await page.getByLabel('Anything else').fill('From the bank of my brother.');
  await page.getByLabel('Photo or PDF file').setInputFiles({ ...photo, name: 'back.jpg' });
  await page.getByRole('button', { name: 'Send to Acme Payments' }).click();
  await page.getByRole('heading', { name: 'Received, thank you' }).waitFor();
  await page.getByText('back.jpg').waitFor();
  await isForEveryone();

  Object.assign(api.link, { state: 'sent-back', message: WIDE, language: 'es', wants: FIELDS, answer: {} });
  await page.reload();
  await isForEveryone();
  await page.getByRole('button', { name: 'Enviar a Acme Payments' }).click();
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert');
  await page.getByLabel('City').fill('Springfield');
  await page.getByRole('button', { name: 'Enviar a Acme Payments' }).click();
  await page.getByRole('link', { name: 'Cambiar su respuesta' }).click();
  await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Springfield');
  await isForEveryone();
  api.link = { state: 'closed', language: 'en', why: 'answered' };
  await page.reload();
  await isForEveryone();
  // A refused form is an error for the browser, and what this wants.
  expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([]);
});

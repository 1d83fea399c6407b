import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../../rigs/browser/axe.js';
import { office } from '../../../rigs/console/office.js';
import { noted, pathOf, peopleOf, press } from '../../../rigs/console/people.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { variants } from '../../../rigs/variants.js';

const rig = await office();
const person = peopleOf(() => rig);

describe('every page', () => {
  it('keeps a name of many words, or without a space, in its place', async () => {
    const { merchant: of } = merchant('notes');
    const dbas = variants([`${'W'.repeat(118)} [notes]`], [`${'Incorporated Holdings '.repeat(5)}[notes]`]);
    const paths = ['/', '/onboardings', '/activity', '/report', '/start', '/start/customer'];
    for (const dba of dbas) {
      const boarding = await rig.board(merchant('notes', { merchant: { ...of, dba } }));
      const { id } = await boarding.requirement('underwriting-note');
      await boarding.listed(' AND ActionRequired = true');
      paths.push(pathOf(boarding), pathOf(boarding, id), `${pathOf(boarding)}/documents`);
    }
    const { page, go } = await person('Ada', 'admin');
    const matches: string[] = [];
    for (const path of paths) {
      await go(path);
      const narrow = /^\/(report|start)/.test(path) ? [320] : [];
      for (const width of variants([390], [...narrow, 1_024, 1_600])) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(`[document.documentElement, ...document.querySelectorAll('.scroll')]
          .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
          .filter((pixels) => pixels > 0).join()`);
        if (over !== '') matches.push(`${path} at ${width}: ${over} px too wide`);
        const tallest = (await page.evaluate(
          `Math.max(0, ...[...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight))`,
        )) as number;
        if (tallest > 300) matches.push(`${path} at ${width}: a row of ${tallest} px`);
      }
    }
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(matches).toEqual([]);
  });

  it('has no violation of accessibility rules', async () => {
    const [{ boarding, id }, ticket, corrected, both] = await Promise.all([
      noted(rig),
      rig.onboardBusiness(business('ticket')),
      rig.onboardBusiness(business('correction')),
      rig.onboard(customer({ boarding: 'notes' })),
    ]);
    const ticketId = (await ticket.requirement('ticket')).id;
    const rejectedId = (await corrected.requirement('rejected-input')).id;
    await both.until((state) => state.requirements.length === 2, 'the notes of the customer');
    const ada = await person('Ada', 'admin');
    const { page } = ada;
    const paths = variants(
      ['/', '/onboardings', '/activity', '/report', '/start', pathOf(both), `${pathOf(boarding)}/export`],
      [
        '/?find=nothing-has-this',
        '/no-such-page',
        '/start/merchant',
        '/start/business',
        '/start/customer',
        pathOf(boarding),
        pathOf(boarding, id),
        `${pathOf(boarding)}/documents`,
        pathOf(ticket),
        pathOf(ticket, ticketId),
        pathOf(corrected, rejectedId),
      ],
    );
    const matches: string[] = [];
    const check = async (path: string) => {
      // Rules hold for what is folded up, too.
      await page.evaluate(
        'for (const each of document.querySelectorAll("details")) { each.removeAttribute("name"); each.open = true; }',
      );
      for (const findings of variants(
        [() => axeFindings(page, ['light'])],
        [() => axeFindings(page, ['dark']), () => onPhone(() => axeFindings(page, ['light']))],
      ))
        matches.push(...(await findings()).map((finding) => `${path} ${finding}`));
    };
    const onPhone = async (find: () => Promise<string[]>) => {
      await page.setViewportSize({ width: 390, height: 900 });
      const findings = await find();
      const scrolls = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
      await page.setViewportSize({ width: 1_280, height: 900 });
      return scrolls > 0 ? [...findings, `${scrolls} px too wide for a phone`] : findings;
    };
    for (const path of paths) {
      await ada.go(path);
      await check(path);
    }
    // Forms with a mistake, and a preview.
    const forms = variants(
      [
        async () => {
          await ada.go(pathOf(corrected, rejectedId));
          await ada.page.getByLabel(/^Website/).fill('https://baker.example');
          await press(ada, 'Check, then confirm');
          await check('a preview');
        },
      ],
      [
        async () => {
          await ada.go('/start/customer');
          await press(ada, 'Start the customer');
          await check('a start with mistakes');
        },
        async () => {
          await ada.go(pathOf(boarding, id));
          await ada.page.getByLabel('Answer', { exact: true }).fill(' ');
          await press(ada, 'Send the answer');
          await check('a mistake');
        },
      ],
    );
    for (const fill of forms) await fill();
    expect(matches).toEqual([]);
    expect(ada.complaints).toEqual([]);
  });

  it('is light, and nothing in it moves: the inbox takes less than 60 KB and shifts by 0', async () => {
    const { boarding } = await noted(rig);
    const ada = await person('Ada', 'admin');
    // The console keeps a list for a moment: a new row would move what is below it.
    const inbox = new URL('/', ada.page.url()).href;
    await expect
      .poll(async () => (await ada.context.request.get(inbox)).text(), { timeout: 60_000 })
      .toContain(boarding.workflowId);
    const session = await ada.context.newCDPSession(ada.page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    // As where a person can allow notifications.
    await ada.page.addInitScript('Object.defineProperty(Notification, "permission", { value: "default" });');
    await ada.page.addInitScript(
      'globalThis.shifted = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) globalThis.shifted += value; }).observe({ type: "layout-shift", buffered: true });',
    );
    await ada.go('/');
    await expect.poll(() => bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(60_000);
    await ada.page.waitForResponse((response) => response.url().includes('/inbox/part'));
    // Twice painted: what the response has moved is known.
    await ada.page.evaluate(
      'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))',
    );
    await expect.poll(() => ada.page.evaluate('globalThis.shifted')).toBe(0);
  });

  // Alone catches a list that moves while somebody reads it, and a row of three lines on a phone.
  it.each(variants([390], [1_440]))(
    'stays in its place at %i pixels until a person wants to see what is new',
    async (width) => {
      const ada = await person('Ada', 'admin');
      const { page } = ada;
      await page.setViewportSize({ width, height: 844 });
      await page.addInitScript(
        'globalThis.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) globalThis.moved += value; }).observe({ type: "layout-shift", buffered: true });',
      );
      await noted(rig);
      await expect
        .poll(
          async () => {
            await ada.go('/');
            return page.locator('#inbox tbody tr').count();
          },
          { timeout: 60_000 },
        )
        .toBeGreaterThan(1);
      // What moves while a page loads is the matter of the test before this one.
      await page.waitForTimeout(2_000);
      await page.evaluate('globalThis.moved = 0');
      const { boarding, id } = await noted(rig);
      await page.getByRole('button', { name: /^Show/ }).waitFor({ timeout: 60_000 });
      expect(await page.evaluate('globalThis.moved')).toBe(0);
      if (width === 390) {
        const first = page.locator('#inbox tbody tr[id]').first();
        const { y = 0, height = 0 } = (await first.boundingBox()) ?? {};
        expect([y < 200, height < 60]).toEqual([true, true]);
      }
      await page.getByRole('button', { name: 'Show what is new' }).click();
      await page.locator(`tr[id^="r-${boarding.workflowId}-"]`).first().waitFor();
      await expect.poll(() => page.getByRole('button', { name: /^Show/ }).count()).toBe(0);
      const before = await waitingIn(page);
      // Alone catches a row that another person answered, and that an open inbox still offers.
      await boarding.resolve(id, { kind: 'abandon' }, 'Grace');
      const row = page.locator(`[id="r-${boarding.workflowId}-${id}"].gone`);
      await row.waitFor({ timeout: 60_000 });
      expect(await row.getByText('Answer here').isVisible()).toBe(false);
      // Alone catches a sentence over the rows that still counts what others have answered.
      await expect.poll(() => waitingIn(page)).toBe(String(Number(before) - 1));
      expect(await row.getByRole('checkbox').isVisible()).toBe(false);
      await page.setViewportSize({ width: 1_280, height: 900 });
    },
  );
});

// Alone catches a choice of a filter that scrolls the title of its page away, and a line over the first change of a row.
it('Activity stays at its top when a filter is chosen, and has no line over the first change', async () => {
  const corrected = await rig.onboardBusiness(business('correction'));
  const { id } = await corrected.requirement('rejected-input');
  await corrected.resolve(id, { kind: 'correction', patch: { holder: { website: 'https://example.com' } } });
  const { page, go } = await person('Ada', 'operator');
  await page.setViewportSize({ width: 1_280, height: 300 });
  await go('/activity');
  await page.getByLabel('What').selectOption('corrections');
  await page.waitForURL('**/activity?**kind=correction**');
  await page.getByText('Website:').first().waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('kind');
  expect(await page.evaluate('scrollY')).toBe(0);
  const line = `getComputedStyle(document.querySelector('.lines .answered li')).borderTopWidth`;
  expect(await page.evaluate(line)).toBe('0px');
  await page.setViewportSize({ width: 1_280, height: 900 });
});

/** The number in the sentence over the rows. */
async function waitingIn(page: Page): Promise<string | undefined> {
  return /^\d+(?= onboarding)/.exec(await page.locator('#inbox caption').innerText())?.[0];
}

import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import type { Route } from '../../../../src/apps/console/route.js';
import { browse, sharedBrowser } from '../../../rigs/console/browsing.js';
import { office } from '../../../rigs/console/office.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { testEnds } from '../../../rigs/shared.js';
import { variants } from '../../../rigs/variants.js';

const rig = await office();

const browser = sharedBrowser();

/** Longer than a session lasts without a request. Only the clock of the console and of the provider goes on. */
const PAUSE_MS = 600_000;

/** A page with a form that a filter has. */
const FILTERED: Route = {
  method: 'GET',
  path: '/filtered',
  role: 'viewer',
  show: async ({ request }) => ({
    title: 'Filtered',
    page: h('div', null, [
      h('form', { action: '/filtered' }, [
        h('input', { name: 'text', value: (request.query as { readonly text?: string }).text }),
        h('button', {}, 'Filter'),
      ]),
    ]),
  }),
};

it.each(variants([true], [false]))(
  'a person signs in, is signed in again after a pause, and signs out (scripts: %s)',
  async (scripts) => {
    const times = { idleMs: PAUSE_MS };
    const console = await runConsole(rig, { times, routes: [FILTERED] });
    const { provider, url } = console;
    provider.add({ sub: 'ada', name: 'Ada Park', roles: ['viewer'] });
    const { page, context, complaints } = await browse(browser(), console, { scripts });
    testEnds(() => context.close());
    await page.goto(`${url}/filtered?text=before`);
    await page.click('button[value=ada]');
    await page.waitForURL(`${url}/filtered?text=before`);
    await page.locator('.who', { hasText: 'Ada Park, viewer' }).waitFor();

    // The form leads to the console, and from there to the provider and back.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + PAUSE_MS, shouldAdvanceTime: true });
    testEnds(() => vi.useRealTimers());
    await page.fill('input[name=text]', 'after');
    await page.click('text=Filter');
    await page.waitForURL(`${url}/filtered?text=after`);
    await expect.poll(() => page.inputValue('input[name=text]')).toBe('after');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.oidc.issuer}/session/end?**`);
    await page.click('button[value=yes]');
    await page.waitForURL(`${url}/signed-out**`);
    await page.locator('main', { hasText: 'You have signed out.' }).waitFor();
    await page.goto(`${url}/filtered`);
    await page.waitForSelector('button[value=ada]');
    // The content security policy refused nothing.
    expect(complaints).toEqual([]);
  },
);

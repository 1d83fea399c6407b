import { setTimeout as sleep } from 'node:timers/promises';
import { h } from 'preact';
import { expect, it } from 'vitest';
import type { Route } from '../../../src/console/route.js';
import { browse, sharedBrowser } from '../../rigs/console/browsing.js';
import { runConsole } from '../../rigs/console/running-console.js';
import { createRig } from '../../rigs/rig.js';
import { shared, testEnds } from '../../rigs/shared.js';

const rig = shared(async (until) => {
  const opened = await createRig({ worker: false });
  until(() => opened.close());
  return opened;
});

const browser = sharedBrowser();

/** A page with a form that a filter has. */
const FILTERED: Route = {
  ...{ method: 'GET', path: '/filtered', role: 'viewer' },
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

it.each([true, false])(
  'a person signs in, is signed in again after a pause, and signs out (scripts: %s)',
  async (scripts) => {
    const times = { idleMs: 3_000 };
    const console = await runConsole(rig(), { times, routes: [FILTERED] });
    const { provider, url } = console;
    provider.add({ sub: 'ada', name: 'Ada Park', roles: ['viewer'] });
    const { page, context, complaints } = await browse(browser(), console, { scripts });
    testEnds(() => context.close());
    await page.goto(`${url}/filtered?text=before`);
    await page.click('button[value=ada]');
    await page.waitForURL(`${url}/filtered?text=before`);
    expect(await page.innerText('.who')).toContain('Ada Park, viewer');

    // The form leads to the console, and from there to the provider and back.
    await sleep(3_500);
    await page.fill('input[name=text]', 'after');
    await page.click('text=Filter');
    await page.waitForURL(`${url}/filtered?text=after`);
    expect(await page.inputValue('input[name=text]')).toBe('after');

    await page.click('text=Sign out');
    await page.waitForURL(`${provider.oidc.issuer}/session/end?**`);
    await page.click('button[value=yes]');
    await page.waitForURL(`${url}/signed-out**`);
    expect(await page.innerText('main')).toContain('You have signed out.');
    await page.goto(`${url}/filtered`);
    await page.waitForSelector('button[value=ada]');
    // The content security policy refused nothing.
    expect(complaints).toEqual([]);
  },
);

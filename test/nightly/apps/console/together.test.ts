import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../../rigs/browser/axe.js';
import { named, noted, pathOf, peopleOf, press } from '../../../rigs/console/people.js';
import { merchant } from '../../../rigs/inputs.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = shared(async (until) => {
  // Most of what is started here waits until the end, and nothing about it changes at the partner.
  const record = await createRig({ ownNamespace: true, worker: false, poll: { minMs: 50, maxMs: 10_000 } });
  until(() => record.close());
  let worker = await record.startWorker();
  return {
    ...record,
    /** No worker runs meanwhile. */
    withoutWorker: async (during: () => Promise<void>) => {
      await worker.stop();
      await during();
      worker = await record.startWorker();
    },
  };
});
const person = peopleOf(rig);

describe('the open inbox', () => {
  it('shows that a colleague was faster in the row where somebody types', async () => {
    const { boarding, id } = await noted(rig());
    await boarding.listed(' AND ActionRequired = true');
    const ada = await person('Ada', 'operator');
    await ada.go(`/?find=${boarding.workflowId}`);
    await ada.page.getByRole('link', { name: 'Answer here' }).click();
    const field = ada.page.getByLabel('Answer', { exact: true });
    await field.fill('I am still typ');
    await boarding.resolve(id, { kind: 'text', text: 'Bread and rolls.' }, 'Grace');
    await ada.page
      .getByText('This requirement is no longer open. What you typed is still here')
      .waitFor({ timeout: 60_000 });
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    expect(ada.complaints).toEqual([]);
  });

  it('notifies of new requirements whoever allows it, while they look elsewhere and are signed in', async () => {
    const dba = `Notified Shop ${Date.now()} [notes]`;
    const nora = await person('Nora', 'operator');
    const { page, context } = nora;
    // A browser without a screen has no notifications of its own.
    await page.addInitScript(`
      globalThis.shown = [];
      globalThis.focus = () => shown.push('focused');
      globalThis.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() {
          return (this.permission = 'granted');
        }
        constructor(...all) {
          super();
          shown.push(...all);
          globalThis.last = this;
        }
        close() {
          shown.push('closed');
        }
      };`);
    await page.clock.install();
    await nora.go(`/?find=${encodeURIComponent(dba)}`);
    expect(await axeFindings(page)).toEqual([]);
    const button = page.getByRole('button', { name: 'Notify me of new ones' });
    await button.press('Enter');
    await button.waitFor({ state: 'detached' });
    await page.evaluate('Object.defineProperty(document, "hidden", { get: () => true })');
    const { merchant: of } = merchant('notes');
    await rig().board(merchant('notes', { merchant: { ...of, dba } }));
    const render = () => page.evaluate('shown') as Promise<string[]>;
    const isShown = (number: number) => {
      const later = () => page.clock.fastForward(5_000).then(render);
      return eventually(later, ({ length }) => length >= number, `${number} of what is shown`, 60_000);
    };
    await isShown(1);
    await page.evaluate('last.dispatchEvent(new Event("click"))');
    await context.clearCookies();
    await isShown(4);
    // Longer than the pause after it, twice.
    for (let pause = 0; pause < 2; pause++) {
      await page.clock.fastForward(21_000);
      await page.waitForTimeout(1_000);
    }
    await expect
      .poll(() => render())
      .toEqual(['Gangway has something new', 'focused', 'closed', 'You are signed out of Gangway']);
    await expect.poll(() => page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(nora.complaints).toEqual([]);
  });
});

describe('without a worker', () => {
  it('an answer is not lost: the page shows that nothing was sent, and it is sent once a worker runs', async () => {
    const { boarding, id } = await noted(rig());
    const linus = await person('Linus', 'operator');
    await linus.go(pathOf(boarding, id));
    await linus.page.getByLabel('Answer', { exact: true }).fill('Bread and rolls.');
    await rig().withoutWorker(async () => {
      linus.page.setDefaultTimeout(90_000);
      await press(linus, 'Send the answer');
      await linus.says('This onboarding cannot be read now');
      await linus.says('Nothing was sent.');
      await expect
        .poll(() => linus.page.getByLabel('Answer', { exact: true }).inputValue())
        .toBe('Bread and rolls.');
    });
    await eventually(
      async () => {
        await press(linus, 'Send the answer');
        return linus.text();
      },
      (text) => text.includes('Your answer is accepted.'),
      'the answer to be accepted',
    );
  });
});

describe('a person without a mouse', () => {
  it('claims several at once, which stay chosen while the inbox updates, but for the one that somebody took', async () => {
    const { dba, boardings } = await named(rig(), 'Chosen Shop', 'uw-level-1', 3);
    const [ada, grace] = await Promise.all([person('Ada', 'operator'), person('Grace', 'operator')]);
    const { page } = ada;
    await ada.go(`/?find=${encodeURIComponent(dba.toLowerCase())}`);
    for (const key of ['j', 'x', 'j', 'x', 'x', 'x', 'j', 'x']) await page.keyboard.press(key);
    const chosen = page.getByRole('checkbox', { checked: true });
    await expect.poll(() => chosen.count()).toBe(3);
    expect(await axeFindings(page)).toEqual([]);
    const taken = (await page.locator('a.task').first().getAttribute('href')) ?? '';
    await grace.go(taken);
    await press(grace, 'Claim');
    await page.getByText('Grace').waitFor();
    await expect.poll(() => chosen.count()).toBe(2);
    await press(ada, 'Claim selected');
    await ada.says('You claimed 2 requirements. Other people can see this.');
    const claims = await Promise.all(boardings.map((boarding) => boarding.state()));
    const actors = claims.flatMap(({ requirements }) =>
      requirements.map(({ claim }) => claim?.actor ?? 'nobody'),
    );
    expect(actors.sort()).toEqual(['Ada (ada-operator)', 'Ada (ada-operator)', 'Grace (grace-operator)']);
    expect(new URL(page.url()).search).toContain('find=chosen');
    expect(ada.complaints).toEqual([]);
  });

  it('works through a list by keys: after an answer comes the next one of the same filter', async () => {
    const { dba } = await named(rig(), 'Keyboard Shop', 'more-notes', 2);
    const ada = await person('Ada', 'operator');
    const { page } = ada;
    const { keyboard } = page;
    const claims: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/claim')) claims.push(request.method());
    });
    const focused = () => page.evaluate('document.activeElement?.textContent ?? ""') as Promise<string>;
    const tabTo = async (isThere: () => Promise<boolean>) => {
      for (let presses = 0; !(await isThere()); presses += 1) {
        if (presses > 40) throw new Error('it cannot be reached');
        await keyboard.press('Tab');
      }
    };
    await ada.go(`/?find=${encodeURIComponent(dba.toLowerCase())}`);
    await keyboard.press('Tab');
    await expect.poll(() => focused()).toContain('Skip to the content');
    const isAtRow = 'document.activeElement?.matches("a.task") === true';
    await tabTo(() => page.evaluate(isAtRow) as Promise<boolean>);
    await ada.go(page.url());
    await keyboard.press('?');
    await expect.poll(() => page.locator('#keys').isVisible()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await keyboard.press('Escape');
    const rowAt = () => page.evaluate('document.activeElement?.closest("tr")?.rowIndex') as Promise<number>;
    await keyboard.press('j');
    await keyboard.press('j');
    await expect.poll(() => rowAt()).toBe(2);
    await keyboard.press('k');
    await expect.poll(() => rowAt()).toBe(1);
    await Promise.all([page.waitForEvent('load'), keyboard.press('Enter')]);
    // A key that is held repeats.
    await Promise.all([page.waitForEvent('load'), keyboard.down('c').then(() => keyboard.down('c'))]);
    await keyboard.up('c');
    await ada.says('Claimed by you');
    expect(claims).toEqual(['POST']);
    const first = new URL(page.url()).pathname;
    await expect.poll(() => page.locator('#business').innerText()).toContain(dba);
    await tabTo(() => page.evaluate('document.activeElement?.tagName === "TEXTAREA"'));
    // The outline of what has the focus is seen.
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineWidth'))
      .toBe('3px');
    await keyboard.type('Bread and rolls. j k ?');
    for (const key of ['Tab', 'Tab']) await keyboard.press(key);
    await expect.poll(() => focused()).toBe('Send the answer');
    await Promise.all([page.waitForEvent('load'), keyboard.press('Enter')]);
    const next = new URL(page.url());
    expect(next.pathname).toMatch(/\/requirements\/note-/);
    expect(next.pathname).not.toBe(first);
    await expect
      .poll(() => page.evaluate('document.activeElement?.textContent'))
      .toContain('Your answer is accepted.');
    await page.getByLabel('Answer', { exact: true }).fill('Rolls.');
    await press(ada, 'Send the answer');
    await ada.says('Your answer is accepted.');
    expect(ada.complaints).toEqual([]);
  });

  it('sees that an id is copied, and can copy it again', async () => {
    const { boarding, id } = await noted(rig());
    const ada = await person('Ada', 'viewer');
    await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await ada.go(pathOf(boarding, id));
    const copy = ada.page.locator('#business [data-copy]').first();
    await copy.click();
    await ada.page.getByText('Copied', { exact: true }).waitFor();
    await copy.click();
    await expect.poll(() => ada.page.evaluate('navigator.clipboard.readText()')).toBe(boarding.workflowId);
    await copy.filter({ hasText: /^Copy$/ }).waitFor();
  });
});

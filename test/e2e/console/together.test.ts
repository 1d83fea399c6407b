import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../rigs/browser/axe.js';
import { office } from '../../rigs/console/office.js';
import { named, noted, pathOf, peopleOf, press } from '../../rigs/console/people.js';
import { merchant } from '../../rigs/inputs.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await office();
const person = peopleOf(() => rig);

it('two people see who has claimed a requirement, take it over, and when both answer, the second sees who was first', async () => {
  const { boarding, id } = await noted(rig);
  const [ada, grace] = await Promise.all([person('Ada', 'operator'), person('Grace', 'operator')]);
  await Promise.all([ada.go(pathOf(boarding, id)), grace.go(pathOf(boarding, id))]);
  await press(ada, 'Claim');
  await ada.says('Claimed by you until');
  // Without a reload.
  await grace.page.getByText('Claimed by Ada (ada-operator)').waitFor();
  const [claim] = (await boarding.state()).requirements.map((requirement) => requirement.claim);
  const left = Date.parse(claim?.until ?? '') - Date.now();
  expect(left).toBeGreaterThan(3.9 * 3_600_000);
  expect(left).toBeLessThan(4 * 3_600_000);
  const rows = await eventually(
    async () => {
      await grace.go('/?taken=taken');
      return grace.page.locator('table tbody tr').allInnerTexts();
    },
    (all) => all.some((row) => row.includes(boarding.workflowId) && row.includes('Ada')),
    'the claim in the inbox',
  );
  // The inbox has room for the name only.
  expect(rows.join()).not.toContain('ada-operator');
  await grace.go(pathOf(boarding, id));
  await grace.page.getByText('Remark for colleagues').click();
  await grace.page.getByLabel('Remark', { exact: true }).fill('They call back on Monday. <3');
  await press(grace, 'Add the remark');
  await grace.says('Your colleagues see the remark.');
  expect(await axeFindings(grace.page)).toEqual([]);
  // Without a reload, and no partner gets it.
  await ada.page.getByText(/^Grace \(grace-operator\), .*: They call back on Monday. <3$/).waitFor();
  await press(grace, 'Take over');
  await grace.says('Claimed by you until');
  await press(grace, 'Release');
  await grace.says('Unclaimed');
  await ada.go(pathOf(boarding, id));
  await grace.page.getByLabel('Answer', { exact: true }).fill('Mostly cakes.');
  await ada.page.getByLabel('Answer', { exact: true }).fill('Bread and rolls.');
  await press(ada, 'Send the answer');
  await press(grace, 'Send the answer');
  await expect
    .poll(() => grace.text())
    .toMatch(/Ada \(ada-operator\) answered this first, .*: “Bread and rolls\.”/);
  await grace.says('Your answer was not sent.');
  await grace.says('Mostly cakes.');
  const { timeline } = await boarding.state();
  expect(timeline.filter(({ event }) => event === 'requirement-resolved')).toHaveLength(1);
});

describe('while somebody types', () => {
  it('no key takes a requirement, and the page updates around it: nothing typed is lost, the focus stays, and an answer by another is shown in place', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements;
    const ada = await person('Ada', 'operator');
    await ada.go(pathOf(boarding));
    // Where a page has several, no key takes one.
    await expect.poll(() => ada.page.locator('button[value="claim"]').count()).toBe(2);
    await ada.page.keyboard.press('c');
    await ada.go(pathOf(boarding));
    await expect.poll(() => ada.page.locator('button[value="claim"]').count()).toBe(2);
    expect((await boarding.state()).requirements.map(({ claim }) => claim)).toEqual([undefined, undefined]);
    const card = ada.page.locator(`[id="r-${first?.id}"]`);
    await card.locator('details', { hasText: 'Answer with text' }).locator('summary').click();
    const field = card.getByLabel('Answer', { exact: true });
    await field.fill('I am still typ');
    await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(2, 4));
    const before = await field.boundingBox();
    await boarding.resolve(second?.id ?? '', { kind: 'text', text: 'One in ten.' }, 'Grace');
    await ada.page.locator(`[id="answered-${second?.id}"]`).waitFor();
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    expect(
      await field.evaluate((element: HTMLTextAreaElement) => [
        element.selectionStart,
        element.selectionEnd,
        element === element.ownerDocument.activeElement,
      ]),
    ).toEqual([2, 4, true]);
    expect(Math.abs(((await field.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
    await boarding.resolve(first?.id ?? '', { kind: 'text', text: 'A voided check comes by mail.' }, 'Grace');
    await card.getByText('Grace answered').waitFor();
    await expect.poll(() => card.innerText()).toContain('What you typed is still here');
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    expect(ada.complaints).toEqual([]);
  });
});

describe('a person without a mouse', () => {
  it('works through a list by keys: after an answer comes the next one of the same filter', async () => {
    const { dba } = await named(rig, 'Keyboard Shop', 'more-notes', 2);
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
    await tabTo(async () => (await focused()) === 'Answer note');
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
});

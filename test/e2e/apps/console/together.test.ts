import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../../rigs/browser/axe.js';
import type { Browsing } from '../../../rigs/console/browsing.js';
import { office } from '../../../rigs/console/office.js';
import { noted, pathOf, peopleOf, press } from '../../../rigs/console/people.js';
import { merchant } from '../../../rigs/inputs.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await office();
const person = peopleOf(() => rig);

it('two people see who has claimed a requirement, take it over, and when both answer, the second sees who was first', async () => {
  const { boarding, id } = await noted(rig);
  const [ada, grace] = await Promise.all([person('Ada', 'operator'), person('Grace', 'operator')]);
  await Promise.all([ada.go(pathOf(boarding, id)), grace.go(pathOf(boarding, id))]);
  await press(ada, 'Claim');
  await ada.says('Claimed by you until');
  // Without a reload.
  await grace.page.getByText('Claimed by Ada until').waitFor();
  const [claim] = (await boarding.state()).requirements.map((requirement) => requirement.claim);
  const left = Date.parse(claim?.until ?? '') - Date.now();
  expect(left).toBeGreaterThan(3.9 * 3_600_000);
  expect(left).toBeLessThan(4 * 3_600_000);
  const rows = await eventually(
    async () => {
      await grace.go('/?taken=taken');
      return grace.page.locator(`tr[id^="r-${boarding.workflowId}-"]`).allInnerTexts();
    },
    (all) => all.some((row) => row.includes('Ada')),
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
  await ada.page.getByText(/: They call back on Monday. <3$/).waitFor();
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

  // Alone catches a page that loses an answer because a person claims, remarks, answers or looks elsewhere before it is sent.
  it('what is typed comes back after another form is sent, a page in between, and Back, and goes once it is sent', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements;
    const ada = await person('Ada', 'approver');
    const stored = () => ada.page.evaluate('sessionStorage.length');
    await ada.go(pathOf(boarding));
    const card = (id = '') => ada.page.locator(`[id="r-${id}"]`);
    const leads = async (button: Locator) => {
      await Promise.all([ada.page.waitForEvent('load'), button.click()]);
    };
    await card(first?.id).locator('summary', { hasText: 'Answer with text' }).click();
    const field = card(first?.id).getByLabel('Answer', { exact: true });
    await field.fill('I am still typ');
    expect(await stored()).toBe(0);
    await leads(card(second?.id).getByRole('button', { name: 'Claim' }));
    await ada.says('You have claimed it. Other people can see this.');
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    expect(await field.isVisible()).toBe(true);
    await ada.says('What you typed before is here again.');
    expect(await stored()).toBe(0);
    // A page in between, and back by the browser.
    await ada.go('/onboardings');
    await ada.page.goBack();
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    // A preview, which is left with the answer unsent.
    const giveUp = card(second?.id).locator('details.abandon');
    await giveUp.locator('summary').click();
    await giveUp.getByLabel('Reason').fill('Perhaps.');
    await leads(giveUp.getByRole('button', { name: 'Check, then confirm' }));
    await ada.says('This cannot be undone');
    await ada.go(pathOf(boarding));
    await expect.poll(() => field.inputValue()).toBe('I am still typ');
    await expect.poll(() => giveUp.getByLabel('Reason').inputValue()).toBe('Perhaps.');
    // It is sent, and does not come back; the other one does.
    await leads(card(first?.id).getByRole('button', { name: 'Send the answer' }));
    await ada.page.locator(`[id="answered-${first?.id}"]`).waitFor();
    await ada.says('Your answer is accepted.');
    await expect.poll(() => giveUp.getByLabel('Reason').inputValue()).toBe('Perhaps.');
    await ada.go(pathOf(boarding, second?.id ?? ''));
    const remark = ada.page.getByLabel('Remark', { exact: true });
    await ada.page.getByText('Remark for colleagues').click();
    await remark.fill('They call back.');
    await press(ada, 'Add the remark');
    await ada.page.getByText(/: They call back\.$/).waitFor();
    expect(await remark.inputValue()).toBe('');
    await press(ada, 'Check, then confirm');
    await press(ada, 'Change it');
    await expect.poll(() => giveUpOf(ada).inputValue()).toBe('Perhaps.');
    expect(
      (await boarding.state()).timeline.filter(({ event }) => event === 'requirement-resolved'),
    ).toHaveLength(1);
    expect(ada.complaints).toEqual([]);
  });

  // Alone catches an open row that hides the button of what is new, or a colleague's remark, and a row that is no longer new after it closes.
  it('a row of the inbox is open with its remarks, and the list offers what is new, which stays new once the row closes', async () => {
    const { boarding, id } = await noted(rig);
    await boarding.listed(' AND ActionRequired = true');
    const ada = await person('Ada', 'operator');
    const grace = await person('Grace', 'operator');
    await grace.go(pathOf(boarding, id));
    await grace.page.getByText('Remark for colleagues').click();
    await grace.page.getByLabel('Remark', { exact: true }).fill('Please ask Rosa.');
    await press(grace, 'Add the remark');
    await ada.go('/');
    const first = ada.page.locator(`tr[id^="r-${boarding.workflowId}-"]`).first();
    await first.getByText('Has a remark').waitFor();
    await first.getByText('Answer here').click();
    await ada.page
      .locator('.below-row')
      .getByText(/: Please ask Rosa\.$/)
      .waitFor();
    const field = ada.page.locator('.below-row').getByLabel('Answer', { exact: true });
    await field.fill('Half an ans');
    const { boarding: other } = await noted(rig);
    await ada.page.getByRole('button', { name: 'Show what is new' }).click({ timeout: 60_000 });
    const row = ada.page.locator(`tr[id^="r-${other.workflowId}-"]`).first();
    await row.getByText('New', { exact: true }).waitFor();
    expect(await field.inputValue()).toBe('Half an ans');
    await ada.page.locator('.below-row').getByText('Close').click();
    await field.waitFor({ state: 'detached' });
    await row.getByText('New', { exact: true }).waitFor();
    expect(await first.getByText('New', { exact: true }).count()).toBe(0);
    expect(ada.complaints).toEqual([]);
  });

  // Alone catches a session that ends while somebody types, and a draft that a next person at the same machine sees.
  it('a refused form stays in its tab, the next person sees nothing of it, and a sign-out forgets it', async () => {
    const { boarding, id } = await noted(rig);
    const edith = await person('Edith', 'operator');
    const stored = () =>
      edith.page.evaluate('sessionStorage.getItem("gangway-drafts") ?? ""') as Promise<string>;
    const answer = edith.page.getByLabel('Answer', { exact: true });
    await edith.go(pathOf(boarding, id));
    await answer.fill('Half an ans');
    await edith.page.evaluate(
      `document.querySelector('form[id$="-text"] [name=csrf]').value = 'of another session'`,
    );
    await press(edith, 'Send the answer');
    await edith.says('This form has expired');
    await edith.go(pathOf(boarding, id));
    await expect.poll(() => answer.inputValue()).toBe('Half an ans');
    await answer.fill('The owner has 123-45-6789.');
    await edith.go('/onboardings');
    expect(await stored()).toBe('');
    await edith.go(pathOf(boarding, id));
    await answer.fill('Half an ans');
    await edith.go('/onboardings');
    expect(await stored()).toContain('Half an ans');
    await edith.page.evaluate(
      `sessionStorage.setItem('gangway-drafts', sessionStorage.getItem('gangway-drafts').replace('edith-operator', 'ada-operator'))`,
    );
    await edith.go(pathOf(boarding, id));
    expect(await answer.inputValue()).toBe('');
    expect(await stored()).toBe('');
    await answer.fill('Half an ans');
    await edith.go('/onboardings');
    await edith.page.getByRole('button', { name: 'Sign out' }).click();
    await edith.page.waitForURL('**/session/end?**');
    await edith.page.click('button[value=yes]');
    await edith.page.waitForURL('**/signed-out**');
    expect(await stored()).toBe('');
    expect(edith.complaints).toEqual([]);
  });

  // Alone catches an SSN in the storage of a browser.
  it('a draft of a start form has no private field', async () => {
    const mary = await person('Mary', 'admin');
    await mary.go('/start/business');
    await mary.page.fill('[name="holder.doingBusinessAsName"]', 'Corner Bikes');
    await mary.page.fill('[name="holder.ssn"]', '123456789');
    await mary.page.fill('[name="holder.familyName"]', 'Lovelace');
    await mary.go('/onboardings');
    const stored = await mary.page.evaluate('sessionStorage.getItem("gangway-drafts")');
    expect(stored).toContain('Corner Bikes');
    expect(stored).not.toContain('6789');
    expect(stored).not.toContain('Lovelace');
    await mary.go('/start/business');
    await expect.poll(() => mary.page.inputValue('[name="holder.doingBusinessAsName"]')).toBe('Corner Bikes');
    await mary.says('Files and private values are not kept.');
    expect(await mary.page.inputValue('[name="holder.ssn"]')).toBe('');
    await mary.page.getByRole('button', { name: 'Clear it' }).click();
    expect(await mary.page.inputValue('[name="holder.doingBusinessAsName"]')).toBe('');
    await mary.go('/onboardings');
    expect(await mary.page.evaluate('sessionStorage.length')).toBe(0);
  });
});

const giveUpOf = ({ page }: Browsing) => page.locator('details.abandon').getByLabel('Reason');

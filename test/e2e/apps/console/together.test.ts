import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../../rigs/browser/axe.js';
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

  // Alone catches a page that loses an answer because a person claims, remarks or answers elsewhere on it.
  it('forms beside it can be sent, also those with a page in between, and a refusal is shown in place', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements;
    const ada = await person('Ada', 'approver');
    await ada.go(pathOf(boarding));
    const card = (id = '') => ada.page.locator(`[id="r-${id}"]`);
    /** It leads to no other page. */
    const click = (name: string) =>
      ada.page.getByRole('button', { name, exact: true }).locator('visible=true').first().click();
    const open = async (id: string | undefined, summary: string) =>
      card(id).locator('summary', { hasText: summary }).click();
    await open(first?.id, 'Answer with text');
    const field = card(first?.id).getByLabel('Answer', { exact: true });
    await field.fill('I am still typ');
    await card(second?.id).getByRole('button', { name: 'Claim' }).click();
    await card(second?.id).getByText('Claimed by you until').waitFor();
    await ada.says('You have claimed it. Others see that.');
    expect(await field.inputValue()).toBe('I am still typ');
    await open(second?.id, 'Give up');
    await card(second?.id).locator('details[open]').getByLabel('Reason').fill('Perhaps.');
    await card(second?.id).getByRole('button', { name: 'Check, then confirm' }).click();
    await ada.page.getByText('This cannot be undone').first().waitFor();
    await click('Change it');
    await ada.page.locator('summary', { hasText: 'Answer with text' }).click();
    await ada.page.getByLabel('Answer', { exact: true }).fill('One in ten.');
    await click('Send the answer');
    await ada.page.locator(`[id="answered-${second?.id}"]`).waitFor();
    await ada.says('Your answer is accepted.');
    expect(await field.inputValue()).toBe('I am still typ');
    expect(await ada.page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    // On the page of one requirement, and the message is not shown a second time.
    await ada.go(pathOf(boarding, first?.id ?? ''));
    expect(await ada.text()).not.toContain('Your answer is accepted.');
    const answer = ada.page.getByLabel('Answer', { exact: true });
    await answer.fill('Half an ans');
    await ada.page.getByText('Remark for colleagues').click();
    await ada.page.getByLabel('Remark', { exact: true }).fill('They call back.');
    await click('Add the remark');
    await ada.page.getByText(/: They call back\.$/).waitFor();
    expect(await answer.inputValue()).toBe('Half an ans');
    expect(await ada.page.getByLabel('Remark', { exact: true }).inputValue()).toBe('');
    await click('Send the answer');
    await ada.says('Your answer is accepted.');
    const { timeline } = await boarding.state();
    expect(timeline.filter(({ event }) => event === 'requirement-resolved')).toHaveLength(2);
    expect(ada.complaints).toEqual([]);
  });
});

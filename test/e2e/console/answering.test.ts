import { describe, expect, it } from 'vitest';
import { partnerRecordId } from '../../../src/messages/ids.js';
import type { RequirementKind } from '../../../src/messages/requirements.js';
import { axeFindings } from '../../rigs/browser/axe.js';
import { type Browsing, browse, sharedBrowser } from '../../rigs/console/browsing.js';
import { noted, pathOf, press } from '../../rigs/console/people.js';
import { type RunningConsole, runConsole } from '../../rigs/console/running-console.js';
import { business, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';
import { shared } from '../../rigs/shared.js';
import { eventually } from '../../rigs/waiting.js';
import { accountOf, asked, begun, withAccounts } from '../../rigs/workflows/partner-account.js';

const PDF = {
  name: 'voided check.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF\n'),
};
const PROGRAM = {
  name: 'check.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('MZ this is a program'),
};

const browser = sharedBrowser();
const rig = shared(async (until) => {
  const made = await createRig();
  until(() => made.close());
  return made;
});
const local = shared((until) => runConsole(rig(), { provider: null }, until));

/** Somebody who looks at the open requirement of a kind, with the form of this answer open. */
async function answering(
  onboarding: Onboarding<unknown>,
  kind: RequirementKind,
  label: string,
  { console = local(), scripts = true }: { console?: RunningConsole; scripts?: boolean } = {},
): Promise<Browsing> {
  const { id } = await onboarding.requirement(kind);
  const person = await browse(browser(), console, { scripts });
  await person.go(pathOf(onboarding, id));
  await open(person, label);
  return person;
}

async function open({ page }: Browsing, label: string): Promise<void> {
  const details = page.locator('details.answer', { has: page.locator('summary', { hasText: label }) });
  if ((await details.getAttribute('open')) === null) await details.locator('summary').first().click();
}

const CHECK = 'Check, then confirm';
const CONFIRM = 'Confirm and send';

/** Fills the visible field of a label. */
async function fill({ page }: Browsing, label: string | RegExp, text: string): Promise<void> {
  await page.getByLabel(label).locator('visible=true').fill(text);
}

async function unfold({ page }: Browsing, group: string): Promise<void> {
  await page.locator('details.group', { hasText: group }).first().locator('summary').click();
}

/** Drags a file over an element and lets it go. @returns whether the page took it, so that the browser does not open it */
async function drop({ page }: Browsing, selector: string, { name, mimeType, buffer }: typeof PDF) {
  const file = `new File([${JSON.stringify(buffer.toString())}], ${JSON.stringify(name)}, { type: ${JSON.stringify(mimeType)} })`;
  return page.evaluate(`
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(${file});
    const onto = document.querySelector(${JSON.stringify(selector)});
    ['dragover', 'drop'].map((type) => !onto.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })));
  `);
}

async function gone(person: Browsing): Promise<void> {
  expect(person.complaints).toEqual([]);
  await person.context.close();
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s a person answers', (_, scripts) => {
  it('underwriting notes with text and documents, after an empty text and a file that is no PDF', async () => {
    const boarding = await rig().board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const person = await answering(boarding, 'underwriting-note', 'Answer with text', { scripts });
    await fill(person, 'Answer', '   ');
    await press(person, 'Send the answer');
    expect(await person.text()).toContain('must not be empty');
    await fill(person, 'Answer', 'About one sale in ten.');
    const button = await person.page.getByRole('button', { name: 'Send the answer' }).boundingBox();
    const click = () => person.page.mouse.click((button?.x ?? 0) + 9, (button?.y ?? 0) + 9);
    // A slow double click, while the answer is on its way.
    await person.page.route('**/requirements/*', async (route) => {
      await person.page.waitForTimeout(300);
      await route.continue();
    });
    await click();
    await person.page.waitForTimeout(150);
    await click();
    await person.page.getByText('Your answer is accepted. 1 still open.').waitFor();
    expect(await person.text()).not.toMatch(/You answered this|was not sent/);
    await person.page.unrouteAll();
    await person.go(`/onboardings/${boarding.workflowId}/requirements/${requirements[1]?.id}`);
    await open(person, 'Upload documents');
    await person.page.getByLabel('Documents').setInputFiles(PROGRAM);
    await fill(person, 'Reason (optional)', 'from the merchant');
    if (scripts) {
      await person.page.getByRole('button', { name: 'Upload and send' }).click();
      await person.page.getByText('does not match its name').first().waitFor();
    } else {
      await press(person, 'Upload and send');
      expect(await person.text()).toContain('does not match its name');
      expect(await person.page.getByLabel('Reason (optional)').locator('visible=true').inputValue()).toBe(
        'from the merchant',
      );
    }
    if (scripts) {
      // A file that is dropped next to its field must not replace the page with what was typed.
      expect(await drop(person, 'main', PDF)).toEqual([true, true]);
      expect(await person.page.getByText('voided check.pdf').count()).toBe(0);
      expect(await drop(person, '[data-drop]', PDF)).toEqual([true, true]);
      await person.page.getByText('voided check.pdf, 1 KiB').waitFor();
    } else await person.page.getByLabel('Documents').setInputFiles(PDF);
    await press(person, 'Upload and send');
    expect(await person.text()).toContain('Your answer is accepted. Nothing else is open.');
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { timeline } = await boarding.state();
    expect(timeline.map(({ detail }) => detail)).toContain(
      `${requirements[1]?.id}: documents: voided check.pdf`,
    );
    await gone(person);
  });

  it('a note in its row of the inbox, by keys on a phone, and the inbox stays with its filter', async () => {
    const { boarding, id } = await noted(rig());
    const person = await browse(browser(), local(), { scripts, width: 390 });
    const { page } = person;
    const { keyboard } = page;
    const inbox = `/?find=${boarding.workflowId}`;
    await eventually(
      async () => {
        await person.go(inbox);
        return person.text();
      },
      (text) => text.includes('Answer here'),
      'the way to answer',
    );
    expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0);
    const wentOn = () => Promise.all([page.waitForEvent('load'), keyboard.press('Enter')]);
    await page.getByRole('link', { name: 'Answer here' }).focus();
    await wentOn();
    if (scripts) expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    // It has the focus already.
    await keyboard.type('Bread <i>and</i> rolls.');
    for (const key of ['Tab', 'Tab']) await keyboard.press(key);
    await wentOn();
    expect(await page.locator(':focus').innerText()).toMatch(
      /^Your answer is accepted\. .*: Nothing else is open\.$/,
    );
    expect(new URL(page.url()).search).toBe(inbox.slice(1));
    expect(await page.locator('tbody tr').count()).toBe(0);
    const { timeline } = await boarding.state();
    expect(timeline.map(({ detail }) => detail)).toContain(`${id}: text: Bread <i>and</i> rolls.`);
    await gone(person);
  });
});

describe('without scripts a person answers', () => {
  const scripts = false;

  it('a rejected field, after a value that breaks its rule, and sees what changes before it is sent', async () => {
    const onboarding = await rig().onboardBusiness(business('correction'));
    const person = await answering(onboarding, 'rejected-input', 'Correct the input', { scripts });
    await fill(person, /^Website/, 'https://baker.example');
    await unfold(person, 'Holder');
    await fill(person, /^Phone/, '12');
    await press(person, CHECK);
    const phone = person.page.getByLabel(/^Phone/).locator('visible=true');
    expect(await phone.getAttribute('aria-invalid')).toBe('true');
    expect(await person.text()).toContain('must be 10 digits');
    expect(await person.page.getByLabel(/^Website/).inputValue()).toBe('https://baker.example');
    await phone.fill('5185550177');
    await press(person, CHECK);
    const preview = await person.page.locator('form.preview').innerText();
    expect(preview).toContain('https://baker.example');
    // A phone number is private, except to the person who has just typed it.
    expect(preview).toMatch(/Phone\s+holder\.phone\s+hidden\s+5185550177/);
    await press(person, CONFIRM);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    await gone(person);
  });

  it('an uncertain write: adopts no letters, and then has it sent again', async () => {
    const input = merchant();
    await rig().sandbox.plan('drop-before-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig().board(input);
    const person = await answering(boarding, 'uncertain-write', 'It took effect', { scripts });
    await fill(person, 'ID at the partner', 'M-17');
    await fill(person, 'Reason', 'it is in the portal');
    await press(person, CHECK);
    expect(await person.text()).toContain('must be the ID at the partner, in digits');
    await fill(person, 'ID at the partner', '17');
    await press(person, CHECK);
    expect(await person.page.locator('form.preview').innerText()).toContain(input.externalId);
    await press(person, 'Change it');
    await open(person, 'It did not take effect');
    await fill(person, 'Reason', 'looked twice');
    await press(person, CHECK);
    expect(await person.text()).toContain('it exists twice then');
    await press(person, CONFIRM);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await rig().sandbox.writes(input.externalId)).toContain('create-merchant');
    await gone(person);
  });
});

describe('a person answers', () => {
  it('what a new status means, after no reason, and all onboardings with it end', async () => {
    const boarding = await rig().board(merchant('waiting'));
    const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
    await rig().sandbox.transition(merchantProfileId, { status: 'Manual Look' });
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Manual Look', 'its new status');
    const record = new Onboarding(rig().client, partnerRecordId('boarding', rig().taskQueue));
    await begun(record);
    const person = await answering(record, 'new-status', 'Choose what it means');
    const meaning = person.page.getByLabel('Meaning');
    // Nothing is chosen before a person does.
    expect(await meaning.inputValue()).toBe('');
    await meaning.selectOption({
      label: 'ended-declined: every onboarding with this status ends as declined',
    });
    await fill(person, 'Reason', ' ');
    await press(person, CHECK);
    expect(await person.text()).toContain('is required');
    expect(await meaning.inputValue()).toBe('ended-declined');
    await fill(person, 'Reason', 'the partner wrote so');
    await press(person, CHECK);
    await press(person, CONFIRM);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
    await person.go('/onboardings?what=accounts');
    expect(await person.text()).toContain('Boarding partner');
    await gone(person);
  });

  it('a locked profile by giving up', async () => {
    const onboarding = await rig().onboardBusiness(business('waiting'));
    const { profileId = 0 } = await onboarding.until((state) => state.profileId !== undefined, 'the profile');
    await rig().sandbox.transitionProfile(profileId, { isLocked: true });
    const person = await answering(onboarding, 'locked-profile', 'Give up');
    await fill(person, 'Reason', 'the business closed');
    await press(person, CHECK);
    expect(await person.text()).toContain(`What exists stays at the partners: banking profile ${profileId}.`);
    await press(person, CONFIRM);
    const comment = 'the business closed';
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'abandoned', comment });
    await gone(person);
  });

  // An account of a partner has one workflow for all: so the namespace is its own.
  it('at a partner account with the one-time code, after one of two digits', () =>
    withAccounts(async (own) => {
      await own.startWorker({ bankingUser: 'mfa' });
      const onboarding = await own.onboardBusiness(business());
      const account = accountOf(own, 'banking');
      await asked(account, 'one-time-code');
      const console = await runConsole(own, { provider: null });
      const person = await answering(account, 'one-time-code', 'Enter the code', { console });
      expect(await person.page.getByLabel('One-time code').getAttribute('inputmode')).toBe('numeric');
      await fill(person, 'One-time code', '12');
      await press(person, 'Send the code');
      expect(await person.text()).toContain('must be 6 digits');
      await fill(person, 'One-time code', '000 000');
      await press(person, 'Send the code');
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
      await gone(person);
      await console.close();
    }));
});

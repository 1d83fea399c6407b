import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../../rigs/browser/axe.js';
import {
  answerers,
  CHECK,
  CONFIRM,
  drop,
  fill,
  gone,
  open,
  unfold,
} from '../../../rigs/console/answering.js';
import { browse } from '../../../rigs/console/browsing.js';
import { office } from '../../../rigs/console/office.js';
import { noted, press } from '../../../rigs/console/people.js';
import { business, holder, merchant } from '../../../rigs/inputs.js';
import { variants } from '../../../rigs/variants.js';
import { eventually } from '../../../rigs/waiting.js';

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

const rig = await office();
const { browser, local, answering } = answerers(rig);

describe.each(variants<[string, boolean]>([['with scripts', true]], [['without scripts', false]]))(
  '%s a person answers',
  (_, scripts) => {
    it('underwriting notes with text and documents, after an empty text and a file that is no PDF', async () => {
      const boarding = await rig.board(merchant('notes'));
      const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
      const person = await answering(boarding, 'underwriting-note', 'Answer with text', { scripts });
      await fill(person, 'Answer', '   ');
      await press(person, 'Send the answer');
      await person.says('must not be empty');
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
      await person.page.getByText('It is sent together with the other notes').waitFor();
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
        await person.says('does not match its name');
        await expect
          .poll(() => person.page.getByLabel('Reason (optional)').locator('visible=true').inputValue())
          .toBe('from the merchant');
      }
      if (scripts) {
        // A file that is dropped next to its field must not replace the page with what was typed.
        expect(await drop(person, 'main', PDF)).toEqual([true, true]);
        await expect.poll(() => person.page.getByText('voided check.pdf').count()).toBe(0);
        expect(await drop(person, '[data-drop]', PDF)).toEqual([true, true]);
        await person.page.getByText('voided check.pdf, 1 KiB').waitFor();
      } else await person.page.getByLabel('Documents').setInputFiles(PDF);
      await press(person, 'Upload and send');
      await person.says('Your answer is accepted. Nothing else is open.');
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      const { timeline } = await boarding.state();
      expect(timeline.map(({ detail }) => detail)).toContain(
        `${requirements[1]?.id}: documents: voided check.pdf`,
      );
      await gone(person);
    });

    it('a note in its row of the inbox, by keys on a phone, and the inbox stays with its filter', async () => {
      const { boarding, id } = await noted(rig);
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
      await expect.poll(() => page.getByRole('button', { name: 'Notify me' }).count()).toBe(0);
      const wentOn = () => Promise.all([page.waitForEvent('load'), keyboard.press('Enter')]);
      await page.getByRole('link', { name: 'Answer here' }).focus();
      await wentOn();
      if (scripts) expect(await axeFindings(page)).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      // It has the focus already.
      await keyboard.type('Bread <i>and</i> rolls.');
      for (const key of ['Tab', 'Tab']) await keyboard.press(key);
      await wentOn();
      await expect
        .poll(() => page.locator(':focus').innerText())
        .toMatch(/^Your answer is accepted\. .*: Nothing else is open\.$/);
      // Besides the time from which the list counts what is new.
      const { searchParams: back } = new URL(page.url());
      back.delete('since');
      expect([...back]).toEqual([...new URLSearchParams(inbox.slice(2))]);
      // Lists lag, and a page without scripts reads its list once.
      await eventually(
        async () => {
          await person.go(inbox);
          return page.locator('tbody tr').count();
        },
        (rows) => rows === 0,
        'the inbox without the note',
      );
      const { timeline } = await boarding.state();
      expect(timeline.map(({ detail }) => detail)).toContain(`${id}: text: Bread <i>and</i> rolls.`);
      await gone(person);
    });
  },
);

describe('without scripts a person answers', () => {
  const scripts = false;

  it('a rejected field, after a value that breaks its rule, and sees what changes before it is sent', async () => {
    const input = business(undefined, {
      holder: holder('correction', { website: 'https://unreachable.example' }),
    });
    const onboarding = await rig.onboardBusiness(input);
    const person = await answering(onboarding, 'rejected-input', 'Correct the input', { scripts });
    const website = person.page.getByLabel(/^Website/);
    // Nobody types what is there already.
    await expect.poll(() => website.inputValue()).toBe('https://unreachable.example');
    await website.fill('https://baker.example');
    await unfold(person, 'Holder');
    await fill(person, /^Phone/, '12');
    await press(person, CHECK);
    const phone = person.page.getByLabel(/^Phone/).locator('visible=true');
    await expect.poll(() => phone.getAttribute('aria-invalid')).toBe('true');
    await person.says('must be 10 digits');
    await expect.poll(() => person.page.getByLabel(/^Website/).inputValue()).toBe('https://baker.example');
    await phone.fill('5185550177');
    await press(person, CHECK);
    const preview = await person.page.locator('form.preview').innerText();
    expect(preview).toContain('https://baker.example');
    // A phone number is private, except to the person who has just typed it.
    expect(preview).toMatch(/Phone\s+hidden\s+5185550177/);
    await press(person, CONFIRM);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    await gone(person);
  });
});

import { expect } from 'vitest';
import type { RequirementKind } from '../../../src/messages/requirements.js';
import type { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';
import { shared } from '../shared.js';
import { type Browsing, browse, sharedBrowser } from './browsing.js';
import { pathOf } from './people.js';
import { type RunningConsole, runConsole } from './running-console.js';

/** A file that a person attaches. */
interface Attached {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** People at a console where nobody signs in. They answer in the browser of the process. */
export function answerers(rig: Rig) {
  const browser = sharedBrowser();
  const local = shared((until) => runConsole(rig, { provider: null }, until));
  return {
    browser,
    local,
    /** Somebody who looks at the open requirement of a kind, with the form of this answer open. */
    async answering(
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
    },
  };
}

/** Opens the form of an answer. */
export async function open({ page }: Browsing, label: string): Promise<void> {
  const details = page.locator('details.answer', { has: page.locator('summary', { hasText: label }) });
  if ((await details.getAttribute('open')) === null) await details.locator('summary').first().click();
}

/** Buttons of an answer that has a preview. */
export const CHECK = 'Check, then confirm';
export const CONFIRM = 'Confirm and send';

/** Fills the visible field of a label. */
export async function fill({ page }: Browsing, label: string | RegExp, text: string): Promise<void> {
  await page.getByLabel(label).locator('visible=true').fill(text);
}

/** Unfolds a group of fields. */
export async function unfold({ page }: Browsing, group: string): Promise<void> {
  await page.locator('details.group', { hasText: group }).first().locator('summary').click();
}

/** Drags a file over an element and lets it go. @returns whether the page took it, so that the browser does not open it */
export async function drop({ page }: Browsing, selector: string, { name, mimeType, buffer }: Attached) {
  const file = `new File([${JSON.stringify(buffer.toString())}], ${JSON.stringify(name)}, { type: ${JSON.stringify(mimeType)} })`;
  return page.evaluate(`
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(${file});
    const onto = document.querySelector(${JSON.stringify(selector)});
    ['dragover', 'drop'].map((type) => !onto.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })));
  `);
}

/** Closes the browser of a person, whom nothing must have complained to. */
export async function gone(person: Browsing): Promise<void> {
  expect(person.complaints).toEqual([]);
  await person.context.close();
}

import { afterAll } from 'vitest';
import type { Role } from '../../../src/apps/console/route.js';
import { merchant } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import { peopleFile } from '../people-file.js';
import type { Rig } from '../rig.js';
import { shared } from '../shared.js';
import { type Browsing, browse, sharedBrowser } from './browsing.js';
import { runConsole } from './running-console.js';

const COLLEAGUES = [{ name: 'Grace Lee', id: 'grace', role: 'operator' }];

/** Signs people in at a console, each in a browser of their own, which the tests of a file share. */
export function peopleOf(rig: () => Rig) {
  const browser = sharedBrowser();
  const console = shared((until) => runConsole(rig(), { env: peopleFile(COLLEAGUES) }, until));
  const signedIn = new Map<string, Promise<Browsing>>();
  afterAll(async () => {
    for (const browsing of signedIn.values()) await (await browsing).context.close();
  });
  return async (name: string, role: Role): Promise<Browsing> => {
    const sub = `${name.toLowerCase()}-${role}`;
    console().provider.add({ sub, name, roles: [role] });
    const browsing = signedIn.get(sub) ?? browse(browser(), console(), { sub });
    signedIn.set(sub, browsing);
    return browsing;
  };
}

export const pathOf = ({ workflowId }: Onboarding<unknown>, id?: string) =>
  `/onboardings/${encodeURIComponent(workflowId)}${id === undefined ? '' : `/requirements/${encodeURIComponent(id)}`}`;

/** Presses a button, and waits for the page that it leads to. */
export async function press({ page }: Browsing, name: string): Promise<void> {
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('button', { name, exact: true }).locator('visible=true').first().click(),
  ]);
}

/** A boarding with a single note. */
export async function noted(rig: Rig) {
  const boarding = await rig.board(merchant('more-notes'));
  const { id } = await boarding.requirement('underwriting-note');
  return { boarding, id };
}

/** Boardings with a note and a name of their own, once the inbox lists them. */
export async function named(rig: Rig, name: string, scenario: string, count: number) {
  const dba = `${name} ${Date.now()} [${scenario}]`;
  const { merchant: of } = merchant(scenario);
  const boardings = await Promise.all(
    Array.from({ length: count }, () => rig.board(merchant(scenario, { merchant: { ...of, dba } }))),
  );
  for (const boarding of boardings) {
    await boarding.requirement('underwriting-note');
    await boarding.listed(' AND ActionRequired = true');
  }
  return { dba, boardings };
}

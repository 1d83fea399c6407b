import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routesWith } from '../../../../src/apps/console/pages/routes.js';
import { CLAIMS_MEMO } from '../../../../src/messages/claims.js';
import { listedRequirements } from '../../../../src/messages/list-fields.js';
import type { RequirementKind } from '../../../../src/messages/requirements.js';
import { initialVisibility, SEARCH_ATTRIBUTES } from '../../../../src/messages/search-attributes.js';
import { userName } from '../../../../src/services/texts/display-names.js';
import { count } from '../../../../src/temporal/search.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

const HOUR_MS = 3_600_000;

/** No worker runs: each onboarding is started with what the list has of one that waits. */
const rig = await createRig({ ownNamespace: true, worker: false });
afterAll(() => rig.close());
/** A few onboardings are many for this one. */
const local = shared((until) =>
  runConsole(rig, { provider: null, routes: routesWith({ page: 2, list: 12 }) }, until),
);
const withPeople = shared((until) =>
  runConsole(rig, { env: { GANGWAY_ACCOUNTS: 'acme,north', OIDC_ACCOUNTS_CLAIM: 'accounts' } }, until),
);

interface Waiting {
  readonly number: number;
  readonly dueInHours: number;
  readonly dba?: string;
  readonly kind?: RequirementKind;
  readonly account?: string;
  readonly mid?: string;
  readonly claimedBy?: string;
}

async function startWaiting({ number, dueInHours, account, mid, ...of }: Waiting) {
  const { dba = `Shop ${number}`, kind = 'underwriting-note', claimedBy } = of;
  const claim = { actor: claimedBy, until: new Date(Date.now() + HOUR_MS).toISOString() };
  const dueAt = new Date(Date.now() + dueInHours * HOUR_MS);
  const { typedSearchAttributes, ...sight } = initialVisibility('merchantBoarding', { dba, account });
  const requirement = { id: `note-${number}`, kind, title: '', detail: '', answers: [] };
  const dates = { raisedAt: new Date().toISOString(), dueAt: dueAt.toISOString() };
  await rig.client.workflow.start('merchantBoarding', {
    workflowId: `merchant-boarding-m-${number}${account ? `@${account}` : ''}`,
    taskQueue: rig.taskQueue,
    args: [{}],
    ...sight,
    memo: { ...sight.memo, ...(claimedBy && { [CLAIMS_MEMO]: { [requirement.id]: { claim } } }) },
    typedSearchAttributes: [
      ...typedSearchAttributes.filter(({ key }) => key !== SEARCH_ATTRIBUTES.actionRequired),
      { key: SEARCH_ATTRIBUTES.actionRequired, value: true },
      ...(mid === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.mid, value: mid }]),
      { key: SEARCH_ATTRIBUTES.actionDueAt, value: dueAt },
      { key: SEARCH_ATTRIBUTES.requirements, value: listedRequirements([{ ...requirement, ...dates }]) },
    ],
  });
}

async function started(all: readonly Waiting[]): Promise<void> {
  const query = 'ActionRequired = true';
  const before = await count(rig.client, query);
  await Promise.all(all.map(startWaiting));
  await eventually(
    () => count(rig.client, query),
    (result) => result === before + all.length,
    'the list',
  );
}

const rowsIn = (text: string) =>
  [...text.matchAll(/<tr id="r-merchant-boarding-(.*?)-note-\d+"/g)].map(([, id]) => id);

describe('the inbox', () => {
  it('has the most urgent first, and filters by task and account', async () => {
    await started([
      { number: 1, dueInHours: 400, dba: 'Late Riser' },
      { number: 2, dueInHours: -2, dba: 'Blue Door' },
      { number: 3, dueInHours: 1 / 60, kind: 'ticket' },
      { number: 4, dueInHours: 500, account: 'acme' },
      { number: 5, dueInHours: 600, account: 'north' },
    ]);
    const admin = await withPeople().signedIn({ role: 'admin', accounts: ['default', 'acme', 'north'] });
    const rows = async (path: string) => rowsIn((await admin.open(path)).text);
    const all = await eventually(
      () => rows('/'),
      ({ length }) => length === 5,
      'the list of all',
    );
    expect(all).toEqual(['m-2', 'm-3', 'm-1', 'm-4@acme', 'm-5@north']);
    expect(await rows('/?sort=dba')).toEqual(['m-2', 'm-1', 'm-3', 'm-4@acme', 'm-5@north']);
    expect(await rows('/?kind=ticket')).toEqual(['m-3']);
    expect(await rows('/?account=acme')).toEqual(['m-4@acme']);
    expect(await rows('/?account=default')).toEqual(['m-2', 'm-3', 'm-1']);
    expect((await admin.open('/?taken=taken')).text).toContain('5 other onboardings wait.');
  });

  it('lists for a person with few accounts only theirs, even when another one is requested', async () => {
    const ofNorth = await withPeople().signedIn({ role: 'viewer', accounts: ['north'] });
    const rows = async (path: string) => rowsIn((await ofNorth.open(path)).text);
    expect(await rows('/')).toEqual(['m-5@north']);
    expect(await rows('/?account=acme')).toEqual([]);
    expect((await ofNorth.open('/onboardings')).text).not.toContain('@acme');
    expect((await ofNorth.open('/onboardings/merchant-boarding-m-4%40acme')).status).toBe(404);
  });

  it('shows what is due later when more wait than one list has, and leads there', async () => {
    await started(
      Array.from({ length: 10 }, (_, index) => ({ number: 2_000 + index, dueInHours: 1_000 + index })),
    );
    const user = local().user();
    const { text } = await eventually(
      () => user.open('/?page=30'),
      (page) => page.text.includes('more are due later'),
      'a list of those that are due later',
    );
    const [, next = '', more = ''] = /<a href="([^"]+)">(\d+) more are due later/.exec(text) ?? [];
    expect(Number(more)).toBeGreaterThanOrEqual(3);
    const later = rowsIn((await user.open(next.replaceAll('&amp;', '&'))).text);
    expect(later.length).toBeGreaterThan(0);
    expect(later).not.toContain('m-2');
    expect((await user.open('/?sort=dba')).text).toContain('most urgent onboardings were searched');
    // What one has oneself is due later than everything that another list has.
    await started([{ number: 3_000, dueInHours: 9_000, claimedBy: userName() }]);
    const mine = await eventually(
      async () => (await user.open('/?taken=mine')).text,
      (page) => rowsIn(page).length > 0,
      'what one has oneself',
    );
    expect(rowsIn(mine)).toEqual(['m-3000']);
    expect(mine).not.toContain('were searched');
  });
});

it('the part of the inbox counts what is raised after its page was opened', async () => {
  await started([{ number: 7_001, dueInHours: 7_000, dba: 'Newcomer' }]);
  const user = local().user();
  const newIn = (text: string) => /data-live="([^"]+)" data-seconds="10" data-new="(\d+)"/.exec(text) ?? [];
  const [, source = '', before] = newIn((await user.open('/?find=newcomer')).text);
  expect([source, before]).toEqual([expect.stringContaining('find=newcomer&amp;page=1&amp;since=20'), '0']);
  await started([
    { number: 7_002, dueInHours: 7_001, dba: 'Newcomer' },
    { number: 7_003, dueInHours: 7_002, dba: 'Newcomer' },
    { number: 7_004, dueInHours: 7_003, dba: 'Somebody Else' },
  ]);
  // Not all of them are on the page, which has two.
  const { text } = await eventually(
    () => user.open(source.replaceAll('&amp;', '&')),
    (part) => part.text.includes('data-new="2"'),
    'the new ones',
  );
  const [, later, after] = newIn(text);
  expect([later, after]).toEqual([source, '2']);
  // Alone catches a number that counts again what the list shows already: a script says since when it does.
  const afterwards = await user.open(`${source.replaceAll('&amp;', '&')}&seen=${new Date().toISOString()}`);
  expect([...newIn(afterwards.text)]).toEqual([
    expect.any(String),
    expect.stringMatching('&amp;seen=20'),
    '0',
  ]);
  expect(afterwards.text).toContain('class="new"');
});

describe('a search', () => {
  beforeAll(() =>
    started([{ number: 9_001, dueInHours: 5_000, dba: 'Corner Bakery & Café', mid: '518000000001001' }]),
  );

  it.each([
    ['a word in any case', 'CORNER', true],
    ['the beginning of a word', 'bak', true],
    ['words in another order', 'bakery corner', true],
    ['a name without its accent', 'cafe', true],
    ['a mid, and its beginning', '51800000000', true],
    ['a merchant id that none has', '5180000000017', false],
    ['an external ID', 'm-900', true],
    ['a workflow ID', 'merchant-boarding-m-9001', true],
    ['a word that another one contains', 'akery', false],
    ['one word of two', 'corner butcher', false],
    ['signs of a query', "' OR ''='", false],
    ['a quote, which the server would remove', "'", false],
    ['a quoted name', "'Corner Bakery'", true],
    ['a line break', 'corner\nbakery', true],
  ])('finds %s: %s', async (_, text, isFound) => {
    const find = encodeURIComponent(text);
    const user = await withPeople().signedIn({ role: 'viewer', accounts: ['default'] });
    expect(rowsIn((await user.open(`/?find=${find}`)).text)).toEqual(isFound ? ['m-9001'] : []);
    const { status, text: onboardings } = await user.open(`/onboardings?find=${find}`);
    expect(status).toBe(200);
    expect(onboardings.includes('href="/onboardings/merchant-boarding-m-9001"')).toBe(isFound);
    const { stdout } = await runGangway(rig.env, ['list', '--json', '--', ...text.split(' ')]);
    expect(stdout.includes('merchant-boarding-m-9001')).toBe(isFound);
  });
});

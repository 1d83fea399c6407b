import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportedRecord } from '../../../../src/services/reports/exported-record.js';
import type { Report } from '../../../../src/services/reports/report.js';
import { all as allOf, startsWith } from '../../../../src/temporal/query.js';
import { count, visibilityQuery } from '../../../../src/temporal/search.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { business, holder, merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';

// Of its own, because a report counts all workflows.
const rig = await createRig({ ownNamespace: true, accounts: ['west', 'east'] });
const env = { GANGWAY_ACCOUNTS: 'west,east', OIDC_ACCOUNTS_CLAIM: 'accounts' };
const console = await runConsole(rig, { env }, rig.atClose);
const all = await console.signedIn({ role: 'approver', accounts: ['default', 'west', 'east'] });
const west = await console.signedIn({ role: 'approver', accounts: ['west'] });
const declined = await rig.board(merchant('declined'));
const inWest = await rig.board(merchant(undefined, { account: 'west' }));
const wrong = holder(undefined, { ssn: '078051120', doingBusinessAsName: '<script>alert(1)</script>' });
const question = await rig.onboardBusiness(business(undefined, { holder: wrong }));
beforeAll(async () => {
  await Promise.all([declined.outcome(), inWest.outcome()]);
  await question.requirement('rejected-input');
  await question.listed(' AND ActionRequired = true');
  for (const each of [declined, inWest]) await each.listed(" AND ExecutionStatus = 'Completed'");
});
afterAll(() => rig.close());

async function reportOf(query: string, who = all): Promise<Report> {
  const { status, text, headers } = await who.open(`/report.json${query}`);
  expect([status, headers.get('content-disposition')]).toEqual([200, expect.stringMatching(/^attachment/)]);
  return JSON.parse(text);
}

describe('the report', () => {
  it('shows the figures of gangway report in tables', async () => {
    const { status, text } = await all.open('/report');
    expect(status).toBe(200);
    expect(text).toMatch(/<dt>ended<\/dt><dd><a [^>]*>2<\/a><\/dd>/);
    expect(text).toMatch(/<dt>wait for a person<\/dt><dd><a [^>]*>1<\/a><\/dd>/);
    expect(text).toContain('<caption>Open requirements by kind</caption>');
    expect(text).toContain('&lt;script>alert(1)&lt;/script>');
    expect(text).not.toMatch(/ style=|<script>/);
  });

  // With another filter than the report has, the list would show other rows.
  it.each(['', '?account=west', '?system=banking'])(
    'has numbers that lead to as many rows: %s',
    async (query) => {
      const { text } = await all.open(`/report${query}`);
      const links = [...text.matchAll(/<a href="([^"]+)" aria-label="(\d+) ([^"]+)"/g)];
      expect(links.length).toBeGreaterThan(0);
      for (const [, href = '', number, what] of links) {
        const list = (await all.open(href.replaceAll('&amp;', '&'))).text;
        const rows = list.match(/<tr(?: id| class|>)[^>]*>?<td/g)?.length ?? 0;
        expect(`${rows} ${what}`).toBe(`${number} ${what}`);
      }
    },
  );

  it('is downloaded as JSON and as CSV with the same filters', async () => {
    expect(await reportOf('')).toMatchObject({ running: 1, waiting: 1, ended: 2 });
    const filter = { system: 'banking' };
    expect(await reportOf('?system=banking')).toMatchObject({ running: 1, ended: 0, filter });
    expect(await reportOf('?account=west&by=account')).toMatchObject({ ended: 1, by: 'account' });
    expect(await reportOf('?agent=101')).toMatchObject({ ended: 2, running: 0 });
    const rows = parse((await all.open('/report.csv?account=west')).text, { columns: true });
    expect(rows).toContainEqual(
      expect.objectContaining({ section: 'outcomes', name: 'boarded', value: '1' }),
    );
    expect(rows).not.toContainEqual(expect.objectContaining({ name: 'declined' }));
  });

  it('has only the accounts that a person may see', async () => {
    expect(await reportOf('', west)).toMatchObject({
      running: 0,
      ended: 1,
      filter: { partnerAccounts: 'west' },
    });
    const { text } = await west.open('/report');
    expect(text).not.toContain('value="east"');
    expect(text).not.toContain(question.workflowId);
    expect((await west.open('/report?account=east')).status).toBe(404);
  });
});

describe('the record of an onboarding', () => {
  const pathOf = ({ workflowId }: Onboarding) => `/onboardings/${workflowId}/export`;

  it('is a page and JSON, masked, and each view is in the audit log', async () => {
    const page = await all.open(pathOf(question));
    expect(page.status).toBe(200);
    expect(page.text).toContain('Private values are masked.');
    expect(page.text).toContain('<h2>Calls to partners</h2>');
    const { text, headers } = await all.open(`${pathOf(question)}.json`);
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    const record = JSON.parse(text) as ExportedRecord;
    expect(record).toMatchObject({
      exportedBy: all.actor,
      privateValues: 'masked',
      format: 'gangway-export',
    });
    for (const output of [page.text, text])
      expect(output).not.toMatch(/078051120|ada@example\.com|5185550100/);
    const views = console.audited().filter(({ what }) => what === 'export');
    expect(views).toMatchObject([
      { actor: all.actor, workflowId: question.workflowId },
      { actor: all.actor },
    ]);
  });
});

it.each(['a\0b', 'a\tb'])(
  'a text that cannot be searched is refused in words of its own: %j',
  async (agent) => {
    for (const page of ['/onboardings', '/report']) {
      const { status, text } = await west.open(`${page}?${new URLSearchParams({ agent })}`);
      expect([page, status]).toEqual([page, 422]);
      expect(text).toContain('has a character that cannot be searched: remove line breaks');
      expect(text).not.toMatch(/Temporal:|WorkflowType|PartnerAccount/);
    }
  },
);

it('a text of a person changes no query of the server, whatever it is', async () => {
  /** What once ended the quoted text of a query. */
  const hostile = `\\' OR WorkflowType = "merchantBoarding" -- `;
  const pieces = fc.constantFrom(
    "'",
    '\\',
    "\\'",
    "''",
    '"',
    '\\"',
    ' OR ',
    ' AND ',
    '1=1',
    '-- ',
    '/*',
    '*/',
    '#',
    '//',
    ';',
    '(',
    ')',
    'WorkflowType',
    ' = ',
    ' IS NOT NULL',
    'x',
    '%',
    '_',
    '!',
    '`',
    'é',
    '😀',
    '\u2028',
    hostile,
  );
  const texts = fc.sample(
    fc.oneof(
      fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
      fc.string(),
    ),
    { numRuns: 300, seed: 7 },
  );
  const types = ['merchantBoarding'] as const;
  const partnerAccounts = ['west'];
  const result = (agent: string) => count(rig.client, visibilityQuery({ types, partnerAccounts, agent }));
  expect(await result('101')).toBe(1);
  expect(await count(rig.client, visibilityQuery({ types }))).toBe(2);
  for (const text of texts.map((each) => `${each.replace(/\p{Cc}/gu, '')}'`)) {
    expect([text, await result(text)]).toEqual([text, 0]);
    const begins = allOf(visibilityQuery({ types, partnerAccounts }), startsWith('WorkflowId', `x${text}`));
    expect([text, await count(rig.client, begins)]).toEqual([text, 0]);
  }
});

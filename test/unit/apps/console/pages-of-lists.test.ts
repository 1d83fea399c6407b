import { expect, it } from 'vitest';
import { consoleOfCalls, OLGA } from '../../../rigs/console/console-of-calls.js';

/** The numbers of the onboardings in a page of 120, and where it leads. */
async function pageOf(query: string) {
  const { open } = await consoleOfCalls({ ofSouth: 120, counted: 120 });
  const { text } = await open(OLGA, `/onboardings${query}`);
  const rows = [...text.matchAll(/href="\/onboardings\/merchant-boarding-m-(\d+)%40south"/g)].map(([, id]) =>
    Number(id),
  );
  const links = [...text.matchAll(/href="(\/onboardings\?[^"]*page=\d+[^"]*)"/g)].map(([, link]) => link);
  return { ids: [...new Set(rows)], links: [...new Set(links)], text };
}

it.each([
  ['', 0, 49],
  ['?page=2', 50, 99],
  ['?page=3', 100, 119],
])(
  'the page %j of the onboardings has those from %i to %i, and the number of all',
  async (query, first, last) => {
    const { ids, text } = await pageOf(query);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([last - first + 1, first, last]);
    expect(text).toContain('120 are in this list');
  },
);

it('each page leads to the others, with the filter', async () => {
  const { links } = await pageOf('?stage=underwriting&page=2');
  expect(links.map((link = '') => link.replaceAll('&amp;', '&'))).toContain(
    '/onboardings?stage=underwriting&page=3',
  );
});

it('what is active in a filter has a link that clears it alone and leads to the first page, and the search belongs to the filter', async () => {
  const { text } = await pageOf('?find=baker&stage=underwriting&page=2');
  expect(text).toContain('href="/onboardings?find=baker" title="Clear this filter">Stage: underwriting');
  expect(text).toContain('href="/onboardings?stage=underwriting" title="Clear this filter">Search: baker');
  expect(text).toMatch(/<input [^>]*id="find-anywhere" form="filter" value="baker"/);
});

// Alone catches a wrong period that replaces the page and its other filters, or is ignored in silence.
it.each([
  ['/report', 'since=soon&system=boarding', 'must be today, yesterday'],
  ['/activity', 'since=soon&person=Ada', 'must be today, yesterday'],
  ['/', 'over=10m&kind=ticket', 'no such choice, so it is not used'],
])('%s?%s keeps its filter, with the error at the field', async (path, query, message) => {
  const { open } = await consoleOfCalls();
  const { status, text } = await open(OLGA, `${path}?${query}`);
  const [wrong, ...others] = text
    .split('<div class="field">')
    .filter((each) => each.includes('aria-invalid'));
  expect([status, others, wrong]).toEqual([200, [], expect.stringContaining(message)]);
  expect(wrong).toContain(`name="${query.split('=')[0]}"`);
  expect(text.match(/Clear this filter/g)).toHaveLength(1);
});

it.each(['/report.csv', '/report.json', '/activity.csv'])('%s of a wrong period is no file', async (path) => {
  const { open } = await consoleOfCalls();
  expect((await open(OLGA, `${path}?since=soon`)).status).toBe(422);
});

it('a period is a chip with its name', async () => {
  const { open } = await consoleOfCalls();
  expect((await open(OLGA, '/report?since=7d')).text).toContain('>Since: 7 days<');
});

import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Facts, renderReportPage, Table } from '../../../../src/services/reports/page.js';
import { BarCell } from '../../../../src/services/reports/report-page.js';

describe('a page', () => {
  it('escapes each text, also in attributes', () => {
    const hostile = `</title><script>alert("1")</script>'&`;
    const columns = [{ title: hostile, cell: (text: string) => text }];
    const page = renderReportPage(hostile, Table({ caption: hostile, rows: [hostile], columns }));
    expect(page).not.toContain('<script>');
    expect(page).toContain('<title>&lt;/title>&lt;script>alert(&quot;1&quot;)&lt;/script>');
    expect(page).toContain(`data-title="&lt;/title>&lt;script>alert(&quot;1&quot;)&lt;/script>'&amp;"`);
  });

  it('drops control characters, and those that reverse the text after them', () => {
    expect(renderReportPage('a\u0000b\u001b[31m\u202egnp.exe', '')).toContain('<title>ab[31mgnp.exe</title>');
  });

  it('forbids scripts and requests, and allows its own style only', () => {
    const page = renderReportPage('Title', 'text');
    expect(page).toMatch(/content="default-src 'none'; style-src 'sha256-[\w+/]+='"/);
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(/);
  });

  it('has words in place of an empty table', () => {
    const table = Table({ caption: 'Calls', rows: [], columns: [] });
    expect(renderToString(table)).toBe('<p class="faint">Calls: none</p>');
  });

  it('leaves out facts that are not known', () => {
    const facts = Facts({ facts: { Name: 'Shop', Ended: undefined } });
    expect(renderToString(facts)).toBe('<dl class="known"><dt>Name</dt><dd>Shop</dd></dl>');
  });
});

describe('a bar', () => {
  const widthsOf = (amounts: readonly number[], longest: number) => {
    const bar = amounts.map((amount) => ({ name: 'open <now>', amount, tone: 'main' as const }));
    const svg = renderToString(BarCell({ bar, longest }));
    expect(svg).not.toMatch(/NaN|Infinity|<now>/);
    return [...svg.matchAll(/x="([^"]*)" width="([^"]*)"/g)].map(([, x, width]) => `${x} ${width}`);
  };

  it('has a part for each amount but zero, measured by the longest bar', () => {
    expect(widthsOf([1, 0, 2], 4)).toEqual(['0% 25%', '25% 50%']);
  });
});

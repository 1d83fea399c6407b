import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Facts, pageOf, Table } from '../../../../src/services/reports/page.js';
import { BarChart } from '../../../../src/services/reports/report-page.js';

describe('a page', () => {
  it('escapes each text, also in attributes', () => {
    const hostile = `</title><script>alert("1")</script>'&`;
    const columns = [{ title: hostile, cell: (text: string) => text }];
    const page = pageOf(hostile, Table({ caption: hostile, rows: [hostile], columns }));
    expect(page).not.toContain('<script>');
    expect(page).toContain('<title>&lt;/title>&lt;script>alert(&quot;1&quot;)&lt;/script>');
    expect(page).toContain(`data-title="&lt;/title>&lt;script>alert(&quot;1&quot;)&lt;/script>'&amp;"`);
  });

  it('drops control characters, and those that reverse the text after them', () => {
    expect(pageOf('a\u0000b\u001b[31m\u202egnp.exe', '')).toContain('<title>ab[31mgnp.exe</title>');
  });

  it('forbids scripts and requests, and allows its own style only', () => {
    const page = pageOf('Title', 'text');
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

describe('a chart', () => {
  const chartOf = (bars: Parameters<typeof BarChart>[0]['bars']) =>
    renderToString(BarChart({ title: 'Open <now>', bars }));

  it('has a title and its numbers as text, and measures each bar by the longest', () => {
    const bar = (label: string, amount: number) => ({
      ...{ label, text: `${amount} of <x>` },
      segments: [{ name: 'open', amount, tone: 'main' as const }],
    });
    const chart = chartOf([bar('note', 4), bar('ticket', 1)]);
    expect(chart).toContain('<svg role="img" height="88"><title>Open &lt;now></title>');
    expect(chart).toContain('<desc>note: 4 of &lt;x>; ticket: 1 of &lt;x></desc>');
    expect([...chart.matchAll(/class="chart-main"[^>]* width="([^"]*)"/g)].map(([, width]) => width)).toEqual(
      ['100%', '25%'],
    );
  });

  it('draws nothing for amounts of zero', () => {
    const segments = [{ name: 'open', amount: 0, tone: 'main' as const }];
    expect(chartOf([{ label: 'note', text: '0', segments }])).not.toMatch(/NaN|Infinity|class="chart-main"/);
  });
});

import { describe, expect, it } from 'vitest';
import { barChart } from '../../../../src/commands/report/charts.js';
import { html } from '../../../../src/commands/report/html.js';
import { pageOf, tableWith } from '../../../../src/commands/report/page.js';

describe('html', () => {
  it('escapes each text, also in attributes, and joins lists', () => {
    const hostile = `<script>alert("1")</script>'&`;
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;';
    const page = html`<p title="${hostile}">${[hostile, 7]}${undefined}${false}</p>`;
    expect(String(page)).toBe(`<p title="${escaped}">${escaped}7</p>`);
  });

  it('leaves what is escaped already as it is', () => {
    expect(String(html`<b>${html`<i>${'&'}</i>`}</b>`)).toBe('<b><i>&amp;</i></b>');
  });

  it('escapes what only looks like HTML that is escaped already', () => {
    const forged = { text: '<b>', toString: () => '<b>' } as unknown as string;
    expect(() => String(html`${forged}`)).toThrow(TypeError);
  });

  it('drops control characters, and those that reverse the text after them', () => {
    expect(String(html`${'a\u0000b\u001b[31m\u202egnp.exe'}`)).toBe('ab[31mgnp.exe');
  });
});

describe('a page', () => {
  it('forbids scripts and requests, and allows its own style only', () => {
    const page = String(pageOf('Title & more', html`<h1>Title</h1>`));
    expect(page).toMatch(
      /content="default-src &#39;none&#39;; style-src|content="default-src 'none'; style-src/,
    );
    expect(page).toContain('<title>Title &amp; more</title>');
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(/);
  });

  it('has words in place of an empty table', () => {
    expect(String(tableWith('Calls', [], []))).toBe('<p class="faint">Calls: none</p>');
  });
});

describe('a chart', () => {
  it('has a title and its numbers as text, and measures each bar by the longest', () => {
    const bar = (label: string, amount: number) => ({
      ...{ label, text: `${amount} of <x>` },
      segments: [{ name: 'open', amount, tone: 'main' as const }],
    });
    const chart = String(barChart('Open <now>', [bar('note', 4), bar('ticket', 1)]));
    expect(chart).toContain('<svg role="img" height="88"><title>Open &lt;now&gt;</title>');
    expect(chart).toContain('<desc>note: 4 of &lt;x&gt;; ticket: 1 of &lt;x&gt;</desc>');
    expect([...chart.matchAll(/class="main"[^>]* width="([^"]*)"/g)].map(([, width]) => width)).toEqual([
      '100%',
      '25%',
    ]);
  });

  it('draws nothing for amounts of zero', () => {
    const segments = [{ name: 'open', amount: 0, tone: 'main' as const }];
    const chart = String(barChart('Open', [{ label: 'note', text: '0', segments }]));
    expect(chart).not.toMatch(/NaN|Infinity|class="main"/);
  });
});

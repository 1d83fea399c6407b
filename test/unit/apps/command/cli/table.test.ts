import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutMiddle, layOut, tableOf } from '../../../../../src/apps/command/cli/table.js';

const COLUMNS = [
  { title: 'name' },
  { title: 'kind' },
  { title: 'due', priority: 2 },
  { title: 'polls', priority: 4 },
  { title: 'detail', priority: 3 },
  { title: 'workflow', keep: true },
] as const;

const ROWS = [
  [
    'Corner Bakery',
    'underwriting-note',
    'overdue 2 h',
    7,
    'Please send a voided check for the deposit account.',
    'merchant-boarding-corner-bakery',
  ],
  [
    'Bäckerei an der Ecke, Inhaberin Änne Grün und Töchter',
    'rejected-input',
    'due in 3 h',
    1_204,
    'merchant.phone:\n  must have 10 digits',
    'customer-onboarding-2026-000000017@acme',
  ],
  [
    '東京自転車株式会社',
    { text: 'ticket', style: 'red' as const },
    'due in 9 d',
    12,
    '',
    'business-onboarding-b',
  ],
];

const at = (width: number) => `\n${layOut(COLUMNS, ROWS, { width }).lines.join('\n')}\n`;

describe('a table', () => {
  it('drops the less important columns and cuts the middle of long texts at 80 columns', () => {
    expect(at(80)).toMatchInlineSnapshot(`
      "
      NAME                  KIND               WORKFLOW
      Corner Bakery         underwriting-note  merchant-boarding-corner-bakery
      Bäckerei a…d Töchter  rejected-input     customer-onboarding-2026-000000017@acme
      東京自転車株式会社    ticket             business-onboarding-b
      "
    `);
    expect(layOut(COLUMNS, ROWS, { width: 80 }).hidden).toEqual(['due', 'polls', 'detail']);
  });

  it('has all columns at 160', () => {
    expect(at(160)).toMatchInlineSnapshot(`
      "
      NAME                                     KIND               DUE          POLLS  DETAIL                                   WORKFLOW
      Corner Bakery                            underwriting-note  overdue 2 h      7  Please send a voide…he deposit account.  merchant-boarding-corner-bakery
      Bäckerei an der Eck…ne Grün und Töchter  rejected-input     due in 3 h    1204  merchant.phone: must have 10 digits      customer-onboarding-2026-000000017@acme
      東京自転車株式会社                       ticket             due in 9 d      12                                           business-onboarding-b
      "
    `);
  });

  it('is whole without a terminal', () => {
    expect(`\n${layOut(COLUMNS, ROWS).lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      NAME                                                   KIND               DUE          POLLS  DETAIL                                               WORKFLOW
      Corner Bakery                                          underwriting-note  overdue 2 h      7  Please send a voided check for the deposit account.  merchant-boarding-corner-bakery
      Bäckerei an der Ecke, Inhaberin Änne Grün und Töchter  rejected-input     due in 3 h    1204  merchant.phone: must have 10 digits                  customer-onboarding-2026-000000017@acme
      東京自転車株式会社                                     ticket             due in 9 d      12                                                       business-onboarding-b
      "
    `);
  });

  it('never wraps a row, at any width', () => {
    for (let width = 1; width <= 250; width += 1) {
      const { lines } = layOut(COLUMNS, ROWS, { width, color: true });
      expect([width, lines.length]).toEqual([width, ROWS.length + 1]);
      for (const line of lines) expect([width, stringWidth(line) <= width]).toEqual([width, true]);
    }
  });

  it('leaves out an empty column before it cuts another, without a word', () => {
    const columns = [{ title: 'dba' }, { title: 'mid', priority: 2 }, { title: 'id', keep: true as const }];
    const rows = [['Corner Bakery', '', 'a-1']];
    expect(layOut(columns, rows, { width: 20 })).toEqual({
      lines: ['DBA            ID', 'Corner Bakery  a-1'],
      hidden: [],
      isCramped: false,
    });
    // As it is for programs.
    expect(layOut(columns, rows).lines[0]).toBe('DBA            MID  ID');
  });

  it('is cramped where a column to keep is cut, and where one is hardly readable', () => {
    const of = (width: number) => layOut(COLUMNS, ROWS, { width }).isCramped;
    expect([of(160), of(80), of(60)]).toEqual([false, false, true]);
  });

  it('colors the content of a cell, and only with color', () => {
    const plain = layOut(COLUMNS, ROWS, { width: 160 }).lines;
    const colored = layOut(COLUMNS, ROWS, { width: 160, color: true }).lines;
    expect(colored[3]).toBe(plain[3]?.replace('ticket', '\u001b[31mticket\u001b[39m'));
    expect(plain.join('')).not.toContain('\u001b');
  });

  it('has no characters of a partner that control the terminal, and no tabs or line ends in a cell', () => {
    expect(tableOf(['text'], [['a\u001b[2J\u009b1\tb\r\nc\u202ed']])).toBe('TEXT\na[2J1 b cd');
  });
});

describe('the cut text', () => {
  it.each([
    ['merchant-boarding-corner-bakery', 12, 'mercha…akery'],
    ['short', 5, 'short'],
    ['short', 4, 'sh…t'],
    ['short', 1, '…'],
    // Two columns each, so one of nine stays empty.
    ['東京自転車株式会社', 9, '東京…会社'],
    ['東京自転車株式会社', 8, '東京…社'],
    // A character of several code points stays whole.
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 5, '👩‍👩‍👧‍👦…👩‍👩‍👧‍👦'],
  ])('of %s in %i columns is %s', (text, width, cut) => {
    expect(cutMiddle(text, width)).toBe(cut);
  });
});

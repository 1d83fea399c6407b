import { PassThrough } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import {
  hasColor,
  type Output,
  Printer,
  type Records,
  widthOf,
} from '../../../../../src/apps/command/cli/output.js';

interface Item {
  readonly id: string;
  readonly overdue?: boolean;
  readonly at?: Date;
  readonly of?: { readonly dba?: string; readonly tags?: readonly string[] };
  readonly note?: string;
  readonly polls?: number;
}

const ITEMS: readonly Item[] = [
  {
    id: 'merchant-boarding-corner-bakery',
    overdue: true,
    at: new Date('2026-03-01T19:05:09.500Z'),
    of: { dba: 'Corner "Best" Bakery, Inc.', tags: ['a', 'b'] },
    note: 'first line\nsecond line',
    polls: 7,
  },
  { id: '=HYPERLINK("http://example.com")', overdue: false, of: { dba: '-2+3' }, note: '-12.5', polls: -12 },
];

const HOW: Records<Item> = {
  columns: {
    dba: ({ of }) => of?.dba,
    overdue: { value: ({ overdue }) => overdue, style: ({ overdue }) => (overdue ? 'red' : undefined) },
    at: { value: ({ at }) => at, priority: 2 },
    polls: { value: ({ polls }) => polls, priority: 3 },
    id: { value: ({ id }) => id, keep: true },
  },
  fields: ['id', 'at'],
};

/** What a printer writes. */
function printed(
  items: readonly Item[],
  how: Partial<Records<Item>>,
  { env = {}, columns }: { env?: NodeJS.ProcessEnv; columns?: number } = {},
) {
  const stream = (): Output =>
    Object.assign(new PassThrough(), columns !== undefined && { isTTY: true, columns });
  const [stdout, stderr] = [stream(), stream()] as [PassThrough, PassThrough];
  new Printer({ stdout, stderr, env: { TZ: 'America/New_York', ...env } }).records(items, { ...HOW, ...how });
  return { stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

// Proves D5.
describe('records', () => {
  it('are a table that fits the terminal, with times in the zone of the person', () => {
    expect(printed(ITEMS, {}, { columns: 80, env: { NO_COLOR: '1' } })).toEqual({
      stdout: `\
DBA                         OVERDUE  ID
Corner "Best" Bakery, Inc.  yes      merchant-boarding-corner-bakery
-2+3                                 =HYPERLINK("http://example.com")
`,
      stderr: 'no room for at, polls: widen the terminal, or use --csv or --json\n',
    });
    expect(printed(ITEMS, {}, { columns: 160, env: { NO_COLOR: '1' } })).toEqual({
      stdout: `\
DBA                         OVERDUE  AT                    POLLS  ID
Corner "Best" Bakery, Inc.  yes      2026-03-01 14:05 EST      7  merchant-boarding-corner-bakery
-2+3                                                         -12  =HYPERLINK("http://example.com")
`,
      stderr: '',
    });
  });

  it('show a time whole, where other columns are cut', () => {
    const columns = { at: ({ at }: Item) => at, note: ({ note }: Item) => note, id: ({ id }: Item) => id };
    const { stdout } = printed(ITEMS, { columns }, { columns: 60 });
    expect(stdout.split('\n')[1]).toBe('2026-03-01 14:05 EST  first lin…ond line  merchant-…r-bakery');
  });

  it('are whole in a pipe, also with COLUMNS, and without control codes', () => {
    const { stdout, stderr } = printed(ITEMS, {}, { env: { COLUMNS: '40' } });
    expect(stdout).toBe(printed(ITEMS, {}, { columns: 160, env: { NO_COLOR: '1' } }).stdout);
    expect(stderr).toBe('');
  });

  it('have colors on a terminal', () => {
    expect(printed(ITEMS, {}, { columns: 160 }).stdout).toContain('  \u001b[31myes\u001b[39m  ');
  });

  it('are JSON lines, with times in UTC', () => {
    const { stdout } = printed(ITEMS, { json: true });
    expect(stdout).toBe(ITEMS.map((item) => `${JSON.stringify(item)}\n`).join(''));
    expect(stdout).toContain('"at":"2026-03-01T19:05:09.500Z"');
  });

  it('are CSV, with the fields of JSON by their paths, the given ones first', () => {
    expect(printed(ITEMS, { csv: true }).stdout).toBe(
      [
        'id,at,overdue,of.dba,of.tags,note,polls',
        'merchant-boarding-corner-bakery,2026-03-01T19:05:09.500Z,true,"Corner ""Best"" Bakery, Inc.","[""a"",""b""]","first line\nsecond line",7',
        `"'=HYPERLINK(""http://example.com"")",,false,'-2+3,,-12.5,-12`,
        '',
      ].join('\r\n'),
    );
  });

  it('have the header of CSV even when there are none', () => {
    expect(printed([], { csv: true })).toEqual({ stdout: 'id,at\r\n', stderr: '' });
    expect(printed([], { json: true })).toEqual({ stdout: '', stderr: '' });
    expect(printed([], { none: 'no open requirements' }).stdout).toBe('no open requirements\n');
  });

  it.each([{}, { json: true }, { csv: true }] as const)('report a limit on standard error: %j', (format) => {
    expect(printed(ITEMS, { ...format, total: 1_204 }).stderr).toBe('2 of 1,204; --limit 0 for all\n');
    expect(printed(ITEMS, { ...format, total: 'more' }).stderr).toBe('the first 2; --limit 0 for all\n');
    expect(printed(ITEMS, { ...format, total: 2 }).stderr).toBe('');
  });
});

describe('a cell of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1 555 010 9999', "'+1 555 010 9999"],
    ['+15550109999', '+15550109999'],
    ['-0.5', '-0.5'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ['\t=1+1', "'\t=1+1"],
    ['\n=1+1', "'\n=1+1"],
    // Some spreadsheets leave out what is before it.
    [' =1+1', "' =1+1"],
    ['\u00a0@SUM(A1)', "'\u00a0@SUM(A1)"],
    ['\u3000＝1+1', "'\u3000＝1+1"],
    ['\ufeff=1+1', "'\ufeff=1+1"],
    ['\u200b-2+3', "'\u200b-2+3"],
    ['\u202e=1+1', "'=1+1"],
    ['\r=1+1', "'=1+1"],
    ['a=b', 'a=b'],
    ['a;=b', 'a;=b'],
    ['0042', '0042'],
    [' padded ', ' padded '],
    ['a\u001b[2Jb', 'a[2Jb'],
  ])('cannot run as a formula in a spreadsheet: %j is read as %j', (note, cell) => {
    const { stdout } = printed([{ id: '1', note }], { csv: true });
    expect(parse(stdout, { columns: true })).toEqual([{ id: '1', at: '', note: cell }]);
  });
});

describe('the width', () => {
  it.each([
    [{ isTTY: true, columns: 132 }, {}, 132],
    [{ isTTY: true, columns: 132 }, { COLUMNS: '100' }, 100],
    [{ isTTY: true, columns: 132 }, { COLUMNS: 'wide' }, 132],
    [{ isTTY: true, columns: 132 }, { COLUMNS: '0' }, 132],
    // A terminal that does not report its size.
    [{ isTTY: true, columns: 0 }, {}, 80],
    [{ isTTY: true }, {}, 80],
    [{}, { COLUMNS: '100' }, undefined],
  ])('of %j with %j is %s', (stream, env, width) => {
    expect(widthOf(Object.assign(new PassThrough(), stream), env)).toBe(width);
  });
});

describe('color', () => {
  it.each<[boolean, boolean, NodeJS.ProcessEnv]>([
    [true, true, { TERM: 'xterm-256color' }],
    [true, true, {}],
    [false, true, { NO_COLOR: '1' }],
    // https://no-color.org: when not empty.
    [true, true, { NO_COLOR: '' }],
    [false, true, { TERM: 'dumb' }],
    [false, false, { TERM: 'xterm-256color' }],
    [true, false, { FORCE_COLOR: '1' }],
    [false, true, { FORCE_COLOR: '0' }],
    [false, true, { FORCE_COLOR: '1', NO_COLOR: '1' }],
  ])('is %s: a terminal: %s, with %j', (used, isTTY, env) => {
    expect(hasColor(Object.assign(new PassThrough(), { isTTY }), env)).toBe(used);
  });
});

describe('a message', () => {
  const COMMAND = '    gangway resolve merchant-boarding-corner-bakery note-0e5ac65b83c0 --document FILE';
  const MESSAGE = `it takes other answers, of which there are three:\n${COMMAND}\n  merchant.dba: must be at most 25 characters`;
  const printed = (isTTY: boolean) => {
    const stderr = Object.assign(new PassThrough(), { isTTY, columns: 30 });
    new Printer({ stdout: new PassThrough(), stderr, env: {} }).note(MESSAGE);
    return String(stderr.read());
  };

  it('is broken between words at a terminal, with the indent of each line, and its commands stay whole', () => {
    expect(printed(true).split('\n')).toEqual([
      'it takes other answers, of',
      'which there are three:',
      COMMAND,
      '  merchant.dba: must be at',
      '  most 25 characters',
      '',
    ]);
  });

  it('stays as it is in a pipe', () => {
    expect(printed(false)).toBe(`${MESSAGE}\n`);
  });
});

it('JSON escapes what would control a terminal or reverse the direction of a text, and has the same value', () => {
  const value = { '\u009b2J': 'a\u202eb\u2066c\u2069\u0085\u007f d\u200e é\n' };
  const stdout = new PassThrough();
  new Printer({ stdout, stderr: new PassThrough(), env: {} }).json(value);
  const json = String(stdout.read());
  expect(json).toBe('{"\\u009b2J":"a\\u202eb\\u2066c\\u2069\\u0085\\u007f d\u200e é\\n"}\n');
  expect(JSON.parse(json)).toEqual(value);
});

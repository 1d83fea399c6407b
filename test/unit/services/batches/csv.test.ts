import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NO_ACCOUNTS } from '../../../../src/messages/inputs.js';
import { columnsOf } from '../../../../src/services/batches/columns.js';
import { csvRows, mappingFrom, NO_MAPPING } from '../../../../src/services/batches/csv.js';
import { heldSource, ndjsonRows } from '../../../../src/services/batches/format.js';
import { rowSchemas } from '../../../../src/services/batches/validation.js';
import { inChunks } from '../../../rigs/commands/files.js';

const columns = columnsOf(rowSchemas(NO_ACCOUNTS));

const mappingOf = (value: unknown) => mappingFrom({ name: 'mapping.json', value }, columns);

/** Reads a table in chunks of this size, in bytes. */
async function read(
  table: string | Buffer,
  { delimiter, mapping, chunk = 1_000 }: { delimiter?: string; mapping?: unknown; chunk?: number } = {},
) {
  const facts = { delimiter, columns, mapping: mapping === undefined ? NO_MAPPING : mappingOf(mapping) };
  const rows = await Readable.from(csvRows(inChunks(table, chunk), facts)).toArray();
  // As JSON, because rows become JSON.
  return JSON.parse(JSON.stringify(rows)) as unknown[];
}

const row = (line: number, value: object) => ({ line, value });
const problem = (line: number, message: string, field = '') => ({ line, problems: [{ field, message }] });

/** Each value of an input by its path. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path ? `${path}.${name}` : name));
}

describe('a table', () => {
  const named = (id: string, dba: string) => ({ externalId: id, merchant: { dba } });
  const plain = [row(2, named('m-1', 'One')), row(3, named('m-2', 'Two'))];

  it.each([
    ['with LF', 'externalId,merchant.dba\nm-1,One\nm-2,Two\n'],
    ['with CRLF', 'externalId,merchant.dba\r\nm-1,One\r\nm-2,Two\r\n'],
    ['with CR', 'externalId,merchant.dba\rm-1,One\rm-2,Two\r'],
    ['with both', 'externalId,merchant.dba\nm-1,One\r\nm-2,Two'],
    ['with a byte order mark', '\uFEFFexternalId,merchant.dba\nm-1,One\nm-2,Two\n'],
    ['with spaces around cells', 'externalId , merchant.dba\n m-1,One  \nm-2, "Two" \n'],
    ['with all in quotes', '"externalId","merchant.dba"\n"m-1","One"\n"m-2","Two"\n'],
  ])('%s is read, however it is cut into chunks', async (_, table) => {
    for (const chunk of [1, 2, 3, 7, 1_000]) expect(await read(table, { chunk })).toEqual(plain);
  });

  it.each([
    [
      'the line of advice of a template',
      'externalId,merchant.dba\nrequired: your own key (this line is skipped),required: text\nm-1,One\nm-2,Two\n',
      [3, 4],
    ],
    ['blank rows', 'externalId,merchant.dba\r\n,\r\nm-1,One\r\n , \r\n,,,,\r\nm-2,Two\r\n,\r\n', [3, 6]],
    ['blank rows before the header', ',\r\n\r\nexternalId,merchant.dba\r\nm-1,One\r\nm-2,Two', [4, 5]],
    ['blank headers', 'externalId,,merchant.dba,,\nm-1,,One,,\nm-2,,Two,,\n', [2, 3]],
    ['blank cells behind the last header', 'externalId,merchant.dba\nm-1,One,,\nm-2,Two,\n', [2, 3]],
    ['its separator in the first line', 'sep=,\r\nexternalId,merchant.dba\r\nm-1,One\r\nm-2,Two\r\n', [3, 4]],
    ['another separator there', '\uFEFFsep=;\r\nexternalId;merchant.dba\r\nm-1;One\r\nm-2;Two\r\n', [3, 4]],
    ['that line in upper case', 'SEP=;\nexternalId;merchant.dba\nm-1;One\nm-2;Two\n', [3, 4]],
    ['that line in quotes', '"sep=\t"\nexternalId\tmerchant.dba\nm-1\tOne\nm-2\tTwo\n', [3, 4]],
    ['text as a formula', 'externalId,merchant.dba\nm-1,="One"\n"=""m-2""",="Two"', [2, 3]],
    [
      'characters without width',
      '\u200bexternalId,merchant\u2060.dba\u200b\nm-1,\u200bOne\nm\xad-2,Two\uFEFF\n',
      [2, 3],
    ],
    ['spaces that do not break', '\xa0externalId,merchant.dba\xa0\nm-1,One\u202f\nm-2,\u2007Two\n', [2, 3]],
  ])('from Excel is read with %s', async (_, table, [one, two]) => {
    const expected = [row(one ?? 0, named('m-1', 'One')), row(two ?? 0, named('m-2', 'Two'))];
    for (const chunk of [1, 2, 3, 7, 1_000]) expect(await read(table, { chunk })).toEqual(expected);
  });

  it('keeps the zeros and separators of a text that is a formula', async () => {
    const table = 'externalId,agent,merchant.dba\n="007",="01234",="a, ""b"""\nm-2,="",Two=\n';
    expect(await read(table)).toEqual([
      row(2, { externalId: '007', agent: '01234', merchant: { dba: 'a, "b"' } }),
      row(3, named('m-2', 'Two=')),
    ]);
  });

  it('names a number that Excel has shortened, a cell without a header, and a header with characters that nobody sees', async () => {
    const lost =
      'is in scientific notation, without its last digits: in Excel, format the column as Text, then enter the number again';
    expect(await read('externalId,merchant.dba\n1.23457E+15,One\n"1,2E+11",1E5\nm-3,3e+1\n')).toEqual([
      problem(2, lost, 'externalId'),
      problem(3, lost, 'externalId'),
      row(4, named('m-3', '3e+1')),
    ]);
    expect(await read('externalId,,merchant.dba\nm-1,x,One\n')).toEqual([
      problem(2, 'has a cell below a header that is blank'),
    ]);
    const message = '"merchant\\u200c.dba" is not a known column; did you mean merchant.dba?';
    expect(await read('externalId,merchant\u200c.dba\n')).toEqual([problem(1, message)]);
  });

  it('takes another delimiter', async () => {
    const semicolons = await read('externalId;merchant.dba\nm-1;"One; and a half"\n', { delimiter: ';' });
    expect(semicolons).toEqual([row(2, named('m-1', 'One; and a half'))]);
    const tabs = await read('externalId\tmerchant.dba\tagent\nm-1\t\tHarbor\n', { delimiter: '\t' });
    expect(tabs).toEqual([row(2, { externalId: 'm-1', agent: 'Harbor' })]);
  });

  it('has quotes, delimiters and line ends in quoted cells, and names the line where a row begins', async () => {
    const table = 'externalId,merchant.dba\r\n\r\nm-1,"a ""b"", c\r\nd"\r\n   \r\nm-2,Two\r\n';
    expect(await read(table)).toEqual([row(3, named('m-1', 'a "b", c\r\nd')), row(6, named('m-2', 'Two'))]);
  });

  it('is read past rows with the wrong number of cells, which are reported', async () => {
    expect(await read('externalId,merchant.dba\nm-1\nm-2,Two,2\nm-3,Three\n')).toEqual([
      problem(2, 'has 1 cells; the header has 2'),
      problem(3, 'has 3 cells; the header has 2'),
      row(4, named('m-3', 'Three')),
    ]);
  });

  const AFTER = 'has text after a closing quote; a quote inside a quoted cell is doubled';
  it.each([
    ['a quote that is not closed', 'm-2,"Two\nm-3,Three\n', 'has a quote that is not closed'],
    ['text after a closing quote', 'm-2,"T"wo\nm-3,x\n', AFTER],
    ['a quote inside a cell', 'm-2,T"wo"\nm-3,x\n', 'has a quote inside a cell that is not quoted'],
    ['a row without end', `m-2,"${'x'.repeat(1_100_000)}"\n`, 'is longer than 1 MiB; is a quote not closed?'],
  ])('with %s is read up to there', async (_, rest, message) => {
    const rows = await read(`externalId,merchant.dba\nm-1,One\n${rest}`, { chunk: 65_536 });
    expect(rows).toEqual([plain[0], problem(3, `${message}; the rest of the file was not read`)]);
  });

  it('is read up to its 200,000th line, empty or not', async () => {
    const beyond = problem(
      200_001,
      'is beyond the 200,000 lines that a file may have: split the file; the rest of the file was not read',
    );
    const lines = '\n'.repeat(199_999);
    expect(await read(`${lines}externalId\nm-1\n`, { chunk: 65_536 })).toEqual([beyond]);
    const json = Readable.from(ndjsonRows(Readable.from([`${lines}\n{}\n{}`])));
    expect(await json.toArray()).toEqual([beyond]);
  });

  it('lets others have a turn while its lines are empty', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { read: bytes } = heldSource('a.csv', Buffer.from('\n'.repeat(10_000)));
    await Readable.from(csvRows(bytes(), { columns, mapping: NO_MAPPING })).toArray();
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it('is rejected in another encoding', async () => {
    const latin1 = Buffer.from('externalId,merchant.dba\nm-1,Café\nm-2,Two\n', 'latin1');
    expect(await read(latin1)).toEqual([
      problem(2, 'is not UTF-8, and probably Windows-1252; save the file as UTF-8 (in Excel: "CSV UTF-8")'),
      plain[1],
    ]);
    const utf8 = await read('externalId,merchant.dba\nm-1,Café\n', { chunk: 1 });
    expect(utf8).toEqual([row(2, named('m-1', 'Café'))]);
  });
});

describe('a cell', () => {
  /** What one cell under a header becomes. */
  async function cell(header: string, text: string, mapping?: unknown) {
    const [row] = (await read(`externalId,${header}\nx,${text}\n`, { mapping })) as [{ value: object }];
    return row.value;
  }

  const INT64 = '9223372036854775807';
  it.each([
    ['merchant.dba', '0012', { merchant: { dba: '0012' } }],
    ['holder.ssn', '000123456', { holder: { ssn: '000123456' } }],
    ['holder.postalCode', '01234', { holder: { postalCode: '01234' } }],
    ['holder.website', 'true', { holder: { website: 'true' } }],
    ['agentProfileId', '101', { agentProfileId: 101 }],
    ['dueInHours', '0.5', { dueInHours: 0.5 }],
    ['merchantProfileId', '-7', { merchantProfileId: -7 }],
    // Text, which keeps the digits of any int64.
    ['holder.annualBusinessRevenue', INT64, { holder: { annualBusinessRevenue: INT64 } }],
    ['fees.cashDiscountRate', '3.5', { fees: { cashDiscountRate: 3.5 } }],
    ['holder.payrollCustomer', 'TRUE', { holder: { payrollCustomer: true } }],
    ['openFinancialAccount', 'false', { openFinancialAccount: false }],
    ['business.holder.state', '33', { business: { holder: { state: 33 } } }],
    ['boarding.merchant.cashDiscount', 'Yes', { boarding: { merchant: { cashDiscount: 'Yes' } } }],
    ['application.merchantProfile.code', '007', { application: { merchantProfile: { code: '007' } } }],
    ['fees.amex.a.perItem', '$5', { fees: { amex: { a: { perItem: 5 } } } }],
    ['fees.amex.a.percent', '2.5%', { fees: { amex: { a: { percent: 2.5 } } } }],
    ['beneficialOwners.0.ssn', '000123456', { beneficialOwners: [{ ssn: '000123456' }] }],
    ['beneficialOwners.1.state', '33', { beneficialOwners: [null, { state: 33 }] }],
    // The schema reports a value that does not match.
    ['agentProfileId', 'ten', { agentProfileId: 'ten' }],
    ['agentProfileId', '1e3', { agentProfileId: '1e3' }],
    ['openFinancialAccount', 'yes', { openFinancialAccount: true }],
    ['openFinancialAccount', 'No', { openFinancialAccount: false }],
    ['merchant.cashDiscount', 'TRUE', { merchant: { cashDiscount: 'Yes' } }],
    ['openFinancialAccount', 'maybe', { openFinancialAccount: 'maybe' }],
  ])('%s with %s is of the type of the field', async (header, text, value) => {
    expect(await cell(header, text)).toEqual({ externalId: 'x', ...value });
  });

  const examples = ['merchant', 'merchant-notes', 'business', 'customer', 'customer-asked'];
  it.each(examples)('for each field of examples/%s.json gives the same input', async (name) => {
    const example = await readFile(new URL(`../../../../examples/${name}.json`, import.meta.url), 'utf8');
    // A field of any type is text in a table, and so is an int64.
    const input = JSON.parse(example, (name, value) => {
      if (name === 'application' || name === 'fees') return undefined;
      return name === 'annualBusinessRevenue' ? String(value) : value;
    });
    const cells = leaves(input);
    const table = [cells.map(([path]) => path), cells.map(([, value]) => `"${value}"`)].join('\n');
    expect(await read(table)).toEqual([row(2, input)]);
  });

  it('that is empty is an absent field', async () => {
    for (const text of ['', '""']) expect(await cell('merchant.email', text)).toEqual({ externalId: 'x' });
  });

  it('cannot reach the prototype of anything', async () => {
    await cell('application.__proto__.polluted', 'yes');
    await cell('application.constructor.prototype.polluted', 'yes');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a header', () => {
  it.each([
    ['merchant.dbaa', '"merchant.dbaa" is not a known column; did you mean merchant.dba?'],
    ['DBA', '"DBA" is not a known column; did you mean merchant.dba?'],
    ['first_name', '"first_name" is not a known column; did you mean merchant.firstName?'],
  ])('%s is unknown', async (name, message) => {
    expect(await read(`externalId,${name}\nm-1,x\n`)).toEqual([problem(1, message)]);
  });

  // Alone catches a person who is told that a name is wrong, and none that is right.
  it.each(['Remark', 'merchant', 'constructor'])(
    '%s is unknown, and the columns of what the others are about are named',
    async (name) => {
      const others =
        'known columns are externalId, account, merchant.cashDiscount, merchant.firstName, merchant.lastName, merchant.dba, ' +
        'merchant.pos, merchant.email, agentProfileId, agent, boardingSettingsId, boardingSettings, feePlan, createVersion, ' +
        'merchantProfileId, dueInHours, unclaimedInHours, openFinancialAccount, onDecline';
      const problems = [
        { field: '', message: `"${name}" is not a known column` },
        { field: '', message: others },
      ];
      expect(await read(`externalId,merchant.dba,${name}\nm-1,One,x\n`)).toEqual([{ line: 1, problems }]);
    },
  );

  const PART = problem(1, 'is part of application.a, which is also a column', 'application.a.b');
  const NO_COLUMN = expect.stringMatching(
    /^has no known column: the first row must name the columns, or a mapping /,
  );
  it.each([
    // It is not repeated, because it may be data.
    ['names no known column', 'm-1,000123456\nm-2,x\n', problem(1, NO_COLUMN)],
    ['sets a field twice', 'externalId,externalId\nx,y\n', problem(1, 'is set by two columns', 'externalId')],
    ['sets a field and a part of it', 'application.a,application.a.b\nx,y\n', PART],
  ])('that %s is rejected', async (_, table, expected) => {
    expect(await read(table)).toEqual([expected]);
  });

  it('has no fifth owner', async () => {
    const [{ problems }] = (await read('externalId,beneficialOwners.4.ssn\n')) as [{ problems: object[] }];
    expect(problems).toHaveLength(1);
    expect(await read('externalId,beneficialOwners.3.ssn\n')).toEqual([]);
  });
});

describe('a mapping', () => {
  it('maps headers to our columns, leaves columns out, and adds constants', async () => {
    const mapping = {
      columns: {
        'Account No.': 'externalId',
        Name: 'merchant.dba',
        'Cash?': { to: 'merchant.cashDiscount', words: { Y: 'Yes', N: 'No' } },
        State: { to: 'boarding.application.state', words: { NY: 33 } },
        Volume: { to: 'application.volume', as: 'number' },
        Remark: null,
      },
      constants: { 'merchant.pos': 'None', agentProfileId: 101 },
    };
    const table =
      'Account No.,Name,Cash?,State,Volume,Remark,merchant.email\n' +
      '0001,One,Y,NY,24.5,secret,a@example.com\n0002,Two,maybe,,many,,\n';
    expect(await read(table, { mapping })).toEqual([
      row(2, {
        externalId: '0001',
        boarding: { application: { state: 33 } },
        application: { volume: 24.5 },
        merchant: { dba: 'One', cashDiscount: 'Yes', pos: 'None', email: 'a@example.com' },
        agentProfileId: 101,
      }),
      problem(3, 'must be a number such as 1234.56', 'application.volume'),
    ]);
  });

  it('rejects a constant for a column of the file', async () => {
    const mapping = { columns: {}, constants: { agentProfileId: 101 } };
    const rows = await read('externalId,agentProfileId\nx,102\n', { mapping });
    expect(rows).toEqual([problem(1, 'is set by two columns', 'agentProfileId')]);
  });

  it.each([
    [
      'names each entry with an unknown column',
      { columns: { Name: 'merchant.dbaa', B: { to: 'zzz' } }, constants: { 'merchant.poss': 'None' } },
      [
        '  columns.Name: "merchant.dbaa" is not a known column; did you mean merchant.dba?',
        '  columns.B: "zzz" is not a known column',
        '  constants.merchant.poss: "merchant.poss" is not a known column; did you mean merchant.pos?',
      ],
    ],
    [
      'rejects other fields',
      { columns: { A: { to: 'agent', typ: 'text' } }, extra: 1 },
      ['  columns.A.typ: is not a known field', '  extra: is not a known field'],
    ],
    ['needs columns', {}, ['  columns: is required']],
  ])('%s', (_, content, problems) => {
    const report = ['mapping.json: is not valid; nothing was started', ...problems].join('\n');
    expect(() => mappingOf(content)).toThrow(expect.objectContaining({ report }));
  });
});

describe('a table of many columns', () => {
  const header = (count: number, name: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => name(n));
  const TOO_WIDE = 'has more than 2000 columns: leave out those that Gangway does not need';

  it.each([
    ['unknown', (n: number) => `c${n}`],
    ['of an open field', (n: number) => `application.c${n}`],
    ['of the same field', () => 'externalId'],
    ['without a name', (n: number) => (n === 0 ? 'externalId' : '')],
  ])('is not compared column by column: %s', async (_, name) => {
    const table = `${header(50_000, name).join(',')}\n1`;
    const start = performance.now();
    expect(await read(table, { chunk: 65_536 })).toEqual([problem(1, TOO_WIDE)]);
    // To compare them takes more than ten seconds.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('names a similar column for the first unknown ones only, because that compares all known ones', async () => {
    const unknown = '"DBA" is not a known column';
    const messages = [
      ...header(50, () => `${unknown}; did you mean merchant.dba?`),
      ...header(10, () => unknown),
      expect.stringMatching(/^known columns are externalId, account, /),
    ];
    expect(await read(`externalId,${header(60, () => 'DBA').join(',')}\n1`)).toEqual([
      { line: 1, problems: messages.map((message) => ({ field: '', message })) },
    ]);
  });

  it('may have 2,000', async () => {
    const names = ['externalId', ...header(1_999, (n) => `application.c${n}`)];
    const [first] = await read(`${names.join(',')}\n${names.map((_, n) => `v${n}`).join(',')}`);
    expect(first).toMatchObject({ line: 2, value: { externalId: 'v0', application: { c1998: 'v1999' } } });
    expect(await read(`${[...names, 'application.more'].join(',')}\n1`)).toEqual([problem(1, TOO_WIDE)]);
  });
});

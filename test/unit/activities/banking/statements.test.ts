import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { checkStatement, saveStatement } from '../../../../src/activities/banking.js';
import type { StatementRequest } from '../../../../src/messages/banking-activities.js';
import { PartnerError } from '../../../../src/partners/partner-error.js';
import { folder as inFolder } from '../../../../src/platform/documents/file-store.js';
import { newFolder as newParent } from '../../../rigs/folders.js';

const january = { period: '2026-01', financialAccountIds: ['fa-501-1'], fileFormat: 'PDF' } as const;
const PDF = '%PDF-1.7\n1 0 obj\n%%EOF\n';
const CSV = 'account,date,amount\r\nfa-501-1,2026-01-31T23:59:00Z,1.00\r\n';
const OFX = 'OFXHEADER:100\r\n\r\n<OFX><BANKMSGSRSV1></BANKMSGSRSV1></OFX>\r\n';

const newFolder = async () => join(await newParent(), 'below', 'statements');

const save = (
  folder: string,
  body: Readable,
  name: StatementRequest = january,
  contentType = 'application/pdf',
) => saveStatement(inFolder(folder), undefined, name, { contentType, body });

const saved = async (financialAccountIds: readonly string[], period = '2026-01') => {
  const folder = await newFolder();
  const { fileName } = await save(folder, Readable.from([PDF]), { ...january, period, financialAccountIds });
  expect(await readdir(folder)).toEqual([fileName]);
  return fileName;
};

it('a statement is saved chunk by chunk, readable only by its owner', async () => {
  const folder = await newFolder();
  const chunks = [Buffer.from('%PDF-'), Buffer.alloc(100_000, 7), Buffer.from('%%EOF')];
  const statement = await save(folder, Readable.from(chunks));
  expect(statement).toEqual({ fileName: '2026-01-fa-501-1.pdf', bytes: 100_010, format: 'PDF' });
  expect((await readFile(join(folder, statement.fileName))).equals(Buffer.concat(chunks))).toBe(true);
  const modes = await Promise.all([stat(folder), stat(join(folder, statement.fileName))]);
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
});

describe('the name of a statement', () => {
  it.each<[readonly string[], RegExp]>([
    [['fa-501-1'], /^2026-01-fa-501-1\.pdf$/],
    [['fa-501-1', 'fa-501-1'], /^2026-01-fa-501-1\.pdf$/],
    ...['../../etc/passwd', 'a b', '.', 'é', 'a\0b\n', 'a'.repeat(300)].map((account): [string[], RegExp] => [
      [account],
      /^2026-01-[0-9a-f]{8}\.pdf$/,
    ]),
    [['fa-1', 'fa-2', '/'], /^2026-01-3-accounts-[0-9a-f]{8}\.pdf$/],
  ])('over %j is safe', async (accounts, expected) => {
    expect(await saved(accounts)).toMatch(expected);
  });

  it('cannot lead out of the folder by its month', async () => {
    expect(await saved(['fa-1'], '../../2026')).toMatch(/^[0-9a-f]{8}-fa-1\.pdf$/);
  });

  it('does not depend on the order of the accounts, and differs between accounts', async () => {
    const name = await saved(['fa-1', 'fa-2']);
    expect(await saved(['fa-2', 'fa-1'])).toBe(name);
    expect(await saved(['fa-1', 'fa-3'])).not.toBe(name);
    expect(await saved(['fa-1', 'fa-2'], '2026-02')).not.toBe(name);
  });
});

describe('a statement that cannot be saved', () => {
  const of = { system: 'banking', operation: 'generate-full-statement', kind: 'Uncertain' } as const;
  const broken = new PartnerError({ ...of, fields: [], reason: 'UND_ERR_SOCKET' });

  it('because it breaks off before it is read leaves the one before', async () => {
    const folder = await newFolder();
    await save(folder, Readable.from([PDF]));
    const body = new Readable({ read: () => undefined });
    const stored = save(folder, body);
    body.push('half');
    body.destroy(broken);
    await expect(stored).rejects.toBe(broken);
    expect(await readFile(join(folder, '2026-01-fa-501-1.pdf'), 'utf8')).toBe(PDF);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('because of the folder ends the partner’s response', async () => {
    const folder = await newFolder();
    await save(folder, Readable.from([PDF]));
    const inTheWay = join(folder, 'file');
    await writeFile(inTheWay, '');
    const body = Readable.from([PDF]);
    await expect(save(join(inTheWay, 'sub'), body)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'a part of the path is no folder (ENOTDIR)',
    });
    expect(body.destroyed).toBe(true);
  });
});

describe('what is not a statement', () => {
  const PAGE = '<!doctype html><html><title>Sign in</title></html>';
  it.each<
    [what: string, contentType: string, format: StatementRequest['fileFormat'], content: string, why: string]
  >([
    ['a sign-in page', 'text/html; charset=utf-8', 'PDF', PAGE, 'the PDF does not match its name.'],
    [
      'a sign-in page that is called a PDF',
      'application/pdf',
      'PDF',
      PAGE,
      'the PDF does not match its name.',
    ],
    ['a sign-in page that is called text', 'text/plain', 'CSV', PAGE, 'the CSV does not match its name.'],
    ['a PDF that is called a page', 'text/html', 'PDF', PDF, 'the PDF does not match its name.'],
    ['JSON', 'application/json', 'PDF', '{"success":false}', 'the PDF does not match its name.'],
    ['JSON with commas', 'text/csv', 'CSV', '{"a":1,"b":2,"c":3}', 'the CSV does not match its name.'],
    ['JSON of a problem', 'application/problem+json', 'CSV', CSV, 'the CSV does not match its name.'],
    ['JSON after blank space', 'text/csv', 'CSV', ' {"a":1,"b":2,"c":3}', 'the CSV does not match its name.'],
    ['JSON after a mark', 'text/csv', 'CSV', '\ufeff{"a":1,"b":2,"c":3}', 'the CSV does not match its name.'],
    ['XML with commas', 'text/csv', 'CSV', '<Error why="1, 2, 3"/>', 'the CSV does not match its name.'],
    ['a sentence', 'text/plain', 'CSV', 'Sorry, try again.', 'the CSV does not match its name.'],
    ['nothing', 'application/pdf', 'PDF', '', 'the PDF is empty'],
    ['nothing, in a table', 'text/csv', 'CSV', '', 'the CSV is empty'],
    [
      'half a PDF',
      'application/pdf',
      'PDF',
      '%PDF-1.7\n1 0 obj',
      'the PDF is not a complete PDF file, or has data after its end',
    ],
    [
      'half a file of OFX',
      'application/x-ofx',
      'OFX',
      OFX.slice(0, -8),
      'the OFX is not a complete OFX file, or has data after its end',
    ],
    [
      'a page of XML',
      'application/vnd.intu.qbo',
      'QBO',
      '<?xml version="1.0"?><a/>',
      'the QBO does not match',
    ],
  ])(
    '(%s as %s for %s) is not saved, and leaves the good file',
    async (_, contentType, format, content, why) => {
      const folder = await newFolder();
      const good = { PDF, CSV, OFX, QBO: OFX }[format];
      const { fileName } = await save(folder, Readable.from([good]), { ...january, fileFormat: format }, '');
      const refused = await save(
        folder,
        Readable.from([Buffer.from(content)]),
        { ...january, fileFormat: format },
        contentType,
      ).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(PartnerError);
      expect((refused as PartnerError).details).toMatchObject({
        kind: 'Uncertain',
        unreadable: 'generate-full-statement',
        fields: [{ field: '', message: expect.stringContaining(why) }],
      });
      expect(await readdir(folder)).toEqual([fileName]);
      expect(await readFile(join(folder, fileName), 'utf8')).toBe(good);
    },
  );
});

describe('a statement as a bank may write it', () => {
  const XML = '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>\n<OFX></OFX>';
  it.each<[what: string, contentType: string, format: StatementRequest['fileFormat'], content: string]>([
    ['after a byte order mark', 'application/pdf', 'PDF', `\ufeff${PDF}`],
    ['after an empty line, with more at the end', 'application/pdf', 'PDF', `\r\n${PDF}\r\n\r\n`],
    ['after a command for a printer', 'application/pdf', 'PDF', `\x1b%-12345X@PJL\r\n${PDF}`],
    ['of a type that names none', 'application/octet-stream', 'PDF', PDF],
    ['after a byte order mark', 'text/csv', 'CSV', `\ufeff${CSV}`],
    ['under a title', 'text/csv', 'CSV', `Statement of January\r\n\r\n${CSV}`],
    ['with its account above', 'text/plain', 'CSV', `\r\nAccount:,fa-501-1\r\n${CSV}`],
    ['that names its separator', 'text/csv', 'CSV', 'sep=;\r\nDate;Amount;Text\r\n'],
    ['with quotes', 'text/csv', 'CSV', '"Date","Amount","Text"\r\n'],
    ['with bars', 'text/csv', 'CSV', 'Date|Amount|Text\r\n'],
    ['after a byte order mark', 'application/x-ofx', 'OFX', `\ufeff${XML}`],
    ['of XML', 'text/xml', 'OFX', XML],
    ['of SGML, with the end mark of DOS', 'application/vnd.intu.qbo', 'QBO', `${OFX}\r\n\x1a`],
    ['of SGML as text', 'text/plain', 'OFX', OFX],
    ['of SGML as text', 'text/plain; charset=us-ascii', 'QBO', OFX],
  ])('(%s, as %s for %s) is saved', async (_, contentType, fileFormat, content) => {
    const request = { ...january, fileFormat };
    expect(await save(await newFolder(), Readable.from([content]), request, contentType)).toEqual({
      fileName: `2026-01-fa-501-1.${fileFormat.toLowerCase()}`,
      bytes: Buffer.byteLength(content),
      format: fileFormat,
    });
  });
});

it('what is no statement ends the response of the partner', async () => {
  const body = Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(5_000, '<')));
  const { content } = checkStatement({ body, contentType: 'application/pdf' }, 'PDF');
  await expect(buffer(content)).rejects.toBeInstanceOf(PartnerError);
  expect(body.destroyed).toBe(true);
});

it('a second statement of a month is saved next to the first, with its time', async () => {
  const folder = await newFolder();
  const later = PDF.replace('1 0', '2 0');
  const { fileName: first } = await save(folder, Readable.from([PDF]));
  const { fileName: second } = await save(folder, Readable.from([later]));
  expect([first, second]).toEqual([
    '2026-01-fa-501-1.pdf',
    expect.stringMatching(/^2026-01-fa-501-1-\d{8}T\d{9}Z\.pdf$/),
  ]);
  expect(await readFile(join(folder, first), 'utf8')).toBe(PDF);
  expect(await readFile(join(folder, second), 'utf8')).toBe(later);
});

describe('the dates of a statement', () => {
  it.each<[what: string, rows: string, warning: string | undefined]>([
    ['in the month', 'fa-1,2026-01-01,1\nfa-1,"01/31/2026",1\n', undefined],
    [
      'a day beside it, as another zone has them',
      'fa-1,2025-12-31T23:00:00Z,1\nfa-1,2/1/2026,1\n',
      undefined,
    ],
    ['as another country writes them', 'fa-1,31/1/2026,1\n', undefined],
    ['with short years', 'fa-1,1/31/26,1\nfa-1,3/10/26,1\n', 'dates outside 2026-01: 1, such as 3/10/26'],
    ['in no column of dates', 'fa-1,paid 2025-11-02,1\n', undefined],
    [
      'of the month before',
      'fa-1,2025-12-03,1\nfa-1,2025-12-04,1\n',
      'dates outside 2026-01: 2, such as 2025-12-03',
    ],
    [
      'as people write them',
      'fa-1,1/3/2026,1\nfa-1,3/10/2026,1\n',
      'dates outside 2026-01: 1, such as 3/10/2026',
    ],
    [
      'of the year before, first in the row',
      '2025-01-15;1;2\n',
      'dates outside 2026-01: 1, such as 2025-01-15',
    ],
  ])('%s: a CSV is saved, and says what is outside', async (_, rows, warning) => {
    const body = Readable.from([Buffer.from('account,date,amount\n'), Buffer.from(rows)]);
    const statement = await save(await newFolder(), body, { ...january, fileFormat: 'CSV' }, 'text/csv');
    const bytes = 20 + rows.length;
    const whole = { fileName: '2026-01-fa-501-1.csv', bytes, format: 'CSV' };
    expect(statement).toEqual(warning === undefined ? whole : { ...whole, warning });
  });

  it('are found in whatever chunks they arrive, and nowhere else', async () => {
    const rows = 'account,date,amount\nfa-1,2025-12-03,1\nfa-1,2026-01-03,paid 2025-11-02\n';
    const body = Readable.from([...rows].map((letter) => Buffer.from(letter)));
    const statement = await save(await newFolder(), body, { ...january, fileFormat: 'CSV' }, 'text/csv');
    expect(statement).toMatchObject({ warning: 'dates outside 2026-01: 1, such as 2025-12-03' });
  });
});

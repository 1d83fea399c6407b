import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ndjsonRows } from '../../../../../src/services/batches/format.js';
import { inChunks } from '../../../../rigs/commands/files.js';

function read(text: string | Buffer, chunk = 65_536) {
  return Readable.from(ndjsonRows(inChunks(text, chunk))).toArray();
}

const problem = (line: number, message: string) => ({ line, problems: [{ field: '', message }] });

it.each([1, 2, 3, 1_000])('reads a row from each line, in chunks of %i bytes', async (chunk) => {
  const text = '\uFEFF{"a": "é"}\r\n\n   \n{"b": "\u2028"}\n"text"\n[1]';
  expect(await read(text, chunk)).toEqual([
    { line: 1, value: { a: 'é' } },
    { line: 4, value: { b: '\u2028' } },
    { line: 5, value: 'text' },
    { line: 6, value: [1] },
  ]);
});

it('reports the lines that are not JSON, without quoting them', async () => {
  expect(await read('{"ssn": 000-12-3456}\n{"a": 1}\n{"a": \n')).toEqual([
    problem(1, 'is not JSON: column 10: a comma, } or ] is missing'),
    { line: 2, value: { a: 1 } },
    problem(3, 'is not JSON: column 7: the text ends early'),
  ]);
});

it('rejects another encoding', async () => {
  expect(await read(Buffer.from('{"a": 1}\n{"a": "é"}\n', 'latin1'))).toEqual([
    { line: 1, value: { a: 1 } },
    problem(2, 'is not UTF-8, and probably Windows-1252; save the file as UTF-8 (in Excel: "CSV UTF-8")'),
  ]);
});

it.each([
  ['a little', 'x'.repeat(1024 * 1024)],
  ['by its bytes', 'é'.repeat(600_000)],
  ['much', 'x'.repeat(5_000_000)],
])('rejects a line that is longer than 1 MiB, %s, and reads nothing after it', async (_, text) => {
  expect(await read(`{"a": 1}\n${JSON.stringify({ text })}\n{"b": 2}\n`)).toEqual([
    { line: 1, value: { a: 1 } },
    problem(2, 'is longer than 1 MiB; the rest of the file was not read'),
  ]);
});

it('reads nothing from nothing', async () => {
  expect(await read('')).toEqual([]);
  expect(await read('\n\n')).toEqual([]);
});

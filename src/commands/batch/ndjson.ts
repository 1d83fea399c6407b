import type { Readable } from 'node:stream';
import { parseExactly } from '../../partners/exact-json.js';
import { MAX_ROW_BYTES, mutilated, NO_FURTHER, type Row, TOO_LONG, unreadable } from './rows.js';

/** Reads a row from each line of JSON. Blank lines are skipped. */
export async function* ndjsonRows(bytes: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(bytes)) {
    line += 1;
    if (Buffer.byteLength(text) > MAX_ROW_BYTES) {
      yield unreadable(line, `${TOO_LONG}; ${NO_FURTHER}`);
      return;
    }
    if (text.trim() !== '') yield mutilated(line, [text]) ?? parsed(line, text);
  }
}

/**
 * Lines as JSON has them: node:readline would end one at U+2028 as well, which may stand in a text. Of a line that is
 * far too long only the beginning is read.
 */
async function* linesOf(bytes: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_ROW_BYTES) break;
  }
  yield rest;
}

function parsed(line: number, json: string): Row {
  try {
    return { line, value: parseExactly(json.replace(/^\uFEFF/, '')) };
  } catch {
    // The parser's own message quotes the text, which may hold private data.
    return unreadable(line, 'is not JSON');
  }
}

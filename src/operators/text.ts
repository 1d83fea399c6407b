import { parseExactly } from '../partners/json.js';
import { InvalidInput } from './invalid-input.js';

/** How files and arguments become text and JSON. A problem names the place and never quotes the text, which may be private. */

/**
 * Text from a partner must not control the terminal. Removes all control characters except tabs and line ends, and the marks
 * that reverse the direction of what follows.
 */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}

const SAVE_AS_UTF8 = 'save the file as UTF-8';

/** The byte order marks of UTF-16. */
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

/** Whether a file begins as programs write UTF-16. */
export function beginsAsUtf16(bytes: Uint8Array): boolean {
  return UTF_16.some(([first, second]) => bytes[0] === first && bytes[1] === second);
}

/** Why a file in UTF-16 cannot be used. */
export const IS_UTF_16 = `is UTF-16; ${SAVE_AS_UTF8}`;

/** Why a part of a file cannot be used. */
export const NOT_UTF_8 = `is not UTF-8; ${SAVE_AS_UTF8}`;

/** Text in UTF-8, with or without a byte order mark. @throws {InvalidInput} for any other encoding */
export function utf8(bytes: Uint8Array, name: string): string {
  if (beginsAsUtf16(bytes)) throw new InvalidInput(`${name}: ${IS_UTF_16}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const readable = new TextDecoder().decode(bytes);
    const { line } = placeAt(readable, readable.indexOf('\uFFFD'));
    throw new InvalidInput(`${name}: line ${line} ${NOT_UTF_8}`);
  }
}

/** @throws {InvalidInput} that names line and column */
export function parseJson(text: string, name: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw new InvalidInput(`${name}: ${notJson(text)}`);
  }
}

/**
 * Why a text is not JSON: `is not JSON: line 3, column 14: a comma or } is missing`. The parser's own message would quote the text.
 *
 * @param isLine the text is one line of a file, whose number the caller names
 */
export function notJson(text: string, isLine = false): string {
  const { offset, why } = faultIn(text);
  const { line, column } = placeAt(text, offset);
  return `is not JSON: ${isLine ? '' : `line ${line}, `}column ${column}: ${why}`;
}

function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

interface Fault {
  readonly offset: number;
  readonly why: string;
}

const BLANK = /[ \t\r\n]*/y;
const TEXT = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** What may stand at a place of JSON, in the words of the fault when something else does. */
const WANTED = {
  value: 'a value is missing: text in double quotes, a number, true, false, null, { or [',
  'first item': 'a value or ] is missing',
  'first field': 'the name of a field in double quotes, or } is missing',
  field: 'the name of a field in double quotes is missing; no comma stands before }',
  colon: 'a colon is missing after the name of a field',
  'after field': 'a comma or } is missing',
  'after item': 'a comma or ] is missing',
  end: 'nothing may follow the end of the JSON',
} as const;

/** The first place where a text stops being JSON. */
function faultIn(text: string): Fault {
  const open: ('{' | '[')[] = [];
  let wanted: keyof typeof WANTED = 'value';
  let offset = 0;
  const take = (token: RegExp): boolean => {
    token.lastIndex = offset;
    const found = token.test(text);
    if (found) offset = token.lastIndex;
    return found;
  };
  const next = () => (({ '{': 'after field', '[': 'after item', '': 'end' }) as const)[open.at(-1) ?? ''];
  for (;;) {
    take(BLANK);
    const sign = text[offset] ?? '';
    const isClosing =
      (sign === '}' && (wanted === 'first field' || wanted === 'after field')) ||
      (sign === ']' && (wanted === 'first item' || wanted === 'after item'));
    if (isClosing) {
      open.pop();
      offset += 1;
      wanted = next();
    } else if (wanted === 'value' || wanted === 'first item') {
      if (sign === '{' || sign === '[') {
        open.push(sign);
        offset += 1;
        wanted = sign === '{' ? 'first field' : 'first item';
      } else if (take(TEXT) || take(SCALAR)) wanted = next();
      else return { offset, why: valueFault(text, offset, wanted) };
    } else if (wanted === 'first field' || wanted === 'field') {
      if (!take(TEXT)) return { offset, why: valueFault(text, offset, wanted) };
      wanted = 'colon';
    } else {
      const separator = wanted === 'colon' ? ':' : wanted === 'end' ? '' : ',';
      if (separator === '' || sign !== separator) return { offset, why: missing(sign, wanted) };
      offset += 1;
      wanted = wanted === 'after field' ? 'field' : 'value';
    }
  }
}

function missing(sign: string, wanted: keyof typeof WANTED): string {
  return sign === '' && wanted !== 'end' ? 'the text ends early' : WANTED[wanted];
}

/** What stands in place of a value or of a name. */
function valueFault(text: string, offset: number, wanted: keyof typeof WANTED): string {
  const sign = text[offset] ?? '';
  if (sign === "'" || sign === '“' || sign === '„') return 'text needs double quotes: "';
  if (sign === '"') return 'text is not closed, or has a line break or a single \\ in it';
  if (text.startsWith('//', offset) || text.startsWith('/*', offset) || sign === '#')
    return 'JSON has no comments';
  return missing(sign, wanted);
}

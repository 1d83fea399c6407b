import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { parseExactly } from '../../partners/json.js';
import { InvalidInput } from './invalid-input.js';

/** Converts files and arguments to text and JSON. A problem names the position, and never quotes the text, which may be private. */

// Keeps S3.
/**
 * Text from a partner must not control the terminal. Removes all control characters except tabs and line ends, and the marks
 * that reverse the direction of what follows.
 */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}

/** Escapes these characters in JSON. Default: those that {@link harmless} removes. */
export function harmlessJson(json: string, signs = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g): string {
  return json.replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const SAVE_AS_UTF8 = 'save the file as UTF-8 (in Excel: "CSV UTF-8")';

/** Reports whether a file begins with a byte order mark of UTF-16. */
export function beginsAsUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

export const IS_UTF_16 = `is UTF-16; ${SAVE_AS_UTF8}`;

export const NOT_UTF_8 = `is not UTF-8, and probably Windows-1252; ${SAVE_AS_UTF8}`;

/** Decodes UTF-8, with or without a byte order mark. @throws {InvalidInput} for any other encoding */
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

/** Parses JSON. @throws {InvalidInput} with line and column */
export function parseJson(text: string, name: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw new InvalidInput(`${name}: ${notJson(text)}`);
  }
}

/**
 * Explains why a text is not JSON: `is not JSON: line 3, column 14: a comma, } or ] is missing`. The parser's own message would
 * quote the text.
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

const VALUE_MISSING = 'a value is missing: text in double quotes, a number, true, false, null, { or [';
const FAULTS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a field name in double quotes is missing; no comma may precede }',
  ColonExpected: 'a colon is missing after the name of a field',
  CommaExpected: 'a comma, } or ] is missing',
  ValueExpected: VALUE_MISSING,
  InvalidCommentToken: 'JSON has no comments',
};
const AFTER_END = 'nothing may follow the end of the JSON';
const NO_TEXT = 'text is not closed, or has a line break or a single \\ in it';

function faultIn(text: string): { readonly offset: number; readonly why: string } {
  const faults: ParseError[] = [];
  try {
    parse(text, faults, { disallowComments: true });
  } catch {
    // The parser is recursive.
    return { offset: 0, why: 'lists and objects are nested too deeply' };
  }
  const offset = faults[0]?.offset ?? 0;
  // Name the missing symbol rather than the unexpected one.
  const code = faults.map(({ error }) => printParseErrorCode(error)).find((name) => name !== 'InvalidSymbol');
  if (offset >= text.trimEnd().length) return { offset, why: 'the text ends early' };
  if (/^['“„]/.test(text.slice(offset))) return { offset, why: 'text needs double quotes: "' };
  if (text[offset] === '"' && code !== 'CommaExpected') return { offset, why: NO_TEXT };
  // At the beginning of the text, such as a web page, the value is missing.
  const otherwise = text.slice(0, offset).trim() === '' ? VALUE_MISSING : AFTER_END;
  return { offset, why: FAULTS[code ?? ''] ?? otherwise };
}

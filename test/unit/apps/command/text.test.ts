import { describe, expect, it } from 'vitest';
import { notJson, parseJson, utf8 } from '../../../../src/services/texts/text.js';

const VALUE = 'a value is missing: text in double quotes, a number, true, false, null, { or [';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Proves S3.
describe('a text that is not JSON', () => {
  it.each([
    ['', 'line 1, column 1: the text ends early'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma, } or ] is missing'],
    [
      '{\r\n  "a": 1,\r\n}',
      'line 3, column 1: a field name in double quotes is missing; no comma may precede }',
    ],
    [
      '{"a": 1.234,56}',
      'line 1, column 13: a field name in double quotes is missing; no comma may precede }',
    ],
    ['{a: 1}', 'line 1, column 2: a field name in double quotes is missing; no comma may precede }'],
    ["{'a': 1}", 'line 1, column 2: text needs double quotes: "'],
    ['{"a": “x”}', 'line 1, column 7: text needs double quotes: "'],
    ['{"a" 1}', 'line 1, column 6: a colon is missing after the name of a field'],
    ['{"a": 01}', 'line 1, column 8: a comma, } or ] is missing'],
    ['{"a": True}', `line 1, column 7: ${VALUE}`],
    ['{"a": .5}', `line 1, column 7: ${VALUE}`],
    ['[1 2]', 'line 1, column 4: a comma, } or ] is missing'],
    ['[1,]', `line 1, column 4: ${VALUE}`],
    ['[1', 'line 1, column 3: the text ends early'],
    ['{"a": "x\ny"}', 'line 1, column 7: text is not closed, or has a line break or a single \\ in it'],
    ['{"a": 1} // note', 'line 1, column 10: JSON has no comments'],
    ['{ // note\n"a": 1}', 'line 1, column 3: JSON has no comments'],
    ['# A page\n```json\n{}\n```', `line 1, column 1: ${VALUE}`],
    ['{} {}', 'line 1, column 4: nothing may follow the end of the JSON'],
    ['[[[]}', 'line 1, column 5: a comma, } or ] is missing'],
  ])('%j names its place and what is wrong', (text, fault) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(notJson(text)).toBe(`is not JSON: ${fault}`);
  });

  it('is never quoted', () => {
    expect(notJson('{"ssn": 000-12-3456}')).not.toMatch(/000|12-3456|ssn/);
    expect(() => parseJson('{', 'input.json')).toThrow('input.json: is not JSON: line 1, column 2: ');
  });

  it('of one line of a file has only a column', () => {
    expect(notJson('{"a"', true)).toBe('is not JSON: column 5: the text ends early');
  });

  it('is found however deep and long it is', () => {
    const deep = '['.repeat(200_000);
    expect(notJson(deep)).toBe('is not JSON: line 1, column 1: lists and objects are nested too deeply');
    const long = `{"a": "${'\\n x'.repeat(200_000)}" "b"}`;
    expect(notJson(long)).toContain('a comma, } or ] is missing');
  });

  it('is wrong where it was changed, or in the token around, and not before', () => {
    const valid = '{"a": [1, -2.5e+3, true, false, null, "\\u00e9\\"\\\\ €", {}, []], "b": {"c": ""}}';
    const longestToken = 16;
    const mutants = [...valid].flatMap((_, at) =>
      ['', ',', '"', '}', 'x'].map((sign) => ({ at, text: valid.slice(0, at) + sign + valid.slice(at + 1) })),
    );
    const rejected = mutants.filter(({ text }) => !isJson(text));
    expect(rejected.length).toBeGreaterThan(150);
    for (const { at, text } of rejected) {
      const column = Number(/column (\d+)/.exec(notJson(text))?.[1]);
      expect(column, text).toBeGreaterThanOrEqual(at + 1 - longestToken);
      expect(column, text).toBeLessThanOrEqual(text.length + 1);
    }
  });
});

describe('the bytes of a text', () => {
  const name = 'input.json';

  it('are UTF-8, with or without a byte order mark', () => {
    expect(utf8(Buffer.from('{"a": "é€"}'), name)).toBe('{"a": "é€"}');
    expect(utf8(Buffer.from('\uFEFF{}'), name)).toBe('{}');
  });

  it.each([
    [
      'Latin-1',
      Buffer.from('{\n"name": "José"\n}', 'latin1'),
      'line 2 is not UTF-8, and probably Windows-1252',
    ],
    ['Windows-1252', Buffer.from([0x22, 0x80, 0x22]), 'line 1 is not UTF-8, and probably Windows-1252'],
    ['UTF-16', Buffer.from('\uFEFF{"name": "José"}', 'utf16le'), 'is UTF-16'],
    ['UTF-16 of the other order', Buffer.from('\uFEFF{}', 'utf16le').swap16(), 'is UTF-16'],
  ])('are rejected in %s, in one sentence', (_, bytes, why) => {
    expect(() => utf8(bytes, name)).toThrow(
      `${name}: ${why}; save the file as UTF-8 (in Excel: "CSV UTF-8")`,
    );
  });
});

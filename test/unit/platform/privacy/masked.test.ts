import { describe, expect, it } from 'vitest';
import { type Place, redact } from '../../../../src/platform/privacy/masked.js';

describe('for the people who work on an onboarding, a number keeps its last four digits', () => {
  it.each([
    ['SSN 123-45-6789 does not match', 'SSN ***-**-6789 does not match'],
    ['SSN 123456789, please', 'SSN ***-**-6789, please'],
    ['(123456789)', '(***-**-6789)'],
    ['EIN 12-3456789', 'EIN **-***6789'],
    ['EIN 12\u20133456789', 'EIN **-***6789'],
    ['SSN １２３－４５－６７８９', 'SSN ***-**-６７８９'],
    ['SSN 123%2D45%2D6789', 'SSN ***-**-6789'],
    ['SSN 123-45-6\u200b7\u200b8\u200b9\u200b', 'SSN ***-**-6789'],
    ['SSN 𝟏𝟐𝟑-𝟒𝟓-𝟔𝟕𝟖𝟗', 'SSN ***-**-𝟔𝟕𝟖𝟗'],
    ['EIN 12%2D3456789', 'EIN **-***6789'],
    ['two: 123-45-6789 and 987654321', 'two: ***-**-6789 and ***-**-4321'],
    ['EIN 12-3456789 of 123-45-6789', 'EIN **-***6789 of ***-**-6789'],
  ])('%s', (text, output) => {
    expect(redact(text)).toBe(output);
    expect(redact(text, 'onboarding')).toBe(output);
  });
});

const PLACES: readonly Place[] = ['onboarding', 'log', 'failure', 'response'];

it.each([
  ['123-45-6789', 'onboarding log failure response'],
  ['123456789', 'onboarding failure response'],
  ['12-3456789', 'onboarding log failure response'],
  ['518-555-0100', 'log failure'],
  ['ada@example.com', 'log failure'],
  ['Bearer abcdefgh1', 'log failure response'],
  ['eyJh.eyJz.c2ln', 'log failure response'],
  ['x'.repeat(40), 'response'],
])('%s is masked in %s', (text, places) => {
  expect(PLACES.filter((place) => redact(text, place) !== text).join(' ')).toBe(places);
  for (const place of places.split(' ').filter((each) => each !== 'onboarding'))
    expect(redact(text, place as Place)).toBe('[Redacted]');
});

/** Each with a private value, of which [Redacted] is left, in the place that masks most kinds. */
describe('a text in which something is private', () => {
  it.each([
    '123-45-6789',
    '123.45.6789',
    '123_45_6789',
    '123:45:6789',
    '123 45 6789',
    '123-45 6789',
    '123/45/6789',
    '123\t45\t6789',
    '123/45-6789',
    '123\u201145\u20116789',
    '123\u2013 45 \u20136789',
    '123 - 45 - 6789',
    '123\xa045\u202f6789',
    '12\u20113456789',
    '12 - 3456789',
    '518\u2011555\u20130100',
    '(518)\xa0555-0100',
    '123456789',
    '12-3456789',
    '518-555-0100',
    '(518) 555-0100',
    '518.555.0100',
    '518_555 0100',
    '(518)-555-0100',
    '518 -555-0100',
    '+15185550100',
    '+12345678',
    '+123456789012345',
    'ada@example.com',
    'a.b+c%d-e_f@x-y.example.co.uk',
    'Bearer abcdefg1',
    'Basic YWRhOmJha2Vy',
    'Bearer abcdefgh+',
    'Basic abcdefgh=',
    'Bearer abc/defgh',
    'Bearer Abcdefgh',
    'Bearer a.b~c-d_e1',
    'eyJh.eyJz',
    'eyJ0-_x.y.z-_',
    'eyJh.b.c.d.e',
    // The digits of another script, and the dashes that come with them.
    '１２３-４５-６７８９',
    '１２３－４５－６７８９',
    '１２３４５６７８９',
    '１２－３４５６７８９',
    '５１８-５５５-０１００',
    '٠١٢-٣٤-٥٦٧٨',
    '۱۲۳۴۵۶۷۸۹',
    '१२३-४५-६७८९',
    '𝟏𝟐𝟑-𝟒𝟓-𝟔𝟕𝟖𝟗',
    '＋１５１８５５５０１００',
    '123\u301c45\u301c6789',
    '123\xad45\xad6789',
    '123\ufe6345\ufe636789',
    // Characters without width, other spaces, dots and dashes, raised digits, and dashes of HTML.
    '123\u200b-45-\u200b6789',
    '1\u200d2\u200d3456789',
    '123-4\u20605-6789\ufeff',
    '12\u200b-3456789',
    '123.45\u200b.6789',
    '123.45·6789',
    '123\u200945\u20096789',
    '123\u300045\u20076789',
    '123•45•6789',
    '123·45·6789',
    '123∙45⋅6789',
    '123,45,6789',
    '123--45--6789',
    '123 -- 45 -- 6789',
    '12--3456789',
    '518•555•0100',
    '518--555--0100',
    '123&#45;45&#45;6789',
    '123&#x2D;45&#x2d;6789',
    '123&ndash;45&#8211;6789',
    '123&nbsp;45&#160;6789',
    '¹²³-⁴⁵-⁶⁷⁸⁹',
    '₁₂₃₄₅₆₇₈₉',
    '123⁴⁵6789',
    '518\u2009555\u20090100',
    // In an address, in JSON within a text, and where a line is wrapped.
    '123%2D45%2D6789',
    '123%2d45%2d6789',
    '123%2045%206789',
    '123%2F45%2F6789',
    '12%2D3456789',
    '518%2D555%2D0100',
    '(518)%20555-0100',
    '%2B15185550100',
    'ada%40example.com',
    '123\\u002d45\\u002d6789',
    '12\\u002D3456789',
    '123-45-\n6789',
    '123-\r45-6789',
    '12-\n3456789',
  ])('is masked alone and between words: %s', (value) => {
    expect(redact(value, 'failure')).toBe('[Redacted]');
    expect(redact(`of ${value}, twice ${value};`, 'failure')).toBe('of [Redacted], twice [Redacted];');
  });

  it.each([
    ['g123456789h', 'g[Redacted]h'],
    ['x123-45-6789x', 'x[Redacted]x'],
    ['x-12-3456789', 'x-[Redacted]'],
    ['<ada@example.com>', '<[Redacted]>'],
    ['=Basic YWRhOmJha2Vy;', '=[Redacted];'],
    ['ssn%3D123456789', 'ssn%3D[Redacted]'],
    ['%20123456789', '%20[Redacted]'],
    ['a%3D123-45-6789', 'a%3D[Redacted]'],
    ['a%3D12-3456789', 'a%3D[Redacted]'],
    ['-eyJh.eyJz', '[Redacted]'],
    ['{"ssn":"123-45-6789"}', '{"ssn":"[Redacted]"}'],
  ])('next to other characters: %s', (text, output) => {
    expect(redact(text, 'failure')).toBe(output);
  });
});

describe('a text in which nothing is private', () => {
  it.each([
    'mid 518000000001001',
    'call 5185550100',
    'merchant 12345678',
    'ref A123456789',
    'ref 123456789f',
    'run 01a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    'due 2026-03-01T10:00:00Z',
    'at 2026-01-31-1234567',
    // The columns of a table, and one of its columns.
    '123  45  6789',
    '12  3456789',
    '123\n45\n6789',
    '12\n3456789',
    '518\n555\n0100',
    '%202026-01-31',
    '2026-01-31%20518000000001001',
    '100+20+3000',
    '12 of 3456789',
    '１２３４５６７８９０',
    '２０２６-０１-３１',
    'a%2Fb12-3456789',
    'run%2001a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    '1123/45/6789',
    '123/45/67890',
    '31/01/2026',
    '2026/01/31',
    'page 3/12',
    '1123-45-6789',
    '123-45-67890',
    '123-456-789',
    '112-3456789',
    '12-34567890',
    'a12-3456789',
    'F12-3456789',
    '12-3456789e',
    'f123456789',
    '123456789A',
    '1518-555-0100',
    '518-555-01000',
    // Amounts, and a range of them.
    '500.00 - 1000.00',
    '500.00-1000.00',
    '$500.00/1000.00',
    '500.00,1000.00',
    '100.25 2000',
    // A list of IDs, and disguises that look like something else.
    '518,555,0100',
    '123, 45, 6789',
    '12345-6789',
    '123-456789',
    '1-2-3-4-5-6-7-8-9',
    '123---45---6789',
    '518-5550100',
    '+1234567',
    '+1234567890123456',
    'x+12345678',
    'ada@host',
    '@example.com',
    'Bearer abcdef1',
    'Basic information',
    'xBearer abcdefg1',
    'Digest abcdefg1',
    'eyJh',
    'keyJh.x',
  ])('stays: %s', (text) => {
    expect(redact(text, 'failure')).toBe(text);
  });

  it.each(['-', '=', '_', 'a', '9'])(
    'a token of 39 characters may be an id, and a longer one is masked: %s',
    (sign) => {
      expect(redact(sign.repeat(39), 'response')).toBe(sign.repeat(39));
      expect(redact(`of ${sign.repeat(41)}.`, 'response')).toBe('of [Redacted].');
    },
  );
});

it('no text takes long: of those with many beginnings of a private value, none is read again for each', () => {
  const beginnings = [
    '1',
    '12-',
    '123',
    '-',
    ' ',
    '.',
    '@',
    '+',
    '(',
    'Bearer ',
    'eyJ',
    '-eyJ',
    'a',
    '%2D',
    '=',
    '/',
  ];
  const texts = beginnings.flatMap((one) => beginnings.map((other) => (one + other).repeat(10_000)));
  const start = performance.now();
  for (const text of texts) redact(text, 'failure');
  // With a pattern that does read it again, they take a minute.
  expect(performance.now() - start).toBeLessThan(10_000);
}, 60_000);

import { describe, expect, it } from 'vitest';
import { maskedProblems, masking, secretsIn } from '../../../src/partners/masked-words.js';

describe('a partner’s words', () => {
  const mask = masking(['hunter2', 'hunter2-long', 'd', 'a+b(c', '']);

  it.each([
    ['hunter2 is weak', '[Redacted] is weak'],
    ['not hunter2-long', 'not [Redacted]'],
    ['xhunter2x', 'x[Redacted]x'],
    ['a+b(c', '[Redacted]'],
    ['SSN 078-05-1120 or 078051120', 'SSN [Redacted] or [Redacted]'],
    ['EIN 12-3456789', 'EIN [Redacted]'],
    ['bad Bearer abcdefgh1', 'bad [Redacted]'],
    ['bad eyJh.eyJz.c2ln', 'bad [Redacted]'],
    [`bad ${'0'.repeat(40)}`, 'bad [Redacted]'],
    ['device d', 'device [Redacted]'],
  ])('are masked: %s', (text, shown) => {
    expect(mask(text)).toBe(shown);
  });

  it.each([
    'The device is locked',
    'Solve the captcha first',
    'quote 01a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    'ada@example.com is taken',
    'mid 518000000001001',
    'Basic information is missing',
    'see https://help.example.com/articles/how-to-unlock',
  ])('are not changed where nothing is secret: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

it('the names of fields are masked and cut off visibly, as they come from the partner', () => {
  const mask = masking(['hunter2']);
  const problems = ['owners.0.ssn', 'errors.900123456', 'hunter2', 'a.'.repeat(5_000)].map((field) => ({
    field,
    message: 'is wrong',
  }));
  expect(maskedProblems(problems, mask).map(({ field }) => field)).toEqual([
    'owners.0.ssn',
    'errors.[Redacted]',
    '[Redacted]',
    `${'a.'.repeat(49)}a…`,
  ]);
});

it('the secret values of a request are found at any depth, in the spelling of any partner', () => {
  const request = {
    ...{ NickName: 'ada', Password: 'p1', tokenDevice: 't1', smsCode: null, captcha: { token: 'c1' } },
    owner: { ssn: '123456789', firstName: 'Bo' },
    owners: [{ ssn: '234567891' }],
    ...{ tax_id: '12-3456789', file: { content: Buffer.from('x') } },
  };
  expect(secretsIn(request)).toEqual(['p1', 't1', 'c1', '123456789', '234567891', '12-3456789']);
});

import { describe, expect, it } from 'vitest';
import {
  maskedProblems,
  masking,
  withoutPrivate,
  withoutRepeats,
} from '../../../src/privacy/private-fields.js';

it('the values of private fields are redacted in any spelling and at any depth', () => {
  const value = {
    ...{ taxId: '1', tax_id: '2', OwnerSsn: 3, street_line1: '4', accountNumber: '5', email: null, id: 6 },
    list: [{ inner: { contactName: 'Ada', dba: 'Corner Bakery', note: 'of ada@example.com' } }],
  };
  const redacted = '[Redacted]';
  expect(withoutPrivate(value)).toEqual({
    ...{ taxId: redacted, tax_id: redacted, OwnerSsn: redacted, street_line1: redacted },
    ...{ accountNumber: redacted, email: null, id: 6 },
    list: [{ inner: { contactName: redacted, dba: 'Corner Bakery', note: `of ${redacted}` } }],
  });
});

describe('the words of a partner', () => {
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
  ])('stay where nothing is secret: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

it('names of fields, which come from the partner, are masked and cut off visibly', () => {
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

describe('what a partner repeats of a request', () => {
  const request = {
    ...{ NickName: 'ada', Password: 'p1', tokenDevice: 't1', smsCode: null, captcha: { token: 'c1' } },
    ...{ givenName: 'Zoë', middleName: 'Q', familyName: 'Lindqvist-Baker', admin_email: 'zoe@example.com' },
    ...{ phone: '5185550100', businessPhone: 5185550101, doingBusinessAsName: 'Corner Bakery' },
    businessAndOwnerInformation: { ownerFirstName: 'Mary  Ann', contactEmails: 1, ownerSsn: '123-45 6789' },
    owners: [
      { ssn: '234567891', lastName: 'Li', homePhone: '+1 (518) 555-0102' },
      { email: ['b@example.org'] },
    ],
    ...{ tax_id: '12 3456789', file: { content: Buffer.from('x') } },
  };
  const mask = masking([], request);

  it.each([
    ['p1 t1 c1 are weak', '[Redacted] [Redacted] [Redacted] are weak'],
    ['123-45 6789, 12 3456789', '[Redacted], [Redacted]'],
    ['Zoë Lindqvist-Baker is known', '[Redacted] [Redacted] is known'],
    ['ZOË or zoë', '[Redacted] or [Redacted]'],
    ['"mary ann" is taken', '"[Redacted]" is taken'],
    ['li is too short', '[Redacted] is too short'],
    ['Zoe@Example.com is taken', '[Redacted] is taken'],
    ['b@example.org bounced', '[Redacted] bounced'],
    ['call (518) 555-0100', 'call [Redacted]'],
    ['call 518.555.0100, +1-518-555-0101 or 15185550102', 'call [Redacted], [Redacted] or [Redacted]'],
  ])('is masked: %s', (text, shown) => {
    expect(mask(text)).toBe(shown);
  });

  it.each([
    'Corner Bakery is not eligible',
    'Q 3 of the list',
    'the limit is 15185550',
    'Zoëlla, a linden',
    'mail support@example.com',
    'ada is locked',
  ])('stays when the request does not have it as a private value: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

describe('our credentials in a response', () => {
  const password = 'päss/word+1';
  const basic = Buffer.from(`gangway:${password}`).toString('base64');
  const credentials = [password, basic, 'k3y', ''];
  const echoed = ['päss/word+1', 'p%C3%A4ss%2Fword%2B1', 'cMOkc3Mvd29yZCsx', basic];

  it.each(echoed)('are masked in every encoding: %s', (secret) => {
    expect(withoutRepeats({ notes: [{ text: `what is ${secret}?` }] }, credentials)).toEqual({
      notes: [{ text: 'what is [Redacted]?' }],
    });
  });

  it('are all that is masked', () => {
    const response = {
      id: 9007199254740993n,
      text: 'Ada, 078-05-1120, k3yboard',
      mid: null,
      ok: true,
      n: 1.5,
    };
    expect(withoutRepeats(response, credentials)).toEqual(response);
    expect(withoutRepeats({ text: 'the k3y' }, credentials)).toEqual({ text: 'the [Redacted]' });
    expect(withoutRepeats(response, [])).toBe(response);
  });
});

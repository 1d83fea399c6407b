import { describe, expect, it } from 'vitest';
import {
  createRedactor,
  isPrivateField,
  isSecretField,
  redactProblems,
  withoutPrivate,
  withoutRepeats,
} from '../../../../src/platform/privacy/private-fields.js';

it('the values of private fields are redacted in any spelling and at any depth', () => {
  const value = {
    taxId: '1',
    tax_id: '2',
    OwnerSsn: 3,
    street_line1: '4',
    accountNumber: '5',
    email: null,
    id: 6,
    list: [{ inner: { contactName: 'Ada', dba: 'Corner Bakery', note: 'of ada@example.com' } }],
  };
  const redacted = '[Redacted]';
  expect(withoutPrivate(value)).toEqual({
    taxId: redacted,
    tax_id: redacted,
    OwnerSsn: redacted,
    street_line1: redacted,
    accountNumber: redacted,
    email: null,
    id: 6,
    list: [{ inner: { contactName: redacted, dba: 'Corner Bakery', note: `of ${redacted}` } }],
  });
});

describe('a field', () => {
  const SECRET =
    'password token token_device recaptchaResponse smsCode oneTimeCode taxId ssn employerIdentificationNumber ' +
    'ownerSsn owner_social_security_number';
  it.each(SECRET.split(' '))('is secret: %s', (field) => {
    expect([isSecretField(field), isPrivateField(field)]).toEqual([true, true]);
  });

  const PRIVATE =
    'firstName middle_name ownerLastName givenName familyName fullName individualName contactName ownerName ' +
    'accountHolderName email adminEmailAddress phone homePhoneNumber mobile fax_number authorization deviceToken ' +
    'totpSecret payloadKeys apiKey secret key dateOfBirth dob accountNumber routingNumber cardNumber cvv pin ' +
    'individualIdentificationNumber ownerStreetAddress extendedAddress homeAddress streetLine2';
  it.each(PRIVATE.split(' '))('is private and not secret: %s', (field) => {
    expect([isSecretField(field), isPrivateField(field)]).toEqual([false, true]);
  });

  const PUBLIC =
    'passwordRules myPassword tokenized ssnStatus taxIds firstNames dbaName emailed phoneType faxes keys apiKeyId ' +
    'streetLine streetLine12 mainStreetLine1 addressType myAccountNumber pinned doingBusinessAsName ' +
    'legalBusinessName xindividualIdentificationNumber';
  it.each(PUBLIC.split(' '))('is not private: %s', (field) => {
    expect(isPrivateField(field)).toBe(false);
  });
});

it('what is no JSON passes as it is, and a private field without a value shows that it has none', () => {
  const [date, error] = [new Date(0), new Error('of 123-45-6789')];
  const bare = Object.assign(Object.create(null), { ssn: 1, list: ['078-05-1120', 7] });
  expect(withoutPrivate({ date, error, ssn: null, taxId: undefined, bare, key: 0, pin: '' })).toEqual({
    date,
    error,
    ssn: null,
    taxId: undefined,
    key: '[Redacted]',
    pin: '[Redacted]',
    bare: { ssn: '[Redacted]', list: ['[Redacted]', 7] },
  });
  // Nine bare digits may be a mid in a log, and a failure may quote anything.
  const deep = { list: [{ note: 'of 123456789' }] };
  expect(withoutPrivate(deep)).toEqual(deep);
  expect(withoutPrivate(deep, 'failure')).toEqual({ list: [{ note: 'of [Redacted]' }] });
});

describe('the words of a partner', () => {
  const mask = createRedactor(['hunter2', 'hunter2-long', 'd', 'a+b(c', '']);

  it.each([
    ['hunter2 is weak', '[Redacted] is weak'],
    ['not hunter2-long', 'not [Redacted]'],
    ['xhunter2x', 'x[Redacted]x'],
    ['a+b(c', '[Redacted]'],
    ['SSN 078-05-1120 or 078051120', 'SSN [Redacted] or [Redacted]'],
    ['device d', 'device [Redacted]'],
  ])('are masked: %s', (text, output) => {
    expect(mask(text)).toBe(output);
  });

  it.each([
    'The device is locked',
    'Solve the captcha first',
    'ada@example.com is taken',
    'see https://help.example.com/articles/how-to-unlock',
  ])('stay where nothing is secret: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

describe('a short value is masked only as a word of its own', () => {
  it.each([
    ['abc', 'abc xabc abcx abc', '[Redacted] xabc abcx [Redacted]'],
    ['abcd', 'xabcdx', 'x[Redacted]x'],
  ])('in the words of a partner: %s', (secret, text, output) => {
    expect(createRedactor([secret])(text)).toBe(output);
  });

  it.each([
    ['abcdefg', 'abcdefg xabcdefgx', '[Redacted] xabcdefgx'],
    ['abcdefgh', 'xabcdefghx abcdefgh', 'x[Redacted]x [Redacted]'],
    // Its base64 is long enough with padding, and without it too short.
    ['12345678', 'MTIzNDU2Nzg= MTIzNDU2Nzg', '[Redacted] MTIzNDU2Nzg'],
    ['123456789', 'MTIzNDU2Nzg5', '[Redacted]'],
    ['1234567', 'MTIzNDU2Nw==', '[Redacted]'],
    ['123456', 'MTIzNDU2', 'MTIzNDU2'],
  ])('in a response: %s', (secret, text, output) => {
    expect(withoutRepeats([text, { text }, 7, null], [secret])).toEqual([output, { text: output }, 7, null]);
  });

  const PHONE = { phone: '5185550100' };
  it.each([
    [{ lastName: 'L' }, 'L is too short', 'L is too short'],
    [{ lastName: ' L ' }, 'x L y', 'x L y'],
    [{ lastName: ' Li ', note: undefined }, 'Li and Lima', '[Redacted] and Lima'],
    [{ lastName: 'O’Neil (Jr.)' }, 'O’NEIL   (JR.) again', '[Redacted] again'],
    [{ lastName: 'Li', firstName: 'Li Wei' }, 'Li Wei', '[Redacted]'],
    // One name that begins as another one, and one that ends in the middle of another one.
    [
      { phone: ['5550100', '5550100123', '5550199'] },
      '555-0100, 555 010 0123 or 5550199',
      '[Redacted], [Redacted] or [Redacted]',
    ],
    [{ phone: ['5550100', '5550101'] }, '555010, 555-0102', '555010, 555-0102'],
    [
      { firstName: 'Ann' },
      'x%20Ann, %2BAnn and x%2CAnn%20',
      'x%20[Redacted], %2B[Redacted] and x%2C[Redacted]%20',
    ],
    [{ firstName: 'Ann Lee' }, 'Ann%20Lee, Ann+Lee and Ann \n Lee', '[Redacted], [Redacted] and [Redacted]'],
    // The longer one goes first, whatever spaces there are around the shorter.
    [{ firstName: [`  Ann   `, 'Ann Lee'] }, 'of Ann Lee', 'of [Redacted]'],
    [{ phone: '555-0100' }, 'at 555 0100 or 5550100', 'at [Redacted] or [Redacted]'],
    [{ phone: '55-0100' }, 'at 550100', 'at 550100'],
    [{ phone: '+44 20 7946 0958 11' }, 'at (46) 0958-11, 7946095811', 'at (46) 0958-11, [Redacted]'],
    [PHONE, '+1 (518)-555.0100; 15185550100, 95185550100', '[Redacted]; [Redacted], [Redacted]'],
    [PHONE, '51855501001 12345185550100', '51855501001 12345185550100'],
    [PHONE, '518    5550100', '518    5550100'],
  ])('of the request %j', (request, text, output) => {
    expect(withoutRepeats({ text }, [], request)).toEqual({ text: output });
  });
});

it('a private value that is too long for a pattern masks the whole text, and is in no error', () => {
  for (const length of [11_000, 100_000])
    expect(createRedactor([], { password: 'ab-'.repeat(length) })('hello')).toBe('[Redacted]');
});

it('names of fields, which come from the partner, are masked and cut off visibly', () => {
  const mask = createRedactor(['hunter2']);
  const fields = ['owners.0.ssn', 'errors.900123456', 'hunter2', 'a.'.repeat(50), 'a.'.repeat(5_000)];
  const problems = fields.map((field) => ({ field, message: 'hunter2 is wrong' }));
  expect(redactProblems(problems, mask).map(({ message }) => message)).toEqual(
    Array(5).fill('[Redacted] is wrong'),
  );
  const [whole, cut] = ['a.'.repeat(50), `${'a.'.repeat(49)}a…`];
  expect(redactProblems(problems, mask).map(({ field }) => field)).toEqual([
    'owners.0.ssn',
    'errors.[Redacted]',
    '[Redacted]',
    whole,
    cut,
  ]);
});

describe('what a partner repeats of a request', () => {
  const request = {
    NickName: 'ada',
    Password: 'p1',
    tokenDevice: 't1',
    smsCode: null,
    captcha: { token: 'c1' },
    givenName: 'Zoë',
    middleName: 'Q',
    familyName: 'Lindqvist-Baker',
    admin_email: 'zoe@example.com',
    phone: '5185550100',
    businessPhone: 5185550101,
    doingBusinessAsName: 'Corner Bakery',
    businessAndOwnerInformation: { ownerFirstName: 'Mary  Ann', contactEmails: 1, ownerSsn: '123-45 6789' },
    owners: [
      { ssn: '234567891', lastName: 'Li', homePhone: '+1 (518) 555-0102' },
      { email: ['b@example.org'] },
    ],
    tax_id: '12 3456789',
    file: { content: Buffer.from('x') },
    application: { history: 'Ada’s mother, who is ill, has run the bakery since 1998.' },
    legalBusinessName: 'The Corner Bakery of Harbor Street',
  };
  const mask = createRedactor([], request);

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
    // Catches a partner that warns of a free text and quotes it, in part and in other case.
    ['history "…WHO IS ILL, has run  the" is too long', 'history "…[Redacted]" is too long'],
    ['is run the bakery since 1998. a rule? Who is ill, has.', 'is [Redacted]. a rule? [Redacted].'],
  ])('is masked: %s', (text, output) => {
    expect(mask(text)).toBe(output);
  });

  it.each([
    'Corner Bakery is not eligible',
    'The Corner Bakery of Harbor Street is known, and has run the shop',
    'Q 3 of the list',
    'the limit is 15185550',
    'Zoëlla, a linden',
    'mail support@example.com',
    'ada is locked',
  ])('stays when the request does not have it as a private value: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

describe('a name that is an everyday word', () => {
  const mask = createRedactor([], {
    firstName: 'Will',
    lastName: 'Must',
    owners: [{ givenName: 'Ada', familyName: 'May' }],
  });

  it.each([
    ['system must be one of our systems, and will be', 'system must be one of our systems, and will be'],
    ['you may not, ada', 'you may not, [Redacted]'],
    ['Will is known, as is MUST', '[Redacted] is known, as is [Redacted]'],
    ['will must and ada may are known', '[Redacted] and [Redacted] are known'],
    ['must, will is taken', '[Redacted] is taken'],
    ['lastName "must" is taken, name: will too', 'lastName "[Redacted]" is taken, name: [Redacted] too'],
  ])('is masked as a whole name, in capitals or as a value: %s', (text, output) => {
    expect(mask(text)).toBe(output);
  });
});

describe('our credentials in a response', () => {
  const password = 'päss/word+1';
  const basic = Buffer.from(`gangway:${password}`).toString('base64');
  const credentials = [password, basic, 'k3y', ''];
  const echoed = ['päss/word+1', 'p%C3%A4ss%2Fword%2B1', 'cMOkc3Mvd29yZCsx', basic];

  it.each(echoed)('are masked in every encoding: %s', (secret) => {
    const notes = (text: string) => ({ notes: [{ text: `what is ${text}?` }] });
    expect(withoutRepeats(notes(secret), credentials)).toEqual(notes('[Redacted]'));
  });

  it('are all that is masked', () => {
    const text = 'Ada, 078-05-1120, k3yboard';
    const response = { id: 9007199254740993n, text, mid: null, ok: true, n: 1.5 };
    expect(withoutRepeats(response, credentials)).toEqual(response);
    expect(withoutRepeats({ text: 'the k3y' }, credentials)).toEqual({ text: 'the [Redacted]' });
    expect(withoutRepeats(response, [])).toBe(response);
  });
});

describe('a request with more private values than any form has', () => {
  const request = { people: Array.from({ length: 501 }, (_, at) => ({ firstName: `Ann${at}` })) };

  it('leaves no text of a response, and its numbers', () => {
    expect(createRedactor([], request)('Nothing of it.')).toBe('[Redacted]');
    const response = { id: 7, status: 'Pending', none: null };
    expect(withoutRepeats(response, [], request)).toEqual({ id: 7, status: '[Redacted]', none: null });
  });
});

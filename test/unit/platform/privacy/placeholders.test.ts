import { describe, expect, it } from 'vitest';
import { Placeholders, REMOVED } from '../../../../src/platform/privacy/placeholders.js';

const replaced = (value: unknown, context = {}) => new Placeholders().replaced(value, context);
const response = { isResponse: true };

describe('a placeholder', () => {
  it.each([
    ['an SSN', 'ssn', '123456789', /^97\d{7}$/],
    ['an EIN', 'employerIdentificationNumber', '123456789', /^97\d{7}$/],
    ['an SSN that is masked', 'ssn', 'XXX-XX-6789', /^XXX-XX-\d{4}$/],
    ['a telephone number', 'phone', '5185550100', /^9\d\d55501\d\d$/],
    ['a postal code', 'postalCode', '12207-1234', /^\d{5}-\d{4}$/],
    ['a British postal code', 'postalCode', 'SW1A 1AA', /^private-[0-9a-f]{10}$/],
    ['an e-mail address', 'email', 'ada@bakery.test', /^private-[0-9a-f]{10}@example\.com$/],
    ['a date of birth', 'dateOfBirth', '1980-02-29T01:02:03Z', /^1900-\d\d-\d\dT00:00:00Z$/],
    ['a date of birth by another name', 'ownersBirthDate', '1980-02-29', /^1900-\d\d-\d\d$/],
    ['a website', 'website', 'https://bakery.test/?a=b', /^https:\/\/private-[0-9a-f]{10}\.example\.com\/$/],
    ['a name', 'givenName', 'Ada', /^private-[0-9a-f]{10}$/],
    ['a text of a field that nobody knows', 'remark', 'Call Ada', /^private-[0-9a-f]{10}$/],
  ])('of %s has its format', (_, field, value, format) => {
    const { [field]: id } = replaced({ [field]: value }) as Record<string, string>;
    expect(id).toMatch(format);
    expect(id).not.toBe(value);
  });

  it('is that of an SSN even where a partner repeats it as an id', () => {
    const placeholders = new Placeholders();
    const { ssn } = placeholders.replaced({ ssn: '123456789' }, {}) as { ssn: string };
    expect(placeholders.replaced({ customerId: '123456789' }, response)).toEqual({ customerId: ssn });
  });

  it('is the same for the same value in one recording, and another in another recording', () => {
    const placeholders = new Placeholders();
    const inner = { doingBusinessAsName: 'Corner Bakery', ssn: '123456789' };
    const values = { dba: 'Corner Bakery', inner };
    const first = placeholders.replaced(values, {}) as typeof values;
    expect(placeholders.replaced(values, {})).toEqual(first);
    expect(first.inner.doingBusinessAsName).toBe(first.dba);
    expect(new Placeholders().replaced(values, {})).not.toEqual(first);
  });

  it('of a private number is a number', () => {
    const like = (type: string, format: RegExp) =>
      expect.toSatisfy((record: unknown) => format.test(String(record)) && typeof record === type);
    const numbers = { taxId: 123456789, phone: 5185550100n, unknown: 123456789 };
    const [id, phone] = [like('number', /^97\d{7}$/), like('bigint', /^9\d\d55501\d\d$/)];
    expect(replaced(numbers)).toEqual({ taxId: id, phone, unknown: id });
  });
});

describe('what a recording keeps', () => {
  it.each([
    { merchantProfileId: 1001, guid: 'm-1', mid: '518000000001001', financialAccountId: 'fa_1' },
    { status: 'UW Level 1: Pending', bankingStatus: 'PendingUW', updateFieldRequest: 'Owner1Address' },
    { statusDate: '2026-01-05T12:00:00.000Z', expiration: '2026-01-05T12:10:00' },
    { period: '2026-01-05T00:00:00Z', profileId: 123456789, perItem: 0.1, isLocked: true, comment: null },
    { cashDiscount: 'Yes', notes: [], text: '' },
    { validationResults: [{ memberNames: ['ssn'], errorMessage: 'must be 9 digits' }] },
  ])('%j', (value) => {
    expect(replaced(value, response)).toEqual(value);
  });

  it('is the name of what belongs to no customer, where the operation has one', () => {
    const agents = [{ id: 101, name: 'Northern agents' }];
    expect(replaced(agents, { openFields: ['name'] })).toEqual(agents);
  });

  it('is the message of an error, without the private values that it repeats', () => {
    const placeholders = new Placeholders();
    const request = { givenName: 'Ada', remark: 'north door', ssn: '123456789' };
    const { givenName } = placeholders.replaced(request, {}) as Record<string, string>;
    const message = 'ADA (123-45-6789, ada@bakery.test, 518-555-0100) of the North Door is no Adapter';
    const error = placeholders.replaced({ errors: { ssn: [message] } }, response);
    const [stored] = (error as { errors: { ssn: string[] } }).errors.ssn;
    expect(stored).toMatch(
      /^private-\w{10} \(97\d-\d\d-\d{4}, private-\w{10}@example\.com, .+\) of the private-\w{10} is no Adapter$/,
    );
    expect(stored).toContain(`${givenName} (`);
    expect(stored).not.toContain('518-555-0100');
  });
});

it('the name of a field stays, unless it is a private value itself', () => {
  const placeholders = new Placeholders();
  placeholders.replaced({ remark: 'email', other: 'Ada Lovelace' }, {});
  const fields = { email: null, 'Ada Lovelace': null, '123-45-6789': null, 'a@b.test': null };
  const entries = Object.keys(placeholders.replaced(fields, {}) as object);
  expect(entries.join(' ')).toMatch(/^email private-\w{10} 97\d-\d\d-\d{4} \S+@example\.com$/);
});

describe('credentials', () => {
  it.each([
    { password: 'p', Password: 'p', TokenDevice: 'd', smsCode: '123456', oneTimeCode: '123456' },
    { token: 't', access_token: 't', apiKey: 'k', captcha: 'c', cvv: 'v' },
  ])('are removed: %j', (value) => {
    expect(new Set(Object.values(replaced(value, response) as object))).toEqual(new Set([REMOVED]));
  });

  it('are removed from a sign-in whatever their fields are called', () => {
    const signIn = { nickName: 'ada', nameDevice: 'till', typeOperation: 'TimeBasedCode', likev1: true };
    const removed = { nickName: REMOVED, nameDevice: REMOVED };
    expect(replaced(signIn, { isSignIn: true })).toEqual({ ...signIn, ...removed });
    const issued = { jwt: 'abc', id: 'abc', userId: 1, expiration: '2026-01-05T12:10:00Z' };
    const left = { ...issued, jwt: REMOVED, id: REMOVED };
    expect(replaced(issued, { isSignIn: true, ...response })).toEqual(left);
  });

  it('are removed where the partner repeats them', () => {
    const secrets = ['s3cret'];
    expect(replaced({ error: 'wrong: s3cret', status: 's3cret' }, { ...response, secrets })).toEqual({
      error: `wrong: ${REMOVED}`,
      status: expect.stringMatching(/^private-/),
    });
  });
});

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import { beneficialOwners } from '../../../../src/partners/banking/holder.js';
import { bankingOperations } from '../../../../src/partners/banking/operations.js';
import { ein, extendedAddress, phone, postalCode, ssn } from '../../../../src/partners/banking/rules.js';
import { ADDRESS, HOLDER, OWNER } from '../../../rigs/partners/banking/partner.js';

const USER = { nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n' };
const PARTNER = { NickName: 'bo', Password: 'pw', TokenDevice: 'd', NameDevice: 'n' };
const CODE = { oneTimeCode: '123456', secureOperationType: 'ShortMessageCode' };
const STATEMENT = { period: '2026-01-01T00:00:00Z', financialAccountIds: ['fa-1'] };
const WEBHOOK = { name: 'g', url: 'https://h.example.com/x', notificationType: 'Fee' };
const CARD = { paymentCardId: 'c1' };

/** A request that is right, for each operation that the contract prints. */
const RIGHT = {
  issueToken: USER,
  refreshToken: {},
  changeAddress: ADDRESS,
  setCardNickname: CARD,
  findProfileByMerchant: { merchantProfileId: 1 },
  listNewTickets: {},
  submitBusinessAccountHolder: HOLDER,
  closeCard: CARD,
  searchBusinessAccountHolders: {},
  generateFullStatement: STATEMENT,
  getExternalAccountActivity: { profileId: 1 },
  listNotifications: {},
  createWebhook: WEBHOOK,
  listDepartments: {},
  restoreSubUser: { id: 1 },
} as const satisfies Partial<Record<keyof BankingClient, Record<string, unknown>>>;
type Name = keyof typeof RIGHT;

/** The names of the fields that are refused; none when the request is one that may be sent. */
function refused(name: Name, request: unknown): string[] {
  const result = bankingOperations()[name].request.safeParse(request);
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.'));
}

const owned = (change: object) => ({ owner: { ...OWNER, ...change } });
const CODES = ['ShortMessageCode', 'TimeBasedCode', 'LegacyTimeBasedCode'];

/** A request with each value of a field. */
const each = (name: Name, field: string, values: readonly unknown[], more = {}) =>
  values.map((value): [Name, Record<string, unknown>] => [name, { ...more, [field]: value }]);

const ACCEPTED: readonly [Name, Record<string, unknown>][] = [
  ['issueToken', { likev1: true, reCaptchaResponse: null, smsCode: null, typeOperation: null }],
  ['issueToken', { captcha: { token: 'x' } }],
  ['issueToken', { captcha: {} }],
  ...each('issueToken', 'typeOperation', CODES, { smsCode: '1' }),
  ['changeAddress', { state: 1 }],
  ['changeAddress', { state: 53 }],
  ['changeAddress', { streetAddress: '12B Main' }],
  ['changeAddress', { streetAddress: '12-34 Queens Blvd' }],
  ['changeAddress', { streetAddress: '100 5th Ave' }],
  ['changeAddress', { streetAddress: '7 Boxwood Street' }],
  ['changeAddress', { streetAddress: '7 Post Office Square' }],
  ['changeAddress', { extendedAddress: "Apt. 3-B, Ada's #4" }],
  ['changeAddress', { extendedAddress: null }],
  ...each('changeAddress', 'secureOperationType', CODES, CODE),
  ['changeAddress', { associatedPersonId: 'p1' }],
  ['setCardNickname', { nickName: null }],
  ['setCardNickname', { nickName: '' }],
  ['setCardNickname', { nickName: 'x'.repeat(18) }],
  ['findProfileByMerchant', { merchantProfileId: 2147483647 }],
  ...each('submitBusinessAccountHolder', 'authorizingPersonTitle', [0, 1, 2, 3, 4, 5, 6]),
  ...each('submitBusinessAccountHolder', 'businessType', [0, 1, 2, 3, 4]),
  ...each('submitBusinessAccountHolder', 'profileType', [0, 1, 2, 3]),
  ['submitBusinessAccountHolder', { percentageOwnership: 0 }],
  ['submitBusinessAccountHolder', { percentageOwnership: 100 }],
  ['submitBusinessAccountHolder', { phone: '**********', businessPhone: '555123****' }],
  ['submitBusinessAccountHolder', { employerIdentificationNumber: '1234567' }],
  ['submitBusinessAccountHolder', { postalCode: '12207', extendedAddress: 'Apt 3', middleName: null }],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: 0, website: null, businessStartDate: null }],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: null, payrollCustomer: true }],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: Number.MAX_SAFE_INTEGER }],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: '9223372036854775807' }],
  ['submitBusinessAccountHolder', { businessStartDate: '2020-01-01T00:00:00' }],
  ['submitBusinessAccountHolder', { primaryAuthorizedExtendedAddress: 'Größe 3 (rear)' }],
  ['submitBusinessAccountHolder', { owner: OWNER, owner2: OWNER, owner3: OWNER, owner4: OWNER }],
  ['submitBusinessAccountHolder', owned({ percentageOwnership: 100, middleName: 'X', extendedAddress: 'a' })],
  ['submitBusinessAccountHolder', owned({ firstName: 'x'.repeat(255), lastName: 'x'.repeat(255) })],
  ['closeCard', { notes: 'x'.repeat(600), last4: '4242' }],
  ['searchBusinessAccountHolders', { agentIds: null, isoId: null, dba: null }],
  ['searchBusinessAccountHolders', { agentIds: [], isoId: 1, dba: '', count: 10 }],
  ...each('generateFullStatement', 'fileFormat', ['PDF', 'CSV', 'QBO', 'OFX']),
  ['generateFullStatement', { financialAccountIds: ['a', 'b'], email: 'ada@example.com' }],
  ['getExternalAccountActivity', { provider: 'SOME_AGGREGATOR', dateFrom: '2026-01-01T00:00:00-05:00' }],
  ...each('listNotifications', 'level', ['Info', 'Warning']),
  ...each('listNotifications', 'group', ['Notifications', 'Messages', 'Campaigns', 'CardholderAgreement']),
  [
    'listNotifications',
    { categories: ['Cards', 'Deposits', 'WithdrawalsTransfers', 'Transactions', 'Other'], types: ['Any'] },
  ],
  ['createWebhook', { name: 'x'.repeat(50) }],
  ...each('createWebhook', 'notificationType', [
    'ApplicationStatus',
    'PaymentCardStatus',
    'PaymentCardAuthorization',
    'Ach',
    'AChOut',
    'InternalTransfers',
    'Fee',
    'LockUnlockProfile',
  ]),
];

const REJECTED: readonly [Name, Record<string, unknown>, string][] = [
  ['changeAddress', { state: 0 }, 'state'],
  ['changeAddress', { state: 54 }, 'state'],
  ['changeAddress', { state: 1.5 }, 'state'],
  ['changeAddress', { state: '33' }, 'state'],
  ['changeAddress', { postalCode: '12207-123' }, 'postalCode'],
  ['changeAddress', { city: '' }, 'city'],
  ['changeAddress', { streetAddress: 'Main Street 1' }, 'streetAddress'],
  ['changeAddress', { streetAddress: '12' }, 'streetAddress'],
  ['changeAddress', { streetAddress: '12 34' }, 'streetAddress'],
  ['changeAddress', { streetAddress: 'PO Box 12' }, 'streetAddress'],
  ['changeAddress', { streetAddress: '1 P.O. Box 12' }, 'streetAddress'],
  ['changeAddress', { streetAddress: '1 p o box' }, 'streetAddress'],
  ['changeAddress', { streetAddress: '1 Post Office Box' }, 'streetAddress'],
  ['changeAddress', { extendedAddress: '' }, 'extendedAddress'],
  ['changeAddress', { extendedAddress: 'Apt 3/4' }, 'extendedAddress'],
  ['changeAddress', { oneTimeCode: '123456' }, 'secureOperationType'],
  ['changeAddress', { secureOperationType: 'TimeBasedCode' }, 'oneTimeCode'],
  ['changeAddress', { ...CODE, oneTimeCode: '12345' }, 'oneTimeCode'],
  ['changeAddress', { ...CODE, oneTimeCode: '1234567' }, 'oneTimeCode'],
  ['changeAddress', { ...CODE, oneTimeCode: '12345a' }, 'oneTimeCode'],
  ['changeAddress', { ...CODE, secureOperationType: 'Pigeon' }, 'secureOperationType'],
  ['changeAddress', { ...CODE, associatedPersonId: 'p1' }, 'associatedPersonId'],
  ['setCardNickname', { paymentCardId: '' }, 'paymentCardId'],
  ['setCardNickname', { nickName: 'x'.repeat(19) }, 'nickName'],
  ['setCardNickname', { nickName: 7 }, 'nickName'],
  ['findProfileByMerchant', { merchantProfileId: '1' }, 'merchantProfileId'],
  ['findProfileByMerchant', { merchantProfileId: 2147483648 }, 'merchantProfileId'],
  ['listNewTickets', { page: 1 }, ''],
  ['submitBusinessAccountHolder', { email: 'ada' }, 'email'],
  ['submitBusinessAccountHolder', { email: '' }, 'email'],
  ['submitBusinessAccountHolder', { phone: '555123000' }, 'phone'],
  ['submitBusinessAccountHolder', { businessPhone: '(555)12300' }, 'businessPhone'],
  ['submitBusinessAccountHolder', { ssn: 'XXXXX6789' }, 'ssn'],
  ['submitBusinessAccountHolder', { employerIdentificationNumber: '' }, 'employerIdentificationNumber'],
  ['submitBusinessAccountHolder', { dateOfBirth: '02/29/1980' }, 'dateOfBirth'],
  ['submitBusinessAccountHolder', { dateOfBirth: '1981-02-29T00:00:00Z' }, 'dateOfBirth'],
  ['submitBusinessAccountHolder', { authorizingPersonTitle: 7 }, 'authorizingPersonTitle'],
  ['submitBusinessAccountHolder', { authorizingPersonTitle: -1 }, 'authorizingPersonTitle'],
  ['submitBusinessAccountHolder', { businessType: 5 }, 'businessType'],
  ['submitBusinessAccountHolder', { profileType: 4 }, 'profileType'],
  ['submitBusinessAccountHolder', { percentageOwnership: 101 }, 'percentageOwnership'],
  ['submitBusinessAccountHolder', { percentageOwnership: -1 }, 'percentageOwnership'],
  ['submitBusinessAccountHolder', { percentageOwnership: 33.3 }, 'percentageOwnership'],
  ['submitBusinessAccountHolder', { state: 54 }, 'state'],
  ['submitBusinessAccountHolder', { primaryAuthorizedState: 0 }, 'primaryAuthorizedState'],
  ['submitBusinessAccountHolder', { primaryAuthorizedPostalCode: '1' }, 'primaryAuthorizedPostalCode'],
  ['submitBusinessAccountHolder', { extendedAddress: '3/4' }, 'extendedAddress'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: -1 }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: 0.5 }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: '-1' }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: 2 ** 53 }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: '9223372036854775808' }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { annualBusinessRevenue: '480,000' }, 'annualBusinessRevenue'],
  ['submitBusinessAccountHolder', { owner5: OWNER }, ''],
  ['submitBusinessAccountHolder', { owner4: { ...OWNER, ssn: '000000000' } }, 'owner4.ssn'],
  ['submitBusinessAccountHolder', owned({ percentageOwnership: 24 }), 'owner.percentageOwnership'],
  ['submitBusinessAccountHolder', owned({ percentageOwnership: 101 }), 'owner.percentageOwnership'],
  ['submitBusinessAccountHolder', owned({ homePhone: '555123000*' }), 'owner.homePhone'],
  ['submitBusinessAccountHolder', owned({ zipCode: '12207-1234' }), 'owner.zipCode'],
  ['submitBusinessAccountHolder', owned({ firstName: 'x'.repeat(256) }), 'owner.firstName'],
  ['submitBusinessAccountHolder', owned({ lastName: 'x'.repeat(256) }), 'owner.lastName'],
  ['submitBusinessAccountHolder', owned({ middleName: 'x'.repeat(256) }), 'owner.middleName'],
  ['submitBusinessAccountHolder', owned({ dob: '1980' }), 'owner.dob'],
  ['submitBusinessAccountHolder', owned({ email: 'x' }), 'owner.email'],
  ['submitBusinessAccountHolder', owned({ state: 54 }), 'owner.state'],
  ['closeCard', { paymentCardId: '' }, 'paymentCardId'],
  ['closeCard', { notes: 'x'.repeat(601) }, 'notes'],
  ['searchBusinessAccountHolders', { agentIds: ['1'] }, 'agentIds.0'],
  ['searchBusinessAccountHolders', { isoId: 1.5 }, 'isoId'],
  ['searchBusinessAccountHolders', { count: '5' }, 'count'],
  ['generateFullStatement', { period: 'January' }, 'period'],
  ['generateFullStatement', { financialAccountIds: [] }, 'financialAccountIds'],
  ['generateFullStatement', { financialAccountIds: 'fa-1' }, 'financialAccountIds'],
  ['generateFullStatement', { email: 'ada' }, 'email'],
  ['generateFullStatement', { fileFormat: 'pdf' }, 'fileFormat'],
  ['generateFullStatement', { fileFormat: 'XLS' }, 'fileFormat'],
  ['getExternalAccountActivity', { profileId: 'x' }, 'profileId'],
  ['getExternalAccountActivity', { provider: 'plain' }, 'provider'],
  ['getExternalAccountActivity', { dateFrom: '1.1.2026' }, 'dateFrom'],
  ['getExternalAccountActivity', { dateTo: 'today' }, 'dateTo'],
  ['listNotifications', { level: 'info' }, 'level'],
  ['listNotifications', { group: 'All' }, 'group'],
  ['listNotifications', { categories: ['Cats'] }, 'categories.0'],
  ['listNotifications', { types: 'Messages' }, 'types'],
  ['listNotifications', { fromDate: 'x' }, 'fromDate'],
  ['listNotifications', { skip: 0.5 }, 'skip'],
  ['createWebhook', { name: '' }, 'name'],
  ['createWebhook', { name: 'x'.repeat(51) }, 'name'],
  ['createWebhook', { url: 'http://h.example.com' }, 'url'],
  ['createWebhook', { url: 'h.example.com/x' }, 'url'],
  ['createWebhook', { url: 'https:h.example.com' }, 'url'],
  ['createWebhook', { notificationType: 'ACH' }, 'notificationType'],
  ['restoreSubUser', { id: '1' }, 'id'],
];

describe('a request may be sent', () => {
  it.each(Object.entries(RIGHT))('%s with what it requires', (name, request) => {
    expect(refused(name as Name, request)).toEqual([]);
  });

  it.each(ACCEPTED)('%s with %j', (name, change) => {
    expect(refused(name, { ...RIGHT[name], ...change })).toEqual([]);
  });

  it('issueToken in the form of a partner', () => {
    const code = { smsCode: '1', typeOperation: 'TimeBasedCode' };
    expect(refused('issueToken', { ...PARTNER, ...code, likev1: false })).toEqual([]);
  });
});

describe('a request is refused', () => {
  it.each(REJECTED)('%s with %j, by the name of the field', (name, change, field) => {
    expect(new Set(refused(name, { ...RIGHT[name], ...change }))).toEqual(new Set([field]));
  });

  const required = Object.entries(RIGHT).flatMap(([name, request]) =>
    Object.keys(request)
      .filter(() => name !== 'issueToken')
      .map((field): [Name, string] => [name as Name, field]),
  );

  it.each(required)('%s without %s', (name, field) => {
    const { [field]: _left, ...rest } = RIGHT[name] as Record<string, unknown>;
    expect(refused(name, rest)).toEqual([field]);
  });

  it.each(Object.keys(OWNER))('submitBusinessAccountHolder with an owner without %s', (field) => {
    const { [field as 'ssn']: _left, ...owner } = OWNER;
    expect(refused('submitBusinessAccountHolder', { ...HOLDER, owner3: owner })).toEqual([`owner3.${field}`]);
  });
});

it('there are four owners at most', () => {
  expect(beneficialOwners.safeParse(Array(4).fill(OWNER)).success).toBe(true);
  expect(beneficialOwners.safeParse(Array(5).fill(OWNER)).success).toBe(false);
});

describe('patterns say what the contract prints', () => {
  // Typed from the contract (docs/partner-apis.md#banking-rules), where `\\d` is an escaped `\d`.
  const PRINTED = {
    phone: /^(\d|\*){10}$/,
    ssn: /^(?!(666|9\d{2}))(?:0[1-9]\d|00[1-9]|[1-8]\d{2})(?:0[1-9]|[1-9]\d)(?!0000)\d{4}$/,
    ein: /^(?!00\d{7}$)(?!\d{2}0000000$)(\d{2})?(\d{7})$/,
    postalCode: /^\d{5}(-\d{4})?$/,
    extendedAddress: /^[a-zA-Z\d',. \-#]+(([',. \-#][a-zA-Z ])?[a-zA-Z.]*)*$/,
  };
  const of = (alphabet: string, minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
  const runs = { numRuns: 5_000 };

  it.each([
    ['phone', phone, PRINTED.phone, of('0123456789*- ', 8, 12)],
    ['phone of ten', phone, PRINTED.phone, of('0123456789*', 10, 10)],
    ['SSN', ssn, PRINTED.ssn, of('0012346669', 8, 10)],
    ['SSN of nine', ssn, PRINTED.ssn, of('0012346669', 9, 9)],
    ['EIN', ein, PRINTED.ein, of('00001-', 6, 10)],
    ['EIN of nine', ein, PRINTED.ein, of('0001', 9, 9)],
    ['postal code', postalCode, PRINTED.postalCode, of('0123-', 4, 11)],
    ['postal code of five and four', postalCode, PRINTED.postalCode, of('12-', 10, 10)],
    ['extended address', extendedAddress, PRINTED.extendedAddress, of("aZ9',. -#/é\n", 0, 12)],
    ['extended address that fits', extendedAddress, PRINTED.extendedAddress, of("aZ9',. -#", 0, 14)],
  ])('%s', (_, rule, printed, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(rule.safeParse(text).success).toBe(printed.test(text));
      }),
      runs,
    );
  });
});

describe('no text takes long', () => {
  const long = 10_000;
  // Warm, so that only matching is measured.
  beforeAll(() => void refused('changeAddress', ADDRESS));

  it.each([
    ['a', '/'],
    [' ', '/'],
    [" '", '/'],
    ['.', '\n'],
    ['1 ', '!'],
    ['po', ' '],
    ['p o ', 'x'],
    ['post  ', 'x'],
  ])('%j, 10,000 characters of it, before %j', (unit, end) => {
    const text = `1 ${unit.repeat(long / unit.length)}${end}`;
    // Of the processor, which a busy machine does not stretch.
    const before = process.cpuUsage();
    refused('changeAddress', { ...ADDRESS, streetAddress: text, extendedAddress: text, postalCode: text });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(100);
  });

  it('and none is too long for an extended address, whose printed pattern would take for ever', () => {
    expect(extendedAddress.safeParse(`${'a'.repeat(long)}/`).success).toBe(false);
    expect(extendedAddress.safeParse('a'.repeat(long)).success).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import { submittedRevenueInCents } from '../../../../src/partners/banking/holder.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { bankingPartner, HOLDER } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { responding } from '../../../rigs/partners/servers.js';

type Call = (client: ByHand<BankingClient>) => Promise<unknown>;

async function read<Answer>(
  call: (client: ByHand<BankingClient>) => Promise<Answer>,
  body: string,
  status = 200,
  headers = {},
): Promise<Answer> {
  const { client } = await bankingPartner(responding(status, body, headers));
  return call(client);
}

const profile = (client: ByHand<BankingClient>) => client.findProfileByMerchant({ merchantProfileId: 1 });
const submit = (client: ByHand<BankingClient>) => client.submitBusinessAccountHolder(HOLDER);
const close: Call = (client) => client.closeCard({ paymentCardId: 'c1' });
const nickname = (client: ByHand<BankingClient>) =>
  client.setCardNickname({ paymentCardId: 'c1', nickName: 'Lunch' });

describe('a list that comes bare or in pages', () => {
  const transactions = (client: ByHand<BankingClient>) =>
    client.listTransactions({ financialAccountId: 'fa-1', take: 1 });

  it.each([
    ['[{"id":"t-1"}]', { totalCount: null, records: [{ id: 't-1' }] }],
    [
      '{"totalCount":7,"records":[{"id":"t-1"}],"errorMessage":null,"next":2}',
      { totalCount: 7, records: [{ id: 't-1' }], errorMessage: null, next: 2 },
    ],
    ['null', { totalCount: 0, records: [] }],
  ])('keeps the fields around its records: %s', async (body, page) => {
    expect(await read(transactions, body)).toEqual(page);
  });
});

describe('a banking profile', () => {
  it('shows whether it is locked, and by what', async () => {
    const body = '{"id":4,"isLocked":true,"isAccessLocked":false,"lockFinancialAccountId":"fa-1"}';
    expect(await read(profile, body)).toMatchObject(JSON.parse(body));
    expect(await read(profile, '{"id":4}')).toMatchObject({ isLocked: null, isAccessLocked: null });
  });

  // Catches a habit that makes Gangway wait for each business that has no profile yet.
  it.each([
    [204, ''],
    [200, 'null'],
    [200, '{"id":0,"bankingStatus":"New"}'],
    [410, '{"message":"Gone"}'],
  ])('does not exist, after %i %s', async (status, body) => {
    expect(await failureOf(read(profile, body, status))).toMatchObject({ kind: 'Rejected', status: 404 });
  });

  it.each(['', '{}', '{"id":-1}', '[]'])('is unreadable, and perhaps there, after 200 %s', async (body) => {
    expect(await failureOf(read(profile, body))).toMatchObject({ kind: 'Uncertain', status: 200 });
  });

  it('keeps unknown fields, and reads absent ones as null', async () => {
    const body = '{"id":4,"step":17,"rewordType":"Cash","profileSettings":{"loanOff":true},"tier":{"a":[1]}}';
    expect(await read(profile, body)).toMatchObject({
      ...JSON.parse(body),
      bankingStatus: null,
      businessAccountHolder: null,
      financialAccountId: null,
      agreements: [],
    });
  });

  it('has masked SSNs, and its revenue in cents', async () => {
    const body =
      '{"id":4,"businessAccountHolder":{"ssn":"XXX-XX-6789","annualBusinessRevenue":25000000,' +
      '"merchantProfileId":4711,"owners":[{"id":1,"ssn":"XXX-XX-7891","percentageOwnership":25,"ownerType":4}]}}';
    const { businessAccountHolder: holder } = await read(profile, body);
    expect(holder).toMatchObject({ ssn: 'XXX-XX-6789', merchantProfileId: 4711 });
    expect(holder?.owners[0]).toMatchObject({ ssn: 'XXX-XX-7891', ownerType: 4 });
    expect(holder?.annualBusinessRevenue).toBe(25_000_000);
    // The same business, as it was submitted: in dollars.
    expect(submittedRevenueInCents({ ...HOLDER, annualBusinessRevenue: 250_000 })).toBe(25_000_000n);
    for (const none of [{}, { annualBusinessRevenue: null }])
      expect(submittedRevenueInCents(none)).toBeNull();
  });

  it.each([
    '{"bankingStatus":"New"}',
    '{"id":-1}',
    '{"id":1.5}',
    '{"id":"7"}',
    '{"id":9007199254740993}',
    '{"id":1e400}',
    '{"id":7,"userProfileId":1.5}',
    '{"id":7,"userProfileId":9007199254740993}',
    '{"id":7,"businessAccountHolder":{"merchantProfileId":4711.5}}',
    '{"id":7,"financialAccountId":1.5}',
  ])('without an id, or with an invalid one, is unreadable: %s', async (body) => {
    const error = await failureOf(read(profile, body));
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'unreadable response' });
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['518000000000000000001234', '518000000000000000001234'],
    ['"0042"', '0042'],
    ['42', '42'],
    ['" "', null],
    // Catches a business that ends with an account that the bank has not opened.
    ['0', null],
    ['"0"', null],
  ])('keeps all digits of an id that is text: %s', async (id, expected) => {
    expect(await read(profile, `{"id":7,"financialAccountId":${id}}`)).toMatchObject({
      financialAccountId: expected,
    });
  });
});

describe('a boarding response', () => {
  const done = { profileId: 9, success: true, errors: null, changeLog: [] };
  const refusal = '{"profileId":0,"success":false,"errors":"SSN is in use","changeLog":null}';
  const refused = { profileId: null, success: false, errors: 'SSN is in use', changeLog: [] };
  const log = [{ requestType: 42, changes: null }];
  it.each<[string, Call, string, object]>([
    ['of E7 with success: false is data, not a failure', submit, refusal, refused],
    ['of E8 as well', close, refusal, refused],
    ['without an account has no field for one', submit, '{"profileId":9,"success":true}', done],
    [
      'with a blank account has null for it',
      submit,
      '{"profileId":9,"success":true,"financialAccountId":" "}',
      { ...done, financialAccountId: null },
    ],
    [
      'may name an account that was opened, and changes',
      submit,
      '{"profileId":9,"success":true,"errors":null,"changeLog":[{"requestType":42,"changes":null}],"financialAccountId":"fa-1"}',
      { ...done, changeLog: log, financialAccountId: 'fa-1' },
    ],
  ])('%s', async (_, call, body, expected) => {
    expect(await read(call, body)).toStrictEqual(expected);
  });
});

describe('a card', () => {
  it.each(['2', '99', '"ACTIVATION_REQUIRED"'])('has status %s as the partner wrote it', async (status) => {
    const card = await read(nickname, `{"paymentCardId":"c1","status":${status},"paymentCardName":"Lunch"}`);
    expect(card).toMatchObject({
      status: JSON.parse(status),
      paymentCardName: 'Lunch',
      reissuedCardId: null,
    });
  });
});

it.each([
  ['[]', 200],
  ['null', 200],
  ['', 204],
])('an empty list is %j with %i', async (body, status) => {
  expect(await read((client) => client.listNewTickets({}), body, status)).toEqual([]);
});

describe('tickets, notifications and departments', () => {
  it.each<[string, Call, string]>([
    ['ticket', (client) => client.listNewTickets({}), '{"ticketId":3,"updateFieldRequest":"Owner9Shoe"}'],
    ['notification', (client) => client.listNotifications({}), '{"id":5,"group":"Gossip","level":"Loud"}'],
    ['department', (client) => client.listDepartments({}), '{"id":1,"creator":{"id":2,"name":"Ada","x":1}}'],
    ['webhook', (client) => client.listWebhooks({}), '{"id":1,"notificationType":"Weather"}'],
  ])('(%s) keep unknown values', async (_, call, item) => {
    expect(await read(call, `[${item}]`)).toMatchObject([JSON.parse(item)]);
  });
});

describe('external account activity', () => {
  const activity = (client: ByHand<BankingClient>) => client.getExternalAccountActivity({ profileId: 4 });

  it.each([
    ['404', '{"message":"no account"}', 404],
    ['404 without a body', '', 404],
    ['200 with an empty list', '{"activity":[]}', 200],
    ['200 with null', '{"activity":null}', 200],
  ])('is empty after a %s', async (_, body, status) => {
    expect((await read(activity, body, status)).activity).toEqual([]);
  });

  it('keeps the entries', async () => {
    const body = '{"activity":[{"id":"a","amount":{"value":-1250,"currencyCode":"USD"}}]}';
    expect(await read(activity, body)).toMatchObject({ activity: [{ amount: { value: -1250 } }] });
  });
});

describe('a webhook', () => {
  const create = (client: ByHand<BankingClient>) =>
    client.createWebhook({ name: 'g', url: 'https://h.example.com', notificationType: 'Ach' });

  it.each([
    [200, '{"success":true}', { success: true, exists: false }],
    [201, '{"success":true,"id":6}', { success: true, exists: false, id: 6 }],
    [200, '{"success":false}', { success: false, exists: false }],
    [409, '{"message":"a webhook with the same url exists"}', { success: true, exists: true }],
    [409, '', { success: true, exists: true }],
  ])('%i %s', async (status, body, expected) => {
    expect(await read(create, body, status)).toMatchObject(expected);
  });
});

describe('the reason of a refusal', () => {
  const at = (field: string, message: string) => ({ field, message });
  it.each([
    [
      '{"title":"Bad","status":400,"errors":{"Ssn":["is bad","is taken"],"Phone":["is bad"]}}',
      [at('Ssn', 'is bad'), at('Ssn', 'is taken'), at('Phone', 'is bad')],
    ],
    ['{"errors":{"Ssn":"is bad"}}', [at('Ssn', 'is bad')]],
    ['{"errors":["a","b"]}', [at('', 'a'), at('', 'b')]],
    ['{"errors":"no"}', [at('', 'no')]],
    ['{"title":"Bad Request"}', [at('', 'Bad Request')]],
    ['{"message":"no"}', [at('', 'no')]],
    ['{"error":"no"}', [at('', 'no')]],
    ['"no"', [at('', 'no')]],
    ['', []],
    ['7', []],
    ['{"message":{"a":1},"errors":7}', []],
    ['{"message":', []],
  ])('is read from %s', async (body, fields) => {
    const error = await failureOf(read(submit, body, 400));
    expect(error.details).toMatchObject({ kind: 'Rejected', status: 400, fields });
  });

  it.each([
    ['text/plain; charset=utf-8', [at('', 'Phone is bad')]],
    ['text/html', []],
  ])('is read from %s', async (type, fields) => {
    const error = await failureOf(read(submit, 'Phone is bad', 400, { 'content-type': type }));
    expect(error.fields).toEqual(fields);
  });

  it('is not in the message of the error', async () => {
    const { message } = await failureOf(read(submit, '{"errors":{"Ssn":["123456789 is taken"]}}', 400));
    expect(message).toBe('banking submit-business-account-holder: Rejected, HTTP 400 (Ssn)');
  });
});

it('a response without JSON is unreadable', async () => {
  const error = await failureOf(read(submit, '<html>', 200));
  expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'unreadable response' });
});

import { describe, expect, it } from 'vitest';
import {
  type Bearer,
  changed,
  HOLDER,
  holderOf,
  OWNER,
  type RunningBanking,
  runBanking,
} from '../../../rigs/sandbox/banking/running-banking.js';
import { shared, type Until } from '../../../rigs/shared.js';

const NO_TOKEN: Bearer = { authorization: undefined };
const BAD_TOKEN: Bearer = { authorization: 'Bearer made-up' };
const BASIC: Bearer = { authorization: 'Basic c2FuZGJveDpzYW5kYm94' };

const E1 = 'POST /api/auth/v2';
const E3 = 'POST /changeAddress';
const E4 = 'POST /api/paymentCards/nickName';
const E5 = 'GET /svc/profile/byMerchant';
const E6 = 'GET /api/tickets/new';
const E7 = 'POST /svc/businessAccountHolder';
const E8 = 'POST /svc/paymentCard/closePaymentCard';
const E9 = 'POST /api/AccountsSearch/BusinesAccountHolder';
const E10 = 'POST /api/Statement/V2/full';
const E11 = 'GET /svc/externalAccountActivity';
const E12 = 'GET /api/notifications';
const E13 = 'POST /api/Partners/webhooks';
const E14 = 'GET /api/teams/departments';
const E15 = 'POST /api/subProfiles/restore';

const SIGN_IN = '{"nickName":"sandbox","password":"sandbox","tokenDevice":"d-1","nameDevice":"till"}';
const PARTNER = '{"NickName":"partner","Password":"partner","TokenDevice":"pos","NameDevice":"gangway"}';
const ADDRESS = '{"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33}';
const NICKNAME = '{"paymentCardId":"card-1001","nickName":"Fuel"}';
const CLOSING = '{"paymentCardId":"card-1001","notes":"lost","last4":"1001"}';
const STATEMENT = '{"period":"2026-01-15T00:00:00Z","financialAccountIds":["fa-501-1"]}';
const WEBHOOK =
  '{"name":"gangway","url":"https://hooks.example.com/a","notificationType":"ApplicationStatus"}';

const withOwner = (field: string, json?: string) => changed(HOLDER, 'owner', changed(OWNER, field, json));

type Case = readonly [number, string, string, (string | undefined)?, (string | Bearer)?];

/**
 * Profile 3001, of the business of merchant 1001, and a webhook exist. Rules of requests: test/unit/partners/banking/rules.test.ts;
 * each failure that the contract lists: test/integration/partners/openapi/failures.test.ts.
 */
const CASES: readonly Case[] = [
  [200, 'a token', E1, SIGN_IN, NO_TOKEN],
  [200, 'a token, in the form of partners', E1, PARTNER, NO_TOKEN],
  [200, 'a token, whatever Authorization is sent', E1, SIGN_IN, BAD_TOKEN],
  [200, 'a token as in version 1', `${E1}?likev1=true`, SIGN_IN, NO_TOKEN],
  [200, 'a token, with a captcha', E1, changed(SIGN_IN, 'captcha', '{"token":"c"}'), NO_TOKEN],
  [400, 'an empty NickName', E1, changed(PARTNER, 'NickName', '""'), NO_TOKEN],
  [400, 'a likev1 that is neither', `${E1}?likev1=maybe`, SIGN_IN, NO_TOKEN],
  [400, 'no sign-in', E1, undefined, NO_TOKEN],
  [403, 'no second factor', E1, SIGN_IN.replaceAll('"sandbox"', '"mfa"'), NO_TOKEN],

  [200, 'a refresh', 'POST /api/auth/refresh'],
  [200, 'a refresh, by one who may only read', 'POST /api/auth/refresh', undefined, 'read-only'],

  [200, 'an address', E3, ADDRESS],
  [200, 'an address with ZIP+4', E3, changed(ADDRESS, 'postalCode', '"12207-1234"')],
  [
    200,
    'an address confirmed by a code',
    E3,
    changed(changed(ADDRESS, 'oneTimeCode', '"000000"'), 'secureOperationType', '"ShortMessageCode"'),
  ],
  [200, 'the address of a person', E3, changed(ADDRESS, 'associatedPersonId', '"person-3001"')],
  [200, 'the address of an owner', E3, changed(ADDRESS, 'associatedPersonId', '"owner-3001-1"')],
  [
    403,
    'a wrong code',
    E3,
    changed(changed(ADDRESS, 'oneTimeCode', '"111111"'), 'secureOperationType', '"ShortMessageCode"'),
  ],
  [
    403,
    'a person of another partner',
    E3,
    changed(ADDRESS, 'associatedPersonId', '"person-3001"'),
    'other-partner',
  ],
  [404, 'an owner who is not there', E3, changed(ADDRESS, 'associatedPersonId', '"owner-3001-2"')],

  [200, 'a nickname', E4, NICKNAME],
  [200, 'no nickname any more', E4, changed(NICKNAME, 'nickName', 'null')],
  [200, 'a nickname of 18', E4, changed(NICKNAME, 'nickName', '"123456789012345678"')],
  [401, 'a nickname with a made-up token', E4, NICKNAME, BAD_TOKEN],
  [403, 'a nickname by one who may only read', E4, NICKNAME, 'read-only'],

  [200, 'the profile of a merchant', `${E5}/1001`],
  [200, 'the profile of a merchant, by one who may only read', `${E5}/1001`, undefined, 'read-only'],
  [401, 'the profile with Basic credentials', `${E5}/1001`, undefined, BASIC],
  [403, 'the profile by another partner', `${E5}/1001`, undefined, 'other-partner'],
  [404, 'the profile of no merchant', `${E5}/7`],

  [200, 'new tickets', E6],

  [200, 'a business', E7, HOLDER],
  [200, 'a business with an owner', E7, changed(HOLDER, 'owner', OWNER)],
  [200, 'a phone with asterisks', E7, changed(HOLDER, 'phone', '"518555****"')],
  [
    200,
    'all that is optional',
    E7,
    changed(changed(HOLDER, 'businessType', '4'), 'annualBusinessRevenue', '250000'),
  ],
  [400, 'an unknown magic value', E7, holderOf('horoscope')],

  [200, 'the end of a card', E8, CLOSING],
  [200, 'the end of a card, just that', E8, '{"paymentCardId":"card-1002"}'],
  [400, 'the last four of another card', E8, changed(CLOSING, 'last4', '"9999"')],
  [400, 'a card of the type Other', E8, '{"paymentCardId":"card-1004"}'],
  [403, 'the end of a card by one who may only read', E8, CLOSING, 'read-only'],

  [200, 'a search', E9, '{"agentIds":[101],"isoId":1,"dba":"corner","count":3}'],
  [200, 'a search for anything', E9, '{}'],
  [200, 'a search by one who may only read', E9, '{}', 'read-only'],
  [403, 'a search among the agents of another', E9, '{"agentIds":[201]}'],
  [404, 'a search of an unknown agent', E9, '{"agentIds":[7]}'],

  [200, 'a statement', E10, STATEMENT],
  [200, 'a statement by e-mail', E10, changed(STATEMENT, 'email', '"ada@example.com"')],
  [
    403,
    'a statement of another partner',
    E10,
    changed(STATEMENT, 'financialAccountIds', '["fa-501-1","fa-601-1"]'),
  ],
  [
    404,
    'a statement of an unknown account',
    E10,
    changed(STATEMENT, 'financialAccountIds', '["fa-501-1","fa-1"]'),
  ],

  [200, 'external activity', `${E11}/501`],
  [200, 'external activity where nothing is linked', `${E11}/3001`],
  [200, 'external activity of a provider', `${E11}/501?provider=AGGREGATOR_A`],
  [404, 'external activity of no profile', `${E11}/7`],

  [200, 'notifications', E12],
  [200, 'notifications of two categories', `${E12}?categories=Cards&categories=Deposits&types=Campaigns`],

  [200, 'a webhook', E13, changed(WEBHOOK, 'url', '"https://hooks.example.com/b"')],
  [200, 'a webhook of another type', E13, changed(WEBHOOK, 'notificationType', '"AChOut"')],
  [409, 'a webhook that exists', E13, WEBHOOK],
  [200, 'a webhook that another partner has', E13, WEBHOOK, 'other-partner'],

  [200, 'departments', E14],

  [200, 'a deleted sub-user', `${E15}?id=71`],
  [200, 'an inactive sub-user', `${E15}?id=72`],
  [200, 'a sub-user, with a content type and no content', `${E15}?id=71`, ''],
  [400, 'no sub-user', E15],
  [400, 'a sub-user by name', `${E15}?id=bo`],
  [403, 'a sub-user of another partner', `${E15}?id=74`],
  [404, 'a sub-user who never was', `${E15}?id=1`],

  [400, 'half of a body', E7, '{"email":'],
  [404, 'an operation that does not exist', 'GET /svc/horoscope/501'],
];

/** The successful calls that are writes. */
const WRITES: Readonly<Record<string, string>> = {
  [E3]: 'change-address',
  [E4]: 'set-card-nickname',
  [E7]: 'submit-business-account-holder',
  [E8]: 'close-card',
  [E13]: 'create-webhook',
  [E15]: 'restore-sub-user',
};

async function furnished(until?: Until) {
  const banking = await runBanking({}, until);
  await banking.create('Corner Bakery');
  await banking.submit(changed(HOLDER, 'owner', OWNER));
  await banking.call(E13, WEBHOOK);
  return banking;
}

/** Makes the call of a case. @returns the body of the response, and the operations that took effect */
async function outcome(banking: RunningBanking, [expected, , line, body, caller]: Case) {
  const before = await banking.effects();
  const { status, text } = await banking.call(line, body, caller);
  expect(status, text).toBe(expected);
  const effects = (await banking.effects()).slice(before.length);
  return { text, effects: effects.map((effect) => effect.split(' ')[0]) };
}

describe('status codes of apis/1', () => {
  // A refusal changes nothing, as each test checks, so one sandbox is enough.
  const refusing = shared(furnished);

  const cases = (isWanted: (status: number) => boolean) =>
    CASES.filter(([status]) => isWanted(status)).map((one) => ({ status: one[0], what: one[1], one }));

  it.each(cases((status) => status !== 200))('$status for $what', async ({ one }) => {
    const { text, effects } = await outcome(refusing(), one);
    expect(effects).toEqual([]);
    const [, , line, body] = one;
    if (line !== 'GET /svc/horoscope/501' && body !== '{"email":') {
      expect(JSON.parse(text)).toEqual({ message: expect.any(String), errors: expect.any(Object) });
    }
  });

  it.each(cases((status) => status === 200))('$status for $what', async ({ one }) => {
    const { effects } = await outcome(await furnished(), one);
    const write = WRITES[one[2].split('?')[0] ?? ''];
    expect(effects).toEqual(write === undefined ? [] : [write]);
  });
});

describe('bodies of refusals', () => {
  it('of a 500 that is planned', async () => {
    const banking = await runBanking();
    await banking.control(
      'POST /sandbox/faults',
      '{"fault":"500-before-commit","operation":"list-departments"}',
    );
    const { status, text } = await banking.call(E14);
    expect([status, text]).toEqual([500, '{"message":"InternalServerError","errors":{}}']);
  });

  it('list each field with its problem', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E8, '{"paymentCardId":"","last4":7}');
    expect(JSON.parse(text)).toEqual({
      message: 'Validation failed',
      errors: {
        paymentCardId: ['must not be empty'],
        last4: ['must be text'],
      },
    });
  });

  it('name the fields of an owner by their path', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E7, withOwner('zipCode', '"1"'));
    expect(JSON.parse(text).errors).toEqual({ 'owner.zipCode': ['must be 5 digits'] });
  });

  it('list the scenarios when the magic value is unknown', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E7, holderOf('horoscope'));
    expect(JSON.parse(text).errors.doingBusinessAsName[0]).toMatch(
      /unknown magic value \[horoscope\].*\/sandbox\/scenarios.*straight, .*waiting/,
    );
  });
});

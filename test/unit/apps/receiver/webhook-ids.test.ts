import { describe, expect, it } from 'vitest';
import {
  addIds,
  idsInWebhook,
  type NamedIds,
  runningWith,
  webhookIn,
} from '../../../../src/apps/receiver/nudges.js';
import type { IdField } from '../../../../src/partners/partner.js';

const FIELDS: readonly IdField[] = [
  { path: 'profileId', kind: 'BankingProfileId' },
  { path: 'merchantProfileId', kind: 'MerchantProfileId' },
  { path: 'client.reference', kind: 'externalId' },
];

const byKind = (named: NamedIds) => {
  const groups = Map.groupBy(named.values(), ({ kind }) => kind);
  return Object.fromEntries([...groups].map(([kind, all]) => [kind, all.map(({ id }) => id)]));
};

/** The IDs in a webhook, by kind. */
const ids = (delivery: unknown) => byKind(idsInWebhook(delivery, FIELDS));

/** `value` inside this many objects. */
const nested = (depth: number, value: object): object =>
  depth === 0 ? value : { a: nested(depth - 1, value) };

describe('the IDs of a webhook', () => {
  const PROFILE = { BankingProfileId: ['1'] };
  it.each<[string, unknown, object]>([
    ['a number', { profileId: 501 }, { BankingProfileId: ['501'] }],
    ['a text of digits', { profileId: '501' }, { BankingProfileId: ['501'] }],
    ['as many as twenty digits', { profileId: '9'.repeat(20) }, { BankingProfileId: ['9'.repeat(20)] }],
    ['a number beyond 2^53', { profileId: 9007199254740993n }, { BankingProfileId: ['9007199254740993'] }],
    ['whatever the case of the name', { PROFILEID: 1, ProfileId: 2 }, { BankingProfileId: ['1', '2'] }],
    ['deep inside, in lists too', [{ a: [{ profileId: 7 }] }], { BankingProfileId: ['7'] }],
    ['the same one twice', [{ profileId: 7 }, { profileId: '7' }], { BankingProfileId: ['7'] }],
    ['of two kinds', [{ profileId: 1 }, { merchantProfileId: 2 }], { ...PROFILE, MerchantProfileId: ['2'] }],
    ['by the end of the way to it', { x: { client: { reference: 'm-1' } } }, { externalId: ['m-1'] }],
    ['at the depth that is still looked into', nested(16, { profileId: 1 }), PROFILE],
    ['in snake_case', { profile_id: 1, 'merchant-profile-id': 2 }, { ...PROFILE, MerchantProfileId: ['2'] }],
    ['of a way in snake_case', { x: { Client: { REFERENCE: 'm-1' } } }, { externalId: ['m-1'] }],
    [
      'with leading zeros',
      { profileId: '000501', merchantProfileId: '0' },
      { BankingProfileId: ['501'], MerchantProfileId: ['0'] },
    ],
    ['with spaces around it', { profileId: ' 501\n' }, { BankingProfileId: ['501'] }],
    ['in a text of JSON', { payload: '{"data":{"profileId":501}}' }, { BankingProfileId: ['501'] }],
    [
      'in a text of JSON in another',
      { a: JSON.stringify({ b: '[{"profileId":501}]' }) },
      { BankingProfileId: ['501'] },
    ],
    // Ignored.
    ['nothing', [], {}],
    ['no id', { type: 'ping' }, {}],
    ['a piece of a query', { profileId: "1' OR BankingProfileId != '" }, {}],
    ['a fraction', { merchantProfileId: -1.5 }, {}],
    ['a negative number', { merchantProfileId: -1 }, {}],
    ['twenty-one digits', { profileId: '1'.repeat(21) }, {}],
    ['an empty text', { profileId: '' }, {}],
    ['an object', { profileId: { $ne: 1 } }, {}],
    ['a boolean', { merchantProfileId: true }, {}],
    ['null', { profileId: null }, {}],
    ['a name that only ends like the field', { myProfileId: 5 }, {}],
    ['the last name of a way, elsewhere', { reference: 'm-1' }, {}],
    ['an id that is too deep', nested(17, { profileId: 1 }), {}],
  ])('are found: %s', (_, delivery, result) => {
    expect(ids(delivery)).toEqual(result);
  });

  it.each<[string, string, object]>([
    ['a byte order mark', '\uFEFF{"profileId":1}', PROFILE],
    ['a text that is JSON', '"{\\"profileId\\":1}"', PROFILE],
    ['a number with leading zeros', '{"profileId": 0001, "x": "y"}', PROFILE],
    ['a comma at the end', '{"profile_id": "1",}', PROFILE],
    ['a form', 'event=a&profileId=1&b=2', PROFILE],
    ['a form with JSON in a field', 'payload=%7B%22profileId%22%3A1%7D', PROFILE],
    ['XML', '<event><profileId>1</profileId></event>', PROFILE],
    ['lines', 'x: y\nprofile-id: 1\n', PROFILE],
    ['a name of the prototype', '__proto__=1', {}],
    ['a name that only ends like the field', 'myProfileId=1', {}],
    ['nothing', '', {}],
    ['null', 'null', {}],
    ['bytes', '\u0000\uFFFD\u0001', {}],
  ])('are found in a body that is, or has, %s', (_, body, result) => {
    expect(ids(webhookIn(body))).toEqual(result);
  });

  it('may be 100, of all kinds together, and the first ones count', () => {
    const all = Array.from({ length: 99 }, (_, profileId) => ({ profileId }));
    expect(ids([...all, { merchantProfileId: 1 }])).toMatchObject({ MerchantProfileId: ['1'] });
    const tooMany = [...all, { merchantProfileId: 1 }, { merchantProfileId: 2 }];
    expect(ids(tooMany)).toMatchObject({ MerchantProfileId: ['1'] });
  });
});

it('gathered IDs beyond the limit are dropped, and those before them are kept', () => {
  const gathered: Parameters<typeof addIds>[0] = new Map();
  addIds(gathered, idsInWebhook({ merchantProfileId: 1 }, FIELDS), 3);
  addIds(gathered, idsInWebhook([{ profileId: 2 }, { profileId: 3 }, { profileId: 4 }], FIELDS), 3);
  addIds(gathered, idsInWebhook({ merchantProfileId: 5 }, FIELDS), 3);
  expect(byKind(gathered)).toEqual({ MerchantProfileId: ['1'], BankingProfileId: ['2', '3'] });
});

describe('the query for workflows', () => {
  it('has each kind of id, running workflows only, and the task queue', () => {
    const named = idsInWebhook([{ profileId: 1 }, { profileId: 2 }, { merchantProfileId: 3 }], FIELDS);
    expect(runningWith(named, 'gangway', [])).toBe(
      `ExecutionStatus = 'Running' AND TaskQueue = 'gangway' AND ` +
        "(BankingProfileId IN ('1', '2') OR MerchantProfileId IN ('3'))",
    );
  });

  it('has the workflow IDs that an externalId may stand for, of each account', () => {
    const named = idsInWebhook({ client: { reference: 'm-1' } }, FIELDS);
    expect(runningWith(named, 'gangway', [])).toMatch(/WorkflowId IN \(.*'merchant-boarding-m-1'/);
    const query = runningWith(named, 'gangway', ['acme']);
    expect(query).toContain("'merchant-boarding-m-1', ");
    expect(query).toContain("'merchant-boarding-m-1@acme'");
  });
});

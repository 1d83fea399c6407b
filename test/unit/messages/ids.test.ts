import { describe, expect, it } from 'vitest';
import {
  partsOfId,
  possibleWorkflowIds,
  splitAccount,
  systemOf,
  workflowId,
} from '../../../src/messages/ids.js';
import { externalId } from '../../../src/messages/inputs.js';
import { ACCOUNT_NAME } from '../../../src/partners/text-limits.js';

// Proves M2.
describe('a workflow id', () => {
  it.each([
    ['merchantBoarding', 'm-1', undefined, 'merchant-boarding-m-1'],
    ['merchantBoarding', 'm-1', 'acme', 'merchant-boarding-m-1@acme'],
    ['customerOnboarding', 'a:b._-', 'north-iso', 'customer-onboarding-a:b._-@north-iso'],
    ['partnerOperation', 'close-card-card-1', 'acme', 'operation-close-card-card-1@acme'],
  ] as const)('of %s %j in account %j is %s, and is taken apart again', (type, key, account, id) => {
    expect(workflowId(type, key, account)).toBe(id);
    expect(partsOfId(id)).toEqual({ type, key, account });
  });

  it.each(['m-1', 'm-1@acme', 'call-boarding-get-status-1@acme', 'event-merchant-boarding-m-1@acme-1'])(
    'has no parts when it is of another kind: %s',
    (id) => {
      expect(partsOfId(id)).toBeUndefined();
    },
  );

  it('has one meaning: neither an externalId nor the name of an account has its separator', () => {
    expect(externalId.safeParse('m-1@acme').success).toBe(false);
    expect(ACCOUNT_NAME.test('acme@m-1')).toBe(false);
    expect(splitAccount('m-1@acme')).toEqual({ key: 'm-1', account: 'acme' });
  });
});

describe('the workflow IDs that may be meant', () => {
  const accounts = ['acme', 'north-iso'];
  const boardings = (value: string) =>
    possibleWorkflowIds(value, accounts).filter((id) => id.startsWith('merchant-boarding-'));

  it.each([
    ['an externalId: that of each account', 'm-1', ['m-1', 'm-1@acme', 'm-1@north-iso']],
    ['an externalId with its account: that', 'm-1@acme', ['m-1@acme']],
    ['a workflow id: itself', 'merchant-boarding-m-1', ['m-1']],
    ['a workflow id with an account: itself', 'merchant-boarding-m-1@acme', ['m-1@acme']],
  ])('by %s', (_, value, keys) => {
    expect(boardings(value)).toEqual(keys.map((key) => `merchant-boarding-${key}`));
  });
});

it.each([
  ['merchant-boarding-m-1001@acme', 'boarding'],
  ['business-onboarding-b-1', 'banking'],
  ['operation-close-card-c-1', 'banking'],
  ['partner-account-plant-store@acme', 'plant-store'],
  ['customer-onboarding-c-1', ''],
  ['something-else', ''],
])('%s works with the partner "%s"', (id, system) => {
  expect(systemOf(id)).toBe(system);
});

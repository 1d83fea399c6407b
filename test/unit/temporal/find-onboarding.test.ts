import { describe, expect, it } from 'vitest';
import { findNamedOnboarding, findOnboarding, shownProfiles } from '../../../src/temporal/find-onboarding.js';
import { answering, type Facts, known, payloads } from '../../rigs/temporal/answering-service.js';

const temporal = (...workflows: readonly Facts[]) => answering(known(...workflows));

const named = (workflowId: string, dba?: string): Facts => {
  const [payload] = payloads(dba);
  return { workflowId, ...(payload && dba !== undefined && { memo: { dba: payload } }) };
};

describe('an onboarding is found', () => {
  const MERCHANT = 'merchant-boarding-m1';
  const OF_CUSTOMER = ['customer-onboarding-m1', 'merchant-boarding-m1', 'business-onboarding-m1'];

  it.each<[given: string, there: string[], accounts: string[], found: string]>([
    ['m1', [MERCHANT], [], MERCHANT],
    [MERCHANT, [MERCHANT, 'business-onboarding-m1'], [], MERCHANT],
    ['m1', OF_CUSTOMER, [], 'customer-onboarding-m1'],
    ['merchant-boarding-m1', OF_CUSTOMER, [], MERCHANT],
    ['m1@acme', [MERCHANT, 'merchant-boarding-m1@acme'], [], 'merchant-boarding-m1@acme'],
    ['m1', ['merchant-boarding-m1@acme'], ['acme'], 'merchant-boarding-m1@acme'],
    [
      'm1',
      ['customer-onboarding-m1@acme', 'merchant-boarding-m1@acme'],
      ['acme'],
      'customer-onboarding-m1@acme',
    ],
    ['operation-close-card-7', ['operation-close-card-7'], [], 'operation-close-card-7'],
  ])('by %s among %j with accounts %j', async (value, there, accounts, result) => {
    const { client } = temporal(...there.map((id) => named(id)));
    expect(await findOnboarding(client, value, accounts)).toMatchObject({ workflowId: result });
    expect(await findNamedOnboarding(client, value, accounts)).toMatchObject({ workflowId: result });
  });

  const TWO = ['customer-onboarding-m1', 'merchant-boarding-m1@acme'];
  it.each<[given: string, there: string[], accounts: string[], mayMean: string[]]>([
    ['m1', [], [], []],
    ['operation-close-card-7', [MERCHANT], [], []],
    ['m1', ['merchant-boarding-m1@acme'], [], []],
    ['m1', [MERCHANT, 'business-onboarding-m1'], [], [MERCHANT, 'business-onboarding-m1']],
    ['m1', TWO, ['acme'], TWO],
  ])('not by %s among %j with accounts %j, which may mean %j', async (value, there, accounts, mayMean) => {
    const { client } = temporal(...there.map((id) => named(id)));
    const error = { name: 'UnknownOnboarding', mayMean };
    await expect(findOnboarding(client, value, accounts)).rejects.toMatchObject(error);
  });

  it('by a whole dba that only one has', async () => {
    const barn = named('merchant-boarding-2', 'Corner Barn');
    const { client } = temporal(named(MERCHANT, 'Corner Bakery'), barn);
    const workflowId = 'merchant-boarding-2';
    expect(await findNamedOnboarding(client, 'Corner Barn', [])).toMatchObject({ workflowId });
    await expect(findNamedOnboarding(client, 'corner', [])).rejects.toThrow(
      'there is no onboarding with id, mid or dba "corner"; did you mean Corner Bakery or Corner Barn?',
    );
    const twins = temporal(named(MERCHANT, 'Corner Barn'), barn);
    const error = { mayMean: [MERCHANT, workflowId] };
    await expect(findNamedOnboarding(twins.client, 'Corner Barn', [])).rejects.toMatchObject(error);
  });
});

describe('the profiles that running onboardings show', () => {
  const followed = { ids: [3001, 3002], taskQueue: 'gangway', partnerAccount: undefined };
  const run = (workflowId: string, status: Facts['status'], id = '3001') =>
    ({ workflowId, status, indexed: { BankingProfileId: id } }) as Facts;

  it('are searched for in one account of one task queue', async () => {
    const { client, sent } = temporal();
    expect(await shownProfiles(client, { ...followed, ids: [] })).toEqual(new Set());
    expect(await shownProfiles(client, followed)).toEqual(new Set());
    await shownProfiles(client, { ...followed, partnerAccount: 'acme' });
    const result =
      "WorkflowType = 'businessOnboarding' AND BankingProfileId IN ('3001', '3002') AND TaskQueue = 'gangway'";
    expect(sent.map(([, { query }]) => query)).toEqual([
      `${result} AND PartnerAccount IS NULL`,
      `${result} AND PartnerAccount = 'acme'`,
    ]);
  });

  it.each([
    [['COMPLETED', 'RUNNING'], true],
    [['RUNNING', 'COMPLETED'], true],
    [['FAILED', 'COMPLETED'], false],
    // The next run is not listed yet.
    [['CONTINUED_AS_NEW'], true],
    [['COMPLETED', 'CONTINUED_AS_NEW'], false],
  ] as const)('are those of an onboarding with runs that are %j: %s', async (statuses, isRunning) => {
    const runs = statuses.map((status) => run('w-1', status));
    const { client } = temporal(...runs, run('w-2', 'RUNNING', '3002'));
    expect(await shownProfiles(client, followed)).toEqual(new Set(isRunning ? [3001, 3002] : [3002]));
  });
});

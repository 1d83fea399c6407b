import { describe, expect, it } from 'vitest';
import { importRules } from '../../../../../src/apps/command/batch/import-file.js';
import type { ImportableRow } from '../../../../../src/apps/command/batch/run.js';
import { answering, type Facts, known } from '../../../../rigs/temporal/answering-service.js';

const ROW = { externalId: 'a-1', dba: 'Bakery', merchantProfileId: 1001, profileId: 501 };

function checked(row: object): ImportableRow {
  const rules = importRules({ posNames: [], accounts: { acme: { posNames: [] } } } as never);
  return rules.check({ line: 1, value: row } as never) as ImportableRow;
}

/** What the row would do where Temporal has these onboardings, and no worker to read the partner. */
const previewOf = (row: object, ...onboardings: readonly Facts[]) =>
  checked(row).preview(answering(known(...onboardings)).client, 'gangway');

const has = (workflowId: string, indexed: Readonly<Record<string, string>>): Facts => ({
  workflowId,
  indexed,
});
const MERCHANT = { MerchantProfileId: '1001' };
const PROFILE = { BankingProfileId: '501' };

describe('a row for a customer', () => {
  it.each([
    ['merchant-boarding-a-1', { MerchantProfileId: '1002' }, 'merchant 1002'],
    ['business-onboarding-a-1', { BankingProfileId: '502' }, 'banking profile 502'],
    ['customer-onboarding-a-1', { ...MERCHANT, BankingProfileId: '502' }, 'banking profile 502'],
  ])('is refused where %s has another merchant or profile: %j', async (id, indexed, what) => {
    await expect(previewOf(ROW, has(id, indexed))).rejects.toThrow(`${id} exists, and has ${what}`);
  });

  it('attaches to the customer that has its merchant and its profile', async () => {
    const customer = has('customer-onboarding-a-1', { ...MERCHANT, ...PROFILE });
    expect(await previewOf(ROW, customer)).toEqual({
      word: 'attached',
      json: { attached: true },
      text: 'attached: an onboarding with this externalId exists, and nothing would be started',
    });
  });

  it('may have the IDs of one in another account', () => {
    const { unique, workflowId } = checked({ ...ROW, account: 'acme' });
    expect([unique, workflowId]).toEqual([
      { externalId: 'a-1@acme', merchantProfileId: '1001@acme', profileId: '501@acme' },
      'customer-onboarding-a-1@acme',
    ]);
  });
});

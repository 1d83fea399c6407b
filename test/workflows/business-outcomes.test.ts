import { describe, expect, it } from 'vitest';
import { business, holder, merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** What a business went through, as its timeline has it. */
const statuses = (timeline: readonly { event: string; detail?: string }[]) =>
  timeline.filter(({ event }) => event === 'status-changed').map(({ detail }) => detail);

describe.concurrent('a business without questions', () => {
  it.each([
    ['straight', ['PendingUW', 'Approved']],
    ['account-on-request', ['PendingUW', 'Approved']],
    ['auto-approved', ['AutoApprovedUW']],
    ['approved-uw', ['PendingUW', 'ApprovedUW']],
    ['pending-review', ['Pending', 'Pending_Review', 'InReview', 'Approved']],
    ['unknown-status', ['EscalatedToCommittee', 'Approved']],
  ])('(%s) ends onboarded as soon as the bank has approved it', async (scenario, seen) => {
    const input = business(scenario);
    const onboarding = await rig.onboardBusiness(input);
    const outcome = await onboarding.outcome();
    const { profileId = 0, timeline, ...state } = await onboarding.state();
    const bankingStatus = seen.at(-1);
    expect(outcome).toEqual({ outcome: 'onboarded', profileId, financialAccountId: null, bankingStatus });
    expect(state).toEqual({
      dba: input.holder.doingBusinessAsName,
      stage: 'onboarded',
      outcome: 'onboarded',
      partnerStatus: bankingStatus,
      requirements: [],
      unsent: [],
      polls: seen.length,
    });
    expect(statuses(timeline)).toEqual(seen);
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });

  it.each(['account-at-once', 'account-on-request', 'straight', 'auto-approved', 'approved-uw'])(
    '(%s) has one financial account when that is asked for, though the bank may open one by itself',
    async (scenario) => {
      const onboarding = await rig.onboardBusiness(business(scenario, { openFinancialAccount: true }));
      const outcome = await onboarding.outcome();
      const { profileId = 0 } = await onboarding.state();
      expect(outcome).toMatchObject({ outcome: 'onboarded', financialAccountId: `fa-${profileId}-1` });
      expect(await onboarding.events()).toContain('financial-account-opened');
      const accounts = await bankOf(rig).client.listFinancialAccounts({});
      expect(accounts.filter((account) => account.profileId === profileId)).toHaveLength(1);
    },
  );
});

describe.concurrent('a merchant that has a profile at the bank already', () => {
  it('is followed by that one, and nothing is submitted', async () => {
    const bank = bankOf(rig);
    const { merchantProfileId = 0 } = await (await rig.board(merchant())).outcome();
    const own = holder('waiting');
    const profileId = await bank.submit(own);
    await rig.sandbox.transitionProfile(profileId, { merchantProfileId });
    const input = business(undefined, { holder: own, merchantProfileId });
    const onboarding = await rig.onboardBusiness(input);
    await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect((await onboarding.events()).slice(0, 2)).toEqual(['started', 'profile-adopted']);
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
    expect(await bank.writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });

  it('replaces the holder of one that still reads as New', async () => {
    const bank = bankOf(rig);
    const { merchantProfileId = 0 } = await (await rig.board(merchant())).outcome();
    const wanting = holder('correction');
    const profileId = await bank.submit(wanting);
    await rig.sandbox.transitionProfile(profileId, { merchantProfileId });
    const own = business(undefined, { holder: wanting, merchantProfileId });
    const input = { ...own, holder: { ...own.holder, website: 'https://bakery.example' } };
    const onboarding = await rig.onboardBusiness(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect((await onboarding.events()).slice(0, 4)).toEqual([
      'started',
      'profile-adopted',
      'status-changed',
      'holder-corrected',
    ]);
    expect(await bank.writesTo(profileId)).toEqual([
      'submit-business-account-holder',
      'update-business-account-holder',
    ]);
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
  });
});

import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { nudge } from '../../src/temporal/nudge.js';
import { business, holder, merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const HOUR_MS = 3_600_000;

const rig = await sharedRig();
/** Reads only when it is nudged. */
const slowRig = await sharedRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });

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
    });
    expect(statuses(timeline)).toEqual(seen);
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });

  it('(account-at-once) reports the account that the submission opened, and opens no other', async () => {
    const onboarding = await rig.onboardBusiness(business('account-at-once', { openFinancialAccount: true }));
    const outcome = await onboarding.outcome();
    const { profileId = 0, financialAccountId } = await onboarding.state();
    expect(financialAccountId).toBe(`fa-${profileId}-1`);
    expect(outcome).toEqual({
      outcome: 'onboarded',
      profileId,
      financialAccountId: `fa-${profileId}-1`,
      bankingStatus: 'Approved',
    });
    const opened = (await onboarding.events()).filter((event) => event === 'financial-account-opened');
    expect(opened).toHaveLength(1);
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });

  it.each(['account-on-request', 'straight', 'auto-approved', 'approved-uw'])(
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

describe.concurrent('a business under way', () => {
  it('can be searched by its banking profile, and shows where it stands', async () => {
    const onboarding = await rig.onboardBusiness(business('waiting'));
    const { profileId } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const { typedSearchAttributes } = await onboarding.handle.describe();
    const attribute = (name: 'bankingProfileId' | 'stage' | 'partnerStatus' | 'actionRequired') =>
      typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]);
    expect(attribute('bankingProfileId')).toBe(`${profileId}`);
    expect(attribute('stage')).toBe('underwriting');
    expect(attribute('partnerStatus')).toBe('Submitted');
    expect(attribute('actionRequired')).toBe(false);
    expect(await onboarding.currentDetails()).toContain(
      `**Stage** underwriting · **Partner status** Submitted · **Banking profile** ${profileId}\n\n` +
        '**Next** wait for the bank; its tickets show up here',
    );
    await onboarding.handle.terminate();
  });
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
    expect((await onboarding.events()).slice(0, 2)).toEqual(['started', 'profile-imported']);
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
      'profile-imported',
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

describe.concurrent('the poll of a business', () => {
  it('writes the same history for 2 and 8 reads, and is hastened by a nudge', async () => {
    const [first, second] = await Promise.all(
      [2, 8].map(async (reads) => {
        const onboarding = await slowRig.onboardBusiness(business('waiting'));
        const { profileId = 0 } = await onboarding.until(
          ({ partnerStatus }) => partnerStatus === 'Submitted',
        );
        for (let read = 1; read < reads; read += 1) {
          await onboarding.asleepAfter(1);
          await nudge(slowRig.client, onboarding.workflowId);
        }
        await onboarding.asleepAfter(1);
        await slowRig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
        expect(await nudge(slowRig.client, onboarding.workflowId)).toBe(true);
        expect(await onboarding.outcome()).toMatchObject({ outcome: 'declined' });
        return onboarding.written();
      }),
    );
    expect(second).toEqual(first);
  });
});

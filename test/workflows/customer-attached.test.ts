import { describe, expect, it } from 'vitest';
import type { CustomerOnboardingInput } from '../../src/messages/inputs.js';
import { customer } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** What someone boarded by itself before the customer came. */
const boardingOf = ({ externalId, boarding }: CustomerOnboardingInput) =>
  rig.board({ externalId, ...boarding });
const businessOf = ({ externalId, business }: CustomerOnboardingInput) =>
  rig.onboardBusiness({ externalId, ...business });

const creations = async (externalId: string) =>
  (await rig.sandbox.writes(externalId)).filter((write) => write === 'create-merchant');

describe.concurrent('a merchant that was boarded before by itself', () => {
  it('counts as the customer’s, and is not boarded twice', async () => {
    const input = customer();
    const boarded = await (await boardingOf(input)).outcome();
    const onboarding = await rig.onboard(input);
    const outcome = await onboarding.outcome();
    const { profileId = 0, merchantProfileId, timeline } = await onboarding.state();
    expect(outcome).toEqual({
      outcome: 'onboarded',
      boarding: boarded,
      business: { outcome: 'onboarded', profileId, financialAccountId: null, bankingStatus: 'Approved' },
    });
    expect(merchantProfileId).toBe(boarded.merchantProfileId);
    expect(timeline[1]).toMatchObject({
      event: 'boarding-attached',
      detail: `merchant-boarding-${input.externalId} exists already`,
    });
    expect(await creations(input.externalId)).toHaveLength(1);
    const { businessAccountHolder } = await rig.sandbox.profile(profileId);
    expect(businessAccountHolder).toMatchObject({ merchantProfileId });
  });

  it('and was cancelled leaves its merchant to the business', async () => {
    const input = customer({ boarding: 'waiting' });
    const boarding = await boardingOf(input);
    const { merchantProfileId } = await boarding.until(
      ({ stage }) => stage === 'underwriting',
      'the merchant',
    );
    await boarding.handle.cancel();
    await expect(boarding.outcome()).rejects.toThrow();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'onboarded' },
    });
    expect((await onboarding.state()).business?.merchantProfileId).toBe(merchantProfileId);
    expect(await creations(input.externalId)).toHaveLength(1);
  });

  it('answers to whoever started it: it is not cancelled with the customer', async () => {
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const boarding = await boardingOf(input);
    const onboarding = await rig.onboard(input);
    await onboarding.until(({ business }) => business?.partnerStatus === 'Submitted', 'the business');
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toThrow();
    expect((await boarding.handle.describe()).status.name).toBe('RUNNING');
    await boarding.handle.terminate();
  });
});

describe.concurrent('a business that was onboarded before by itself', () => {
  it('counts as the customer’s, and is not submitted twice', async () => {
    const input = customer();
    const business = await (await businessOf(input)).outcome();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', business });
    expect(await bankOf(rig).submissions(input.business.holder)).toHaveLength(1);
  });
});

describe.concurrent('starting a customer', () => {
  it('the same externalId twice attaches to the first, while it runs and when it has ended', async () => {
    const input = customer({ boarding: 'waiting' });
    const first = await rig.onboard(input);
    const second = await rig.onboard(input);
    const { runId } = await first.handle.describe();
    expect((await second.handle.describe()).runId).toBe(runId);
    const { merchantProfileId = 0 } = await first.until(
      ({ boarding }) => boarding?.partnerStatus === 'Pending',
    );
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    const outcome = await first.outcome();
    const third = await rig.onboard(input);
    expect(await third.outcome()).toEqual(outcome);
    expect((await third.handle.describe()).runId).toBe(runId);
    expect(await creations(input.externalId)).toHaveLength(1);
    expect(await bankOf(rig).submissions(input.business.holder)).toHaveLength(1);
  });

  it('again boards the merchant again, and the business finds its profile', async () => {
    const input = customer();
    const first = await rig.onboard(input);
    await first.outcome();
    const { runId } = await first.handle.describe();
    const before = await first.state();
    const second = await rig.onboard(input, { again: true });
    expect(await second.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect((await second.handle.describe()).runId).not.toBe(runId);
    const after = await second.state();
    expect(after.merchantProfileId).not.toBe(before.merchantProfileId);
    expect(after.timeline.map(({ event }) => event)).not.toContain('boarding-attached');
    expect(await creations(input.externalId)).toHaveLength(2);
    // The bank ties a business to a merchant of the same name, so there is no need for a second one.
    expect(await second.parts.business.events()).toContain('profile-adopted');
    expect(await bankOf(rig).submissions(input.business.holder)).toEqual([before.profileId]);
  });
});

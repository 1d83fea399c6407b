import { describe, expect, it } from 'vitest';
import { inputQuery } from '../../src/messages/activities.js';
import type { BusinessOnboardingOutcome, MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import { BUSINESS, MERCHANT } from '../../src/temporal/kinds/kinds.js';
import { existing, imported } from '../rigs/commands/existing.js';
import { OWNER } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';

const rig = await sharedRig();
const there = existing(rig);

/** Follows a merchant of the partner. */
async function followMerchant(change: Record<string, unknown> = {}) {
  const { merchantProfileId, dba } = await there.merchant(change);
  const input = imported({ follow: true, merchantProfileId, merchant: { dba }, dueInHours: 48 } as const);
  const { client, taskQueue } = rig;
  const { workflowId } = await MERCHANT.start(client, input, { fourEyes: [], taskQueue });
  const writes = async () => (await rig.sandbox.ledger({ id: `${merchantProfileId}` })).slice(1);
  return {
    merchantProfileId,
    onboarding: new Onboarding<MerchantBoardingOutcome>(client, workflowId),
    /** Names of the writes since the merchant was created. */
    writes: async () => (await writes()).map(({ operation }) => operation),
  };
}

describe.concurrent('a followed merchant that nobody has submitted', () => {
  it('is not submitted: a person is asked', async () => {
    const { merchantProfileId, onboarding, writes } = await followMerchant();
    const requirement = await onboarding.requirement('not-submitted');
    expect(requirement).toMatchObject({
      title: 'Not submitted to underwriting',
      detail: expect.stringContaining(`Merchant ${merchantProfileId}`),
      answers: ['correction', 'retry', 'abandon'],
    });
    expect(await onboarding.state()).toMatchObject({ stage: 'applying', partnerStatus: 'Not Submitted' });
    await onboarding.asleepAfter(3);
    expect(await writes()).toEqual([]);
    await onboarding.resolve(requirement.id, { kind: 'abandon' });
    expect(await onboarding.outcome()).toEqual({
      outcome: 'abandoned',
      comment: 'because',
      merchantProfileId,
    });
    expect(await writes()).toEqual([]);
  });

  it('is submitted as the partner has it when a person answers retry, once', async () => {
    const { merchantProfileId, onboarding, writes } = await followMerchant();
    const { id } = await onboarding.requirement('not-submitted');
    await onboarding.resolve(id, { kind: 'retry' });
    await onboarding.until(({ stage }) => stage === 'underwriting');
    expect(await writes()).toEqual(['submit-merchant']);
    expect(await rig.sandbox.merchant(merchantProfileId)).toMatchObject({ application: {} });
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    expect(await onboarding.outcome()).toEqual({ outcome: 'boarded', mid: '4711', merchantProfileId });
  });

  // Catches a submission of a merchant that was shown as not submitted and is pending now, as if nobody had submitted it.
  it('is not submitted once more when somebody has just done it in the portal', async () => {
    const { merchantProfileId, onboarding, writes } = await followMerchant();
    const { id } = await onboarding.requirement('not-submitted');
    await rig.sandbox.transition(merchantProfileId, { status: 'Pending' });
    await onboarding.resolve(id, { kind: 'retry' });
    const { timeline } = await onboarding.until(({ stage }) => stage === 'underwriting');
    expect(timeline).toContainEqual(
      expect.objectContaining({ event: 'submitted', detail: 'by somebody else' }),
    );
    expect(await writes()).toEqual([]);
  });
});

// Catches a correction that counts as delivered, although somebody else has submitted the application as it was.
it('a correction that the partner rejects is not delivered by the submission of somebody else', async () => {
  const { merchantProfileId, onboarding, writes } = await followMerchant();
  const { id } = await onboarding.requirement('not-submitted');
  const meanwhile = { status: 'Pending' };
  await rig.sandbox.plan('400', 'submit-merchant', { about: `${merchantProfileId}`, meanwhile });
  const patch = { application: { salesAndBusinessProfile: { annualVolume: 7 } } };
  await onboarding.resolve(id, { kind: 'correction', patch });
  const { timeline } = await onboarding.until(({ timeline: all }) =>
    all.some(({ event }) => event === 'answer-dropped'),
  );
  const lines = timeline.map(({ event, detail }) => `${event}: ${detail}`);
  expect(lines).toContain('submitted: by somebody else');
  expect(lines).toContain(`answer-dropped: ${id}: somebody else has submitted it`);
  await eventually(
    async () => JSON.stringify(await onboarding.handle.query(inputQuery)),
    (input) => !input.includes('annualVolume'),
    'the input without the correction',
  );
  expect(await writes()).toEqual([]);
  await onboarding.handle.terminate();
});

describe.concurrent('an input that is to be followed', () => {
  it('and names a merchant that the partner does not have asks a person', async () => {
    const { client, taskQueue } = rig;
    const input = imported({
      follow: true,
      merchantProfileId: 999_999,
      merchant: { dba: 'x' },
      dueInHours: 48,
    } as const);
    const { workflowId } = await MERCHANT.start(client, input, { fourEyes: [], taskQueue });
    const onboarding = new Onboarding(client, workflowId);
    expect(await onboarding.requirement('rejected-input')).toMatchObject({
      title: 'Rejected: import merchant 999999',
      answers: ['retry', 'abandon'],
    });
    await onboarding.handle.terminate();
  });
});

/** Follows a profile of the bank; what is compared may differ. */
async function followProfile(change: Record<string, unknown> = {}, compared: object = {}) {
  const { profileId, holder } = await there.profile(change);
  const { doingBusinessAsName, legalBusinessName, employerIdentificationNumber } = holder;
  const identity = { doingBusinessAsName, legalBusinessName, employerIdentificationNumber, ...compared };
  const input = imported({ follow: true, profileId, holder: identity, dueInHours: 48 } as const);
  const { client, taskQueue } = rig;
  const { workflowId } = await BUSINESS.start(client, input, { fourEyes: [], taskQueue });
  const writes = async () => (await rig.sandbox.ledger({ id: `${profileId}` })).slice(1);
  return {
    profileId,
    holder,
    onboarding: new Onboarding<BusinessOnboardingOutcome>(client, workflowId),
    writes: async () => (await writes()).map(({ operation }) => operation),
  };
}

describe.concurrent('a followed business', () => {
  it('whose profile reads as new is not submitted: a person sends the complete holder', async () => {
    const { profileId, holder, onboarding, writes } = await followProfile({ bankingStatus: 'New' });
    const { id, answers } = await onboarding.requirement('not-submitted');
    expect(answers).toEqual(['correction', 'abandon']);
    await onboarding.asleepAfter(3);
    expect(await writes()).toEqual([]);
    await onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone: '5185550199' } } });
    const incomplete = await onboarding.requirement('rejected-input');
    expect(incomplete.detail).toContain('holder.givenName: is required');
    expect(await writes()).toEqual([]);
    const patch = { holder: { ...holder, phone: '5185550199' }, beneficialOwners: [OWNER] };
    await onboarding.resolve(incomplete.id, { kind: 'correction', patch });
    await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    expect(await writes()).toEqual(['update-business-account-holder']);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await writes()).toEqual(['update-business-account-holder']);
  });

  it('whose holder a person left incomplete is not asked about once somebody submitted it at the bank', async () => {
    const { profileId, onboarding, writes } = await followProfile({ bankingStatus: 'New' });
    const { id } = await onboarding.requirement('not-submitted');
    await onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone: '5185550199' } } });
    await onboarding.requirement('rejected-input');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Submitted' });
    await onboarding.until(({ requirements }) => requirements.length === 0, 'no question');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await writes()).toEqual([]);
  });

  it('follows the status of the profile that a person confirms instead', async () => {
    const { profileId } = await there.profile({ bankingStatus: 'PendingUW' });
    const ein = { employerIdentificationNumber: '987654321' };
    const { onboarding } = await followProfile({ bankingStatus: 'Approved' }, ein);
    const { id } = await onboarding.requirement('uncertain-write');
    await onboarding.resolve(id, { kind: 'confirm', id: `${profileId}` });
    const [again] = await onboarding.asksAgain(id);
    await onboarding.resolve(again?.id ?? '', { kind: 'confirm', id: `${profileId}` });
    const state = await onboarding.until(({ partnerStatus }) => partnerStatus !== null, 'a status');
    expect(state).toMatchObject({ profileId, partnerStatus: 'PendingUW', stage: 'underwriting' });
    await onboarding.handle.terminate();
  });
});

import { describe, expect, it } from 'vitest';
import { business, holder } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

describe.concurrent('a submission that the bank finds wanting', () => {
  it('(correction) asks for what is wrong by its place in the input, and replaces the holder', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    const requirement = await onboarding.requirement('rejected-input');
    expect(requirement.detail).toBe('holder.website: cannot be reached');
    expect(requirement.answers).toEqual(['correction', 'retry', 'abandon']);
    const { profileId = 0, stage } = await onboarding.state();
    expect(stage).toBe('applying');
    const patch = { holder: { website: 'https://bakery.example' } };
    await onboarding.resolve(requirement.id, { kind: 'correction', patch });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await bankOf(rig).writesTo(profileId)).toEqual([
      'submit-business-account-holder',
      'update-business-account-holder',
    ]);
  });

  it('asks again when the correction is wrong as well', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    const first = await onboarding.requirement('rejected-input');
    const phone = { holder: { phone: '5185550199' } };
    await onboarding.resolve(first.id, { kind: 'correction', patch: phone });
    const requirements = await onboarding.asksAgain(first.id);
    expect(requirements.map(({ detail }) => detail)).toEqual(['holder.website: cannot be reached']);
    const website = { holder: { website: 'https://bakery.example' } };
    await onboarding.resolve(requirements[0]?.id ?? '', { kind: 'correction', patch: website });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });

  it('costs no call when our own rules find it', async () => {
    const own = business(undefined, { holder: holder(undefined, { phone: '555', state: 99 }) });
    const onboarding = await rig.onboardBusiness(own);
    const { id, detail } = await onboarding.requirement('rejected-input');
    expect(detail.split('\n')).toEqual([
      'holder.phone: must be 10 digits',
      'holder.state: must be at most 53',
    ]);
    await onboarding.resolve(id, { kind: 'abandon' });
    expect(await onboarding.outcome()).toEqual({ outcome: 'abandoned', comment: 'because' });
    expect(await bankOf(rig).submissions(own.holder)).toEqual([]);
  });
});

describe.concurrent('a social security number', () => {
  const GOOD_SSN = '123456789';

  it.each([
    ['219099999', 'that cannot be verified: the holder is replaced', 'holder.ssn: cannot be verified', 1],
    ['078051120', 'that is refused: it is submitted again', 'holder.ssn: the applicant cannot be served', 0],
    [
      '457555462',
      'that leads nowhere (404): it is submitted again',
      'Something that the submission refers to is missing',
      0,
    ],
  ])('(%s) %s', async (ssn, _, detail, updates) => {
    const bank = bankOf(rig);
    const input = business(undefined, { holder: holder(undefined, { ssn }) });
    const onboarding = await rig.onboardBusiness(input);
    const requirement = await onboarding.requirement('rejected-input');
    expect(requirement.detail).toBe(detail);
    expect(await bank.submissions(input.holder)).toHaveLength(updates);
    await onboarding.resolve(requirement.id, { kind: 'correction', patch: { holder: { ssn: GOOD_SSN } } });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { profileId = 0 } = await onboarding.state();
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
    const writes = await bank.writesTo(profileId);
    expect(writes.filter((write) => write === 'update-business-account-holder')).toHaveLength(updates);
  });
});

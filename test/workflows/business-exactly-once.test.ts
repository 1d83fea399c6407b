import { describe, expect, it } from 'vitest';
import { business, holder } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

const OPEN_ACCOUNT = 'submit-business-customer';

/** A business that was approved just now, and what identifies its own opening of an account. */
async function approved<Prepared>(prepare: (about: string) => Promise<Prepared>) {
  const onboarding = await rig.onboardBusiness(business('waiting', { openFinancialAccount: true }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  const prepared = await prepare(`"profileId":${profileId}`);
  await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
  return { onboarding, profileId, prepared };
}

const opening = (fault: string) => approved((about) => rig.sandbox.plan(fault, OPEN_ACCOUNT, { about }));

describe.concurrent('a financial account whose opening is unknown', () => {
  it('is found in the profile when the second call is refused because the account exists by then', async () => {
    const { client } = bankOf(rig);
    const { onboarding, profileId } = await opening('drop-before-commit');
    const { id } = await onboarding.requirement('uncertain-write');
    const second = await rig.sandbox.hold(OPEN_ACCOUNT, `"profileId":${profileId}`);
    await onboarding.resolve(id, { kind: 'retry' });
    await second.underWay();
    // As many as a profile may have.
    for (let account = 1; account <= 5; account += 1) await client.submitBusinessCustomer({ profileId });
    await second.letGo();
    expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
  });

  it('is confirmed by the id that a person gives, and only when given again if the bank does not show it', async () => {
    const { onboarding } = await opening('drop-before-commit');
    const { id } = await onboarding.requirement('uncertain-write');
    await onboarding.resolve(id, { kind: 'confirm', id: 'fa-by-hand' });
    const [again] = await onboarding.asksAgain(id);
    expect(again?.detail).toContain('fa-by-hand cannot be confirmed: the bank shows no financial account');
    await onboarding.resolve(again?.id ?? '', { kind: 'confirm', id: 'fa-by-hand' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'onboarded',
      financialAccountId: 'fa-by-hand',
    });
  });
});

const SUBMIT = 'submit-business-account-holder';

/** Plans a fault for the next submission under this name. */
const plan = (fault: string, { doingBusinessAsName: about }: ReturnType<typeof holder>) =>
  rig.sandbox.plan(fault, SUBMIT, { about });

describe.concurrent('a submission whose response was lost', () => {
  it('is found by the name of the business, and nobody is asked', async () => {
    const bank = bankOf(rig);
    const input = business();
    await plan('drop-after-commit', input.holder);
    const onboarding = await rig.onboardBusiness(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { profileId } = await onboarding.state();
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
    const events = await onboarding.events();
    expect(events.slice(0, 4)).toEqual(['started', 'write-uncertain', 'write-confirmed', 'profile-imported']);
    expect(events).not.toContain('requirement-raised');
  });

  it('is corrected when the lost response reported a problem', async () => {
    const bank = bankOf(rig);
    const input = business('correction');
    await plan('drop-after-commit', input.holder);
    const onboarding = await rig.onboardBusiness(input);
    const { id, detail } = await onboarding.requirement('rejected-input');
    expect(detail).toBe('holder.website: cannot be reached');
    const patch = { holder: { website: 'https://bakery.example' } };
    await onboarding.resolve(id, { kind: 'correction', patch });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.submissions(input.holder)).toHaveLength(1);
  });

  it('is not mistaken for a business of the same name that was there before', async () => {
    const bank = bankOf(rig);
    const input = business();
    const earlier = await bank.submit(input.holder);
    await plan('drop-after-commit', input.holder);
    const onboarding = await rig.onboardBusiness(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { profileId } = await onboarding.state();
    expect(await bank.submissions(input.holder)).toEqual([earlier, profileId]);
    expect(await onboarding.events()).not.toContain('requirement-raised');
  });
});

describe.concurrent('a submission of which nothing is to be seen', () => {
  it('does not confirm one that bears the name since it was corrected', async () => {
    const bank = bankOf(rig);
    const other = holder();
    const earlier = await bank.submit(other);
    const input = business(undefined, { holder: holder(undefined, { ssn: '078051120' }) });
    const onboarding = await rig.onboardBusiness(input);
    const refused = await onboarding.requirement('rejected-input');
    await plan('drop-before-commit', other);
    const { doingBusinessAsName, ssn } = other;
    const patch = { holder: { doingBusinessAsName, ssn } };
    await onboarding.resolve(refused.id, { kind: 'correction', patch });
    const { id } = await onboarding.requirement('uncertain-write');
    expect(await bank.submissions(other)).toEqual([earlier]);
    await onboarding.resolve(id, { kind: 'retry' });
    await onboarding.outcome();
    const { profileId } = await onboarding.state();
    expect(await bank.submissions(other)).toEqual([earlier, profileId]);
  });

  it('does not choose between two new ones like it: a person does', async () => {
    const bank = bankOf(rig);
    const input = business('waiting');
    const { doingBusinessAsName: name } = input.holder;
    const held = await rig.sandbox.hold(SUBMIT, name, 'drop-after-delay');
    const onboarding = await rig.onboardBusiness(input);
    await held.underWay();
    const [one, other] = [await bank.submit(input.holder), await bank.submit(input.holder)];
    await held.letGo();
    const { id, detail } = await onboarding.requirement('uncertain-write');
    for (const profileId of [one, other])
      expect(detail).toContain(`The bank has banking profile ${profileId} of “${name}” (Submitted).\n`);
    await onboarding.resolve(id, { kind: 'confirm', id: `${other}` });
    await onboarding.until(({ profileId }) => profileId === other, 'the profile that the person chose');
    await onboarding.handle.terminate();
  });
});

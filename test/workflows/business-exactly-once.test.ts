import { describe, expect, it } from 'vitest';
import { business } from '../rigs/inputs.js';
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

  it('is adopted by the id that a person gives, and only when given again if the bank does not show it', async () => {
    const { onboarding } = await opening('drop-before-commit');
    const { id } = await onboarding.requirement('uncertain-write');
    await onboarding.resolve(id, { kind: 'adopt', id: 'fa-by-hand' });
    const [again] = await onboarding.asksAgain(id);
    expect(again?.detail).toContain('fa-by-hand cannot be adopted: the bank shows no financial account');
    await onboarding.resolve(again?.id ?? '', { kind: 'adopt', id: 'fa-by-hand' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'onboarded',
      financialAccountId: 'fa-by-hand',
    });
  });
});

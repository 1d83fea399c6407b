import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { business, holder } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ accounts: ['acme'] });
});
afterAll(() => rig.close());

const SUBMIT = 'submit-business-account-holder';

let merchants = 500_000;

/** A profile that the bank ties to a merchant, and its business as an input. */
async function tied(scenario = 'waiting') {
  merchants += 1;
  const merchantProfileId = merchants;
  const own = holder(scenario);
  const profileId = await bankOf(rig).submit(own);
  await rig.sandbox.transitionProfile(profileId, { merchantProfileId });
  const input = (more: object = {}) =>
    business(undefined, { holder: { ...own, ...more }, merchantProfileId });
  return { merchantProfileId, profileId, input };
}

describe.concurrent('of two businesses of one dba, the first, whose submission is lost on its way,', () => {
  it.each([
    [
      'does not take the profile of the second, which has another legal name and EIN',
      { legalBusinessName: 'Second LLC', employerIdentificationNumber: '987654321' },
      ['has it', 'its EIN differs', 'its legal name differs'],
    ],
    ['does not take the profile of the second, which is of the same company', {}, ['has it']],
  ])('%s', async (_, more, against) => {
    const bank = bankOf(rig);
    const one = business('waiting');
    const mark = `first-${one.externalId}`;
    const first = { ...one, holder: { ...one.holder, givenName: mark } };
    const second = business('waiting', { holder: { ...one.holder, ...more } });
    const held = await rig.sandbox.hold(SUBMIT, mark, 'drop-after-delay');
    const losing = await rig.onboardBusiness(first);
    await held.underWay();
    const other = await rig.onboardBusiness(second);
    const { profileId: theirs = 0 } = await other.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    await held.letGo();
    const { id, detail } = await losing.requirement('uncertain-write');
    const name = one.holder.doingBusinessAsName;
    const reasons = against.map((reason) => (reason === 'has it' ? `${other.workflowId} has it` : reason));
    expect(detail).toContain(
      `The bank has banking profile ${theirs} of “${name}” (Submitted): ${reasons.join(', ')}.`,
    );
    expect(await bank.submissions(one.holder)).toEqual([theirs]);
    await losing.resolve(id, { kind: 'retry' });
    const { profileId: ours = 0 } = await losing.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    expect(await bank.submissions(one.holder)).toEqual([theirs, ours]);
    for (const profileId of [theirs, ours])
      await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await losing.outcome()).toMatchObject({ outcome: 'onboarded', profileId: ours });
    expect(await other.outcome()).toMatchObject({ outcome: 'onboarded', profileId: theirs });
  });
});

describe.concurrent('the profile of a merchant that another onboarding has', () => {
  it.each([
    ['runs', 'Submitted'],
    ['has finished', 'Approved'],
  ])('and that %s is not imported silently: a person may submit a new one', async (_, bankingStatus) => {
    const bank = bankOf(rig);
    const { profileId, input: of } = await tied();
    const owner = await rig.onboardBusiness(of());
    await owner.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    if (bankingStatus === 'Approved') {
      await rig.sandbox.transitionProfile(profileId, { bankingStatus });
      await owner.outcome();
    }
    const input = of();
    const onboarding = await rig.onboardBusiness(input);
    const { id, title, detail } = await onboarding.requirement('uncertain-write');
    expect(title).toBe('Whose banking profile? submit the business account holder');
    expect(detail).toContain(`(${bankingStatus}): ${owner.workflowId} has it.`);
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
    await onboarding.resolve(id, { kind: 'retry' });
    const { profileId: own = 0 } = await onboarding.until(
      ({ partnerStatus }) => partnerStatus === 'Submitted',
    );
    expect(await bank.submissions(input.holder)).toEqual([profileId, own]);
    await rig.sandbox.transitionProfile(own, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId: own });
  });

  it('is imported at once where that onboarding is of another account at the bank', async () => {
    const { profileId, input: of } = await tied();
    const owner = await rig.onboardBusiness(of());
    await owner.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const input = { ...of(), account: 'acme' };
    const onboarding = await rig.onboardBusiness(input);
    await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await onboarding.events()).not.toContain('requirement-raised');
  });
});

describe.concurrent('the profile of a merchant', () => {
  it.each([
    ['differs', { employerIdentificationNumber: '987654321' }, []],
    ['is not shown', {}, ['merchantProfileId', 'employerIdentificationNumber']],
  ])('is not imported where its EIN %s', async (against, more, hides) => {
    const { profileId, input: of } = await tied();
    await rig.sandbox.transitionProfile(profileId, { hides });
    const onboarding = await rig.onboardBusiness(of(more));
    const { id, detail } = await onboarding.requirement('uncertain-write');
    expect(detail).toContain(`For the merchant, the bank has banking profile ${profileId} of “Bakery `);
    expect(detail).toContain(`(Submitted): its EIN ${against}.`);
    await onboarding.resolve(id, { kind: 'abandon' });
    expect(await onboarding.outcome()).toEqual({ outcome: 'abandoned', comment: 'because' });
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });
});

describe.concurrent('the profile of a merchant that the bank refuses to show by its id', () => {
  it('is asked about nevertheless, and no second one is submitted', async () => {
    const { profileId, input: of } = await tied();
    await rig.sandbox.transitionProfile(profileId, { hides: ['merchantProfileId', 'doingBusinessAsName'] });
    await rig.sandbox.plan('400', 'get-profile', { about: `/profile/${profileId}` });
    const input = of();
    const onboarding = await rig.onboardBusiness(input);
    const { detail } = await onboarding.requirement('uncertain-write');
    expect(detail).toContain(`For the merchant, the bank has banking profile ${profileId}`);
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
    await onboarding.handle.terminate();
  });
});

describe.concurrent('an id that a person imports', () => {
  async function uncertainty() {
    const input = business('waiting');
    const about = input.holder.doingBusinessAsName;
    await rig.sandbox.plan('drop-before-commit', SUBMIT, { about });
    const onboarding = await rig.onboardBusiness(input);
    const { id } = await onboarding.requirement('uncertain-write');
    return { onboarding, id, input };
  }

  it('needs no second confirmation where its tax number agrees and only its name differs', async () => {
    const { onboarding, id, input } = await uncertainty();
    const profileId = await bankOf(rig).submit({ ...input.holder, doingBusinessAsName: 'Stored Otherwise' });
    await onboarding.resolve(id, { kind: 'confirm', id: `${profileId}` });
    expect((await onboarding.until((state) => state.profileId !== undefined)).profileId).toBe(profileId);
    await onboarding.handle.terminate();
  });

  it('and that another onboarding has is asked for again with what it is, and imported when given once more', async () => {
    const owned = business('waiting');
    const owner = await rig.onboardBusiness(owned);
    const { profileId = 0 } = await owner.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const { onboarding, id } = await uncertainty();
    await onboarding.resolve(id, { kind: 'confirm', id: `${profileId}` });
    const [again] = await onboarding.asksAgain(id);
    expect(again?.detail).toContain(
      `${profileId} cannot be confirmed: banking profile ${profileId} of “${owned.holder.doingBusinessAsName}” ` +
        `(Submitted): ${owner.workflowId} has it, its dba differs. To use it anyway`,
    );
    await onboarding.resolve(again?.id ?? '', { kind: 'confirm', id: `${profileId}` });
    await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
  });
});

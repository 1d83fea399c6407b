import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { business } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { bankOf } from '../../rigs/workflows/bank.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const SUBMIT = 'submit-business-account-holder';
const OPEN_ACCOUNT = 'submit-business-customer';
const REPLY = 'create-ticket';

/** The write took effect, and its answer was lost on the way. */
const LOST_ANSWERS = ['drop-after-commit', '500-after-commit'];
/** The write did not take effect, but nobody can tell from outside. */
const LOST_CALLS = ['drop-before-commit', '500-before-commit'];

describe('a financial account whose opening is unknown', () => {
  const asking = () => business('account-on-request', { openFinancialAccount: true });

  it.each(LOST_ANSWERS)('(%s) is found in the profile, and nobody is asked', async (fault) => {
    const bank = bankOf(rig);
    await rig.sandbox.plan(fault, OPEN_ACCOUNT);
    const onboarding = await rig.onboardBusiness(asking());
    const { profileId, financialAccountId } = (await onboarding.outcome()) as never;
    expect(financialAccountId).toBe(`fa-${profileId}-1`);
    expect(await bank.writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
    expect(await onboarding.events()).not.toContain('requirement-raised');
  });

  it.each(LOST_CALLS)('(%s) is opened again when a person says so', async (fault) => {
    const bank = bankOf(rig);
    await rig.sandbox.plan(fault, OPEN_ACCOUNT);
    const onboarding = await rig.onboardBusiness(asking());
    const { id, idFormat } = await onboarding.requirement('uncertain-write');
    expect(idFormat).toBe('text');
    await onboarding.resolve(id, { kind: 'retry' });
    const { profileId, financialAccountId } = (await onboarding.outcome()) as never;
    expect(financialAccountId).toBe(`fa-${profileId}-1`);
    expect(await bank.writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });

  it('is found in the profile when the second call is refused, for there is one by now', async () => {
    const { client } = bankOf(rig);
    await rig.sandbox.plan('drop-before-commit', OPEN_ACCOUNT);
    const onboarding = await rig.onboardBusiness(asking());
    const { id } = await onboarding.requirement('uncertain-write');
    const { profileId = 0 } = await onboarding.state();
    // As many as a profile may have.
    for (let account = 1; account <= 5; account += 1) await client.submitBusinessCustomer({ profileId });
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
  });

  it('is asked for again, or given up, when the bank refuses it', async () => {
    const onboarding = await rig.onboardBusiness(business('waiting', { openFinancialAccount: true }));
    const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    // Approved when it is read, and no longer when the account is asked for.
    await rig.sandbox.plan('delay', OPEN_ACCOUNT, { milliseconds: 1_000 });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    await onboarding.until(({ stage }) => stage === 'opening', 'the opening');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'InReview' });
    const { id, detail, answers } = await onboarding.requirement('rejected-input');
    expect(detail).toBe('the profile is InReview');
    expect(answers).toEqual(['retry', 'abandon']);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });

  it('is adopted by the id that a person gives', async () => {
    await rig.sandbox.plan('drop-before-commit', OPEN_ACCOUNT);
    const onboarding = await rig.onboardBusiness(asking());
    const { id } = await onboarding.requirement('uncertain-write');
    await onboarding.resolve(id, { kind: 'adopt', id: 'fa-by-hand' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'onboarded',
      financialAccountId: 'fa-by-hand',
    });
  });
});

describe('a reply to a ticket whose delivery is unknown', () => {
  it.each(LOST_ANSWERS)('(%s) is found at the bank, and nobody is asked', async (fault) => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const { id } = await onboarding.requirement('ticket');
    await rig.sandbox.plan(fault, REPLY);
    await onboarding.resolve(id, { kind: 'text', text: 'Here.' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual(['Here.']);
  });

  it.each(LOST_CALLS)('(%s) is sent again when a person says so', async (fault) => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const ticket = await onboarding.requirement('ticket');
    await rig.sandbox.plan(fault, REPLY);
    await onboarding.resolve(ticket.id, { kind: 'text', text: 'Here.' });
    const { id } = await onboarding.requirement('uncertain-write');
    expect(await bank.repliesTo(ticket.id)).toEqual([]);
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(ticket.id)).toEqual(['Here.']);
  });
});

describe('a write that certainly did not happen', () => {
  it('is repeated by itself when the bank is down', async () => {
    const bank = bankOf(rig);
    const input = business();
    await rig.sandbox.plan('refuse', undefined, { milliseconds: 1_500 });
    const onboarding = await rig.onboardBusiness(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await onboarding.events()).not.toContain('requirement-raised');
    expect(await bank.submissions(input.holder)).toHaveLength(1);
  });

  it.each([
    [SUBMIT, 'submit the business account holder'],
    [OPEN_ACCOUNT, 'open the financial account'],
  ])('(%s) is repeated after Retry-After when there are too many calls', async (operation, title) => {
    await rig.sandbox.plan('429', operation, { milliseconds: 2_000 });
    const input = business('account-on-request', { openFinancialAccount: true });
    const begun = Date.now();
    const onboarding = await rig.onboardBusiness(input);
    const { profileId } = (await onboarding.outcome()) as never;
    expect(Date.now() - begun).toBeGreaterThanOrEqual(2_000);
    const { timeline } = await onboarding.state();
    const waits = timeline.filter(({ event }) => event === 'waiting-for-partner');
    expect(waits.map(({ detail }) => detail)).toEqual([`${title}: HTTP 429`]);
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });
});

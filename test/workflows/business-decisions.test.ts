import { describe, expect, it } from 'vitest';
import { business, OWNER } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** A business under review with two tickets, and what identifies its own writes. */
async function withTwoTickets() {
  const input = business('tickets', { beneficialOwners: [OWNER] });
  const onboarding = await rig.onboardBusiness(input);
  const { requirements, profileId = 0 } = await onboarding.until(
    (state) => state.requirements.length === 2,
    'two tickets',
  );
  const ids = requirements.map(({ id }) => id);
  const replies = ids.map((id) => id.replace('ticket-', 'reply to ticket '));
  return { onboarding, profileId, ids, replies, text: `It is ${input.externalId}.` };
}

describe.concurrent('the bank’s decision wins', () => {
  it('while a reply is in doubt', async () => {
    const { onboarding, profileId, ids, replies, text } = await withTwoTickets();
    await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: text });
    await onboarding.resolve(ids[0] ?? '', { kind: 'text', text });
    await onboarding.requirement('uncertain-write');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    expect(await onboarding.outcome()).toEqual({
      ...{ outcome: 'declined', profileId, financialAccountId: null, bankingStatus: 'Denied' },
      unfinished: [{ write: replies[0], became: 'unknown' }],
    });
    const { stage, requirements, timeline } = await onboarding.state();
    expect([stage, requirements]).toEqual(['declined', []]);
    expect((await onboarding.handle.describe()).status.name).toBe('COMPLETED');
    const dropped = timeline.find(({ event }) => event === 'answer-dropped');
    expect(dropped?.detail).toBe(
      `${ids[0]}: the partner decided while it was in flight; whether it arrived is unknown`,
    );
  });

  it('and what was wrong with the submission is no longer asked once the bank goes on by itself', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    await onboarding.requirement('rejected-input');
    const { profileId = 0 } = await onboarding.state();
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'PendingUW' });
    await onboarding.until(({ stage, requirements }) => stage === 'underwriting' && !requirements[0]);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bankOf(rig).writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });
});

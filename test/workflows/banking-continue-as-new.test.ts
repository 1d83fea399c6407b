import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { business, customer, OWNER } from '../rigs/inputs.js';
import { asShown, type Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

// A server that suggests a new run after a few dozen events, where a real one waits for thousands.
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: 30 });
});
afterAll(() => rig.close());

/** Moves a business through statuses that mean nothing to us, until it goes on in another run. */
async function growOld(
  onboarding: Onboarding<unknown>,
  profileId: number,
  prefix = 'Look',
): Promise<string[]> {
  const { runId } = await onboarding.handle.describe();
  const statuses: string[] = [];
  while ((await onboarding.handle.describe()).runId === runId) {
    const status = `${prefix} ${statuses.length + 1}`;
    statuses.push(status);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: status });
    await onboarding.until(({ partnerStatus }) => partnerStatus === status, status);
    if (statuses.length > 30) throw new Error('it never goes on in another run');
  }
  return statuses;
}

const ticketsOf = (onboarding: Onboarding<unknown>) =>
  onboarding.until(({ requirements }) => requirements.length === 2, 'two tickets');

const withTickets = { beneficialOwners: [OWNER] };

describe.concurrent('a business whose history grows long', () => {
  it('goes on in new runs and loses nothing: state, open tickets, answers and timeline', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('tickets', withTickets));
    const { requirements, profileId = 0 } = await ticketsOf(onboarding);
    const [address, use] = requirements;
    await onboarding.resolve(use?.id ?? '', { kind: 'text', text: 'Payroll.' });
    await onboarding.until(({ timeline }) => timeline.at(-1)?.event === 'ticket-answered', 'the reply');
    const before = await onboarding.state();
    const statuses = [
      ...(await growOld(onboarding, profileId)),
      ...(await growOld(onboarding, profileId, 'Still')),
    ];

    const between = await onboarding.state();
    expect(between).toMatchObject({ stage: 'underwriting', profileId, requirements: [address] });
    expect(between.timeline.slice(0, before.timeline.length)).toEqual(before.timeline);
    const later = between.timeline.slice(before.timeline.length);
    expect(later.map(({ event, detail }) => `${event}: ${detail}`)).toEqual(
      statuses.map((status) => `status-changed: ${status}`),
    );

    await onboarding.resolve(address?.id ?? '', { kind: 'text', text: 'It is the right one.' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await bank.repliesTo(use?.id ?? '')).toEqual(['Payroll.']);
    expect(await bank.repliesTo(address?.id ?? '')).toEqual(['It is the right one.']);
    expect(await bank.writesTo(profileId)).toEqual(['submit-business-account-holder']);
  });

  it('does not take the social security numbers along, unless a correction has them, and asks for them when it needs them', async () => {
    const onboarding = await rig.onboardBusiness(business('ticket', withTickets));
    const { id } = await onboarding.requirement('ticket');
    const { profileId = 0 } = await onboarding.state();
    const phone = '5185550199';
    const patch = { holder: { phone, ssn: '123456789' }, beneficialOwners: [OWNER] };
    const { proposedAt } = await onboarding.propose(id, { kind: 'correction', patch });
    await growOld(onboarding, profileId);
    const { events } = await onboarding.handle.fetchHistory();
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
    const without = onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone } } });
    await expect(without).rejects.toMatchObject({
      cause: {
        message: 'answer.patch.holder.ssn: is required\nanswer.patch.beneficialOwners.0.ssn: is required',
      },
    });
    await onboarding.confirm(id, proposedAt);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await rig.sandbox.profile(profileId)).toMatchObject({
      businessAccountHolder: { phone: '5185550199' },
    });
  });
});

describe.concurrent('the business of a customer whose history grows long', () => {
  it('still reports everything to the customer once, and accepts its answers', async () => {
    const bank = bankOf(rig);
    const input = customer({ boarding: 'waiting', business: 'tickets' });
    const onboarding = await rig.onboard({ ...input, business: { ...input.business, ...withTickets } });
    const { requirements, profileId = 0, merchantProfileId = 0 } = await ticketsOf(onboarding);
    const [address, use] = requirements;
    const { business: child } = onboarding.parts;
    await onboarding.resolve(use?.id ?? '', { kind: 'text', text: 'Payroll.' });
    await child.until(({ timeline }) => timeline.at(-1)?.event === 'ticket-answered', 'the reply');
    const statuses = [...(await growOld(child, profileId)), ...(await growOld(child, profileId, 'Still'))];

    const own = await child.state();
    const { business: reported } = await onboarding.until(
      ({ business }) => business?.partnerStatus === own.partnerStatus,
      'what the business reports',
    );
    expect(reported).toEqual(asShown(own));
    const seen = own.timeline.filter(({ event }) => event === 'status-changed').map(({ detail }) => detail);
    expect(seen).toEqual(['PendingUW', ...statuses]);

    expect((await onboarding.state()).requirements).toEqual([address]);
    await onboarding.resolve(address?.id ?? '', { kind: 'text', text: 'It is the right one.' });
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4721' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect((await onboarding.state()).business).toEqual(asShown(await child.state()));
    for (const { id } of requirements) expect(await bank.repliesTo(id)).toHaveLength(1);
    const { timeline } = await child.state();
    const times = (name: string) => timeline.filter(({ event }) => event === name).length;
    expect([times('started'), times('holder-submitted'), times('ended')]).toEqual([1, 1, 1]);
  });
});

import { describe, expect, it } from 'vitest';
import { business, OWNER } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

async function withTwoTickets() {
  const onboarding = await rig.onboardBusiness(business('tickets', { beneficialOwners: [OWNER] }));
  const { requirements, profileId = 0 } = await onboarding.until(
    (state) => state.requirements.length === 2,
    'two tickets',
  );
  return { onboarding, requirements, profileId };
}

describe.concurrent('a ticket', () => {
  it('is a requirement with the question of the bank, and a text answers it', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const requirement = await onboarding.requirement('ticket');
    expect(requirement).toMatchObject({
      id: expect.stringMatching(/^ticket-\d+$/),
      title: 'Ticket about Phone',
      detail:
        'The phone number is not in service. Please correct it.\nThe partner asks about the field Phone.',
      answers: ['text', 'correction', 'abandon'],
    });
    await onboarding.resolve(requirement.id, { kind: 'text', text: 'It is in service again.' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(requirement.id)).toEqual(['It is in service again.']);
    expect(await onboarding.events()).toEqual(
      expect.arrayContaining(['requirement-raised', 'requirement-resolved', 'ticket-answered']),
    );
  });

  it('is answered by a correction of what it asks about', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const { id } = await onboarding.requirement('ticket');
    await onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone: '5185550199' } } });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { profileId = 0 } = await onboarding.state();
    expect(await bank.writesTo(profileId)).toEqual([
      'submit-business-account-holder',
      'update-business-account-holder',
    ]);
    expect(await bank.repliesTo(id)).toEqual([]);
    expect(await rig.sandbox.profile(profileId)).toMatchObject({
      businessAccountHolder: { phone: '5185550199' },
    });
  });

  it('stays unanswered when the bank refuses the correction without a reason: a person is asked', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const { id } = await onboarding.requirement('ticket');
    const { profileId = 0 } = await onboarding.state();
    const about = `${profileId}`;
    await rig.sandbox.plan('400-without-reason', 'update-business-account-holder', { about });
    await onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone: '5185550199' } } });
    const refused = await onboarding.requirement('rejected-input');
    expect(await onboarding.events()).not.toContain('holder-corrected');
    await onboarding.resolve(refused.id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.writesTo(profileId)).toEqual([
      'submit-business-account-holder',
      'update-business-account-holder',
    ]);
  });

  it('and another one are each answered by their own answer, in any order', async () => {
    const bank = bankOf(rig);
    const { onboarding, requirements, profileId } = await withTwoTickets();
    const [address, use] = requirements;
    expect(requirements.map(({ title }) => title)).toEqual([
      'Ticket about Owner1Address',
      'Ticket about Application',
    ]);
    await onboarding.resolve(use?.id ?? '', { kind: 'text', text: 'Payroll.' });
    await onboarding.until(({ timeline }) => timeline.at(-1)?.event === 'ticket-answered', 'the reply');
    expect(await bank.repliesTo(use?.id ?? '')).toEqual(['Payroll.']);
    expect((await onboarding.state()).requirements).toEqual([address]);
    const beneficialOwners = [{ ...OWNER, homeAddress: '3 Main Street' }];
    await onboarding.resolve(address?.id ?? '', { kind: 'correction', patch: { beneficialOwners } });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.writesTo(profileId)).toEqual([
      'submit-business-account-holder',
      'update-business-account-holder',
    ]);
  });

  it.each([{}, { openFinancialAccount: true }])(
    'closes itself when the bank decides without an answer (%o)',
    async (more) => {
      const onboarding = await rig.onboardBusiness(business('superseded-ticket', more));
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', bankingStatus: 'Approved' });
      const { timeline, requirements } = await onboarding.state();
      const raised = timeline.find(({ event }) => event === 'requirement-raised');
      const closed = timeline.find(({ event }) => event === 'requirement-closed');
      expect(closed?.detail).toBe(`${raised?.detail?.split(':')[0]}: the partner no longer asks`);
      expect(requirements).toEqual([]);
    },
  );
});

describe.concurrent('an answer that the bank does not take', () => {
  it('is asked for again, and what the bank decides meanwhile still counts', async () => {
    const { onboarding, requirements, profileId } = await withTwoTickets();
    const patch = { holder: { ssn: '219099999' } };
    await onboarding.resolve(requirements[0]?.id ?? '', { kind: 'correction', patch });
    const { detail } = await onboarding.requirement('rejected-input');
    expect(detail).toBe('holder.ssn: cannot be verified');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect((await onboarding.state()).requirements).toEqual([]);
  });

  it('is asked for again at once, although nothing at the bank has changed', async () => {
    const { onboarding, requirements } = await withTwoTickets();
    const { id = '', title } = requirements[0] ?? {};
    const text = `It is right (${id}).`;
    await rig.sandbox.plan('400', 'create-ticket', { about: text });
    await onboarding.resolve(id, { kind: 'text', text });
    const again = (all: typeof requirements) => all.find((requirement) => requirement.id === `${id}-2`);
    const question = await onboarding.until(
      (state) => again(state.requirements) !== undefined,
      'the ticket again',
    );
    expect(again(question.requirements)?.title).toContain(`${title}; the last answer was rejected: `);
    await onboarding.resolve(`${id}-2`, { kind: 'text', text });
    await onboarding.until(({ timeline }) => timeline.at(-1)?.event === 'ticket-answered', 'the reply');
    expect(await bankOf(rig).repliesTo(id)).toEqual([text]);
    await onboarding.handle.terminate();
  });
});

describe.concurrent('canceling while an answer is on its way to the bank', () => {
  it('finishes the reply, and reports what stays there', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const { id } = await onboarding.requirement('ticket');
    const text = 'Seen through.';
    const held = await rig.sandbox.hold('create-ticket', text);
    await onboarding.resolve(id, { kind: 'text', text });
    await held.underWay();
    await onboarding.handle.cancel();
    await held.letGo();
    await expect(onboarding.outcome()).rejects.toThrow();
    expect(await bank.repliesTo(id)).toEqual([text]);
    const { profileId, timeline } = await onboarding.state();
    expect(timeline.map(({ event }) => event)).toContain('ticket-answered');
    expect(timeline.at(-1)).toMatchObject({
      event: 'cancelled',
      detail:
        `banking profile ${profileId} stays at the partner, last seen as PendingUW; ` +
        `reply to ticket ${id.replace('ticket-', '')}: was in flight, and succeeded`,
    });
  });
});

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
      const onboarding = await rig.onboardBusiness(business('moot-ticket', more));
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', bankingStatus: 'Approved' });
      const { timeline, requirements } = await onboarding.state();
      const raised = timeline.find(({ event }) => event === 'requirement-raised');
      const closed = timeline.find(({ event }) => event === 'requirement-closed');
      expect(closed?.detail).toBe(`${raised?.detail?.split(':')[0]}: the partner no longer asks`);
      expect(requirements).toEqual([]);
    },
  );
});

describe.concurrent('a ticket that was answered', () => {
  const text = 'Payroll.';

  it('is asked again, and answered again, when the bank opens it again', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('reopened-ticket'));
    const { id, title, detail } = await onboarding.requirement('ticket');
    await onboarding.resolve(id, { kind: 'text', text });
    const requirements = await onboarding.asksAgain(id);
    expect(requirements).toMatchObject([{ id: `${id}-2`, title, detail }]);
    await onboarding.resolve(`${id}-2`, { kind: 'text', text });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual([text, text]);
  });

  it('counts only a new reply as evidence when its second reply is lost', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('reopened-ticket'));
    const { id } = await onboarding.requirement('ticket');
    const words = `${text} (${id})`;
    await onboarding.resolve(id, { kind: 'text', text: words });
    await onboarding.asksAgain(id);
    await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: words });
    await onboarding.resolve(`${id}-2`, { kind: 'text', text: words });
    const doubt = await onboarding.requirement('uncertain-write');
    expect(await bank.repliesTo(id)).toEqual([words]);
    await onboarding.resolve(doubt.id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual([words, words]);
  });
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
    const asked = await onboarding.until(
      (state) => again(state.requirements) !== undefined,
      'the ticket again',
    );
    expect(again(asked.requirements)?.title).toContain(`${title}; the last answer was rejected: `);
    await onboarding.resolve(`${id}-2`, { kind: 'text', text });
    await onboarding.until(({ timeline }) => timeline.at(-1)?.event === 'ticket-answered', 'the reply');
    expect(await bankOf(rig).repliesTo(id)).toEqual([text]);
    await onboarding.handle.terminate();
  });
});

describe.concurrent('the bank’s decision wins', () => {
  it('while a reply is in doubt', async () => {
    const { onboarding, profileId, requirements: asked } = await withTwoTickets();
    const [id = ''] = asked.map((requirement) => requirement.id);
    const text = `It is ${id}.`;
    await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: text });
    await onboarding.resolve(id, { kind: 'text', text });
    await onboarding.requirement('uncertain-write');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    expect(await onboarding.outcome()).toEqual({
      ...{ outcome: 'declined', profileId, financialAccountId: null, bankingStatus: 'Denied' },
      unfinished: [{ write: id.replace('ticket-', 'reply to ticket '), became: 'unknown' }],
    });
    const { stage, requirements, timeline } = await onboarding.state();
    expect([stage, requirements]).toEqual(['declined', []]);
    expect((await onboarding.handle.describe()).status.name).toBe('COMPLETED');
    const dropped = timeline.find(({ event }) => event === 'answer-dropped');
    expect(dropped?.detail).toBe(
      `${id}: the partner decided while it was in flight; whether it arrived is unknown`,
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

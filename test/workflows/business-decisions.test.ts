import { describe, expect, it } from 'vitest';
import { CANCELLED } from '../../src/partners/banking/responses.js';
import { business, OWNER } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

const DENIED = { bankingStatus: 'Denied' };

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

/** Both tickets have a text as answer, and the bank holds both replies. */
async function replyingTwice() {
  const { ids, text, ...rest } = await withTwoTickets();
  const held = await rig.sandbox.hold('create-ticket', text, 'delay', 2);
  for (const id of ids) await rest.onboarding.resolve(id, { kind: 'text', text });
  await held.underWay();
  return { ...rest, ids, text, held };
}

/** Waits until the cancellation of both writes is requested. */
const bothStopped = (onboarding: Onboarding<unknown>) =>
  eventually(
    async () => (await onboarding.written()).filter((name) => name.startsWith('activityTaskCancelRequested')),
    (requests) => requests.length >= 2,
    'both writes to be asked to end',
  );

const done = (writes: readonly string[]) => writes.map((write) => ({ write, outcome: 'done' })).sort(byName);
const byName = (one: { write: string }, other: { write: string }) => (one.write < other.write ? -1 : 1);

describe.concurrent('two writes in flight are seen through, and each is named,', () => {
  it('two replies, when the bank decides', async () => {
    const { onboarding, profileId, replies, held } = await replyingTwice();
    await rig.sandbox.transitionProfile(profileId, DENIED);
    await onboarding.until(({ partnerStatus }) => partnerStatus === 'Denied', 'the decision');
    // Writes that are just being made get some seconds to end by themselves.
    await bothStopped(onboarding);
    await held.letGo();
    const { unfinished = [], ...outcome } = await onboarding.outcome();
    expect(outcome).toMatchObject({ outcome: 'declined', profileId, bankingStatus: 'Denied' });
    expect([...unfinished].sort(byName)).toEqual(done(replies));
  });
});

describe.concurrent('the bank’s decision wins', () => {
  it.each([
    ['Denied', 'declined'],
    ['Closed', 'closed'],
    [CANCELLED, 'withdrawn'],
  ])('(%s) while a reply is in doubt', async (bankingStatus, name) => {
    const { onboarding, profileId, ids, replies, text } = await withTwoTickets();
    await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: text });
    await onboarding.resolve(ids[0] ?? '', { kind: 'text', text });
    await onboarding.requirement('uncertain-write');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus });
    expect(await onboarding.outcome()).toEqual({
      outcome: name,
      profileId,
      financialAccountId: null,
      bankingStatus,
      unfinished: [{ write: replies[0], outcome: 'uncertain' }],
    });
    const { stage, requirements, timeline } = await onboarding.state();
    expect([stage, requirements]).toEqual([name, []]);
    expect((await onboarding.handle.describe()).status.name).toBe('COMPLETED');
    const dropped = timeline.find(({ event }) => event === 'answer-dropped');
    expect(dropped?.detail).toBe(
      `${ids[0]}: the partner decided while it was in flight; whether it arrived is unknown`,
    );
  });

  it('while a person is asked what was wrong with the submission', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    await onboarding.requirement('rejected-input');
    const { profileId = 0 } = await onboarding.state();
    await rig.sandbox.transitionProfile(profileId, DENIED);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'declined', profileId });
    expect((await onboarding.state()).requirements).toEqual([]);
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

describe.concurrent('a locked profile', () => {
  it('is a requirement that closes by itself when the bank unlocks it', async () => {
    const onboarding = await rig.onboardBusiness(business('waiting'));
    const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    await rig.sandbox.transitionProfile(profileId, { isLocked: true });
    const { id, detail, answers } = await onboarding.requirement('locked-profile');
    expect(detail).toContain(`Banking profile ${profileId} is locked.`);
    expect(answers).toEqual(['abandon']);
    await rig.sandbox.transitionProfile(profileId, { isLocked: false });
    await onboarding.until(({ requirements }) => requirements.length === 0, 'the end of the lock');
    const { timeline } = await onboarding.state();
    expect(timeline.slice(-4).map(({ event, detail: said }) => [event, said])).toEqual([
      ['profile-locked', undefined],
      ['requirement-raised', `${id}: The partner locked the profile`],
      ['profile-unlocked', undefined],
      ['requirement-closed', `${id}: the partner unlocked the profile`],
    ]);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });
});

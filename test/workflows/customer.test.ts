import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/messages/requirements.js';
import { customer } from '../rigs/inputs.js';
import { asShown, type Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** Two notes and a ticket. */
const asked = () => customer({ boarding: 'notes', business: 'ticket' });

describe.concurrent('a customer', () => {
  it('is onboarded at both partners', async () => {
    const input = customer();
    const onboarding = await rig.onboard(input);
    const outcome = await onboarding.outcome();
    const { merchantProfileId = 0, profileId = 0, mid, ...state } = await onboarding.state();
    expect(outcome).toEqual({
      outcome: 'onboarded',
      boarding: { outcome: 'boarded', mid, merchantProfileId },
      business: { outcome: 'onboarded', profileId, financialAccountId: null, bankingStatus: 'Approved' },
    });
    expect(state).toMatchObject({
      stage: 'onboarded',
      outcome: 'onboarded',
      requirements: [],
      boarding: { stage: 'boarded', merchantProfileId, mid },
      business: { stage: 'onboarded', merchantProfileId, profileId },
    });
    const { boarding, business } = onboarding.parts;
    // Reads since the last report are not known to the customer, nor is the name of the last status.
    const atTheEnd = { polls: expect.any(Number), partnerStatus: null };
    expect(state.boarding).toEqual({ ...asShown(await boarding.state()), ...atTheEnd });
    expect(state.business).toEqual({
      ...asShown(await business.state()),
      ...{ ...atTheEnd, partnerStatus: 'Approved' },
    });
    const writes = await rig.sandbox.writes(input.externalId);
    expect(writes).toEqual(['create-merchant', 'submit-merchant']);
    expect(await bankOf(rig).submissions(input.business.holder)).toEqual([profileId]);
    const { businessAccountHolder } = await rig.sandbox.profile(profileId);
    expect(businessAccountHolder).toMatchObject({ merchantProfileId });
  });

  it('has its business onboarded as soon as its merchant exists, before there is a mid', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'waiting' }));
    const { merchantProfileId = 0, ...state } = await onboarding.until(
      ({ business }) => business?.stage === 'onboarded',
      'the business',
    );
    expect(state).toMatchObject({ stage: 'onboarding', boarding: { stage: 'underwriting' } });
    expect(state.mid).toBeUndefined();
    expect(state.business?.merchantProfileId).toBe(merchantProfileId);
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', boarding: { mid: '4711' } });

    const { timeline } = await onboarding.state();
    expect(timeline.map(({ event }) => event)).toEqual([
      'started',
      'business-ended',
      'boarding-ended',
      'ended',
    ]);
    const { boarding, business } = onboarding.parts;
    const at = async (part: Onboarding, name: string) =>
      Date.parse((await part.state()).timeline.find(({ event }) => event === name)?.at ?? '');
    expect(await at(business, 'started')).toBeGreaterThanOrEqual(await at(boarding, 'merchant-created'));
    const { events } = await onboarding.handle.fetchHistory();
    const children = (events ?? []).flatMap((event) => {
      const started = event.childWorkflowExecutionStartedEventAttributes;
      const completed = event.childWorkflowExecutionCompletedEventAttributes;
      if (started) return [`${started.workflowType?.name} started`];
      return completed ? [`${completed.workflowType?.name} completed`] : [];
    });
    expect(children).toEqual([
      'merchantBoarding started',
      'businessOnboarding started',
      'businessOnboarding completed',
      'merchantBoarding completed',
    ]);
  });
});

describe.concurrent('a report to a customer', () => {
  it('holds what changed, and not the requirements that are open', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'waiting', business: 'waiting' }));
    const { merchantProfileId = 0 } = await onboarding.until(
      ({ business }) => business?.partnerStatus === 'Submitted',
      'both',
    );
    const bytes: number[] = [];
    for (const open of [10, 100]) {
      const { requirements } = await onboarding.state();
      const notes = Array.from({ length: open - requirements.length }, () => `Explain ${randomUUID()}.`);
      await rig.sandbox.transition(merchantProfileId, { notes });
      await onboarding.until((state) => state.requirements.length === open, `${open} notes`);
      const status = `Looking at ${open}`;
      await rig.sandbox.transition(merchantProfileId, { status });
      await onboarding.until(({ boarding }) => boarding?.partnerStatus === status, status);
      const { events } = await onboarding.handle.fetchHistory();
      const last = events?.findLast((event) => event.workflowExecutionSignaledEventAttributes);
      const [payload] = last?.workflowExecutionSignaledEventAttributes?.input?.payloads ?? [];
      bytes.push(payload?.data?.length ?? Number.POSITIVE_INFINITY);
    }
    const [few = 0, many = 0] = bytes;
    expect(many).toBeLessThan(1_000);
    expect(Math.abs(many - few)).toBeLessThan(100);
    await onboarding.handle.terminate();
  });
});

describe.concurrent('a requirement of a customer', () => {
  it('is answered on the customer, and disappears there and where it came from', async () => {
    const onboarding = await rig.onboard(asked());
    const { requirements } = await onboarding.until(
      (state) => state.requirements.length === 3,
      'all of them',
    );
    const { boarding, business } = onboarding.parts;
    const ticket = requirements.find(({ kind }) => kind === 'ticket');
    const receipt = await onboarding.resolve(ticket?.id ?? '', { kind: 'text', text: 'Here.' });
    expect(receipt).toEqual({ requirementId: ticket?.id, acceptedAt: expect.any(String), open: 2 });
    expect((await business.state()).requirements).toEqual([]);
    await onboarding.until((state) => state.requirements.length === 2, 'the two notes');
    for (const { id, kind } of requirements) {
      if (kind !== 'ticket') await onboarding.resolve(id, { kind: 'text', text: 'Here.' });
    }
    expect((await boarding.state()).requirements).toEqual([]);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { timeline } = await business.state();
    expect(timeline.find(({ event }) => event === 'requirement-resolved')).toMatchObject({
      actor: 'olga',
      reason: 'because',
    });
  });

  it('is answered where it came from, and disappears on the customer', async () => {
    const onboarding = await rig.onboard(asked());
    const { requirements } = await onboarding.until(
      (state) => state.requirements.length === 3,
      'all of them',
    );
    const { boarding, business } = onboarding.parts;
    for (const { id, kind } of requirements) {
      await (kind === 'ticket' ? business : boarding).resolve(id, { kind: 'text', text: 'Here.' });
    }
    await onboarding.until((state) => state.requirements.length === 0, 'none');
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });
});

describe.concurrent('an answer that does not fit', () => {
  it('is rejected by the customer, and leaves no history', async () => {
    const onboarding = await rig.onboard(asked());
    const { id } = await onboarding.requirement('ticket');
    const ofTheMerchant: Answer = { kind: 'correction', patch: { merchant: {} } };
    const wrong: [string, Answer, string][] = [
      ['ticket-0', { kind: 'text', text: 'x' }, 'no requirement with this id is open'],
      [id, ofTheMerchant, 'answer.patch: takes one or more of holder, beneficialOwners, and no other field'],
    ];
    for (const [requirementId, answer, why] of wrong) {
      const error = await onboarding.resolve(requirementId, answer).catch((failed: unknown) => failed);
      expect(error, why).toBeInstanceOf(WorkflowUpdateFailedError);
      expect((error as WorkflowUpdateFailedError).cause?.message).toContain(why);
    }
    const { boarding, business } = onboarding.parts;
    for (const { handle } of [onboarding, boarding, business]) {
      const { events } = await handle.fetchHistory();
      const accepted = events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      expect(accepted).toEqual([]);
    }
    await onboarding.handle.terminate();
  });
});

import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { CustomerOnboardingInput } from '../../src/messages/inputs.js';
import { childReport } from '../../src/messages/onboardings.js';
import type { Answer } from '../../src/messages/requirements.js';
import { type BackedUp, restore, sortEntries } from '../../src/temporal/backup.js';
import { existing } from '../rigs/commands/existing.js';
import { customer } from '../rigs/inputs.js';
import { asShown, Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** Two notes and a ticket. */
const ask = () => customer({ boarding: 'notes', business: 'ticket' });

describe.concurrent('a customer', () => {
  it('is onboarded at both partners', async () => {
    const input = customer();
    const onboarding = await rig.onboard(input, { actor: 'Ada Park (ada-17)' });
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
    // Alone catches a part that nobody seems to have started.
    for (const each of [onboarding, boarding, business])
      expect((await each.state()).timeline[0]).toMatchObject({
        event: 'started',
        actor: 'Ada Park (ada-17)',
      });
    // The name of the last status is not known to the customer.
    const atTheEnd = { partnerStatus: null };
    expect(state.boarding).toEqual({ ...asShown(await boarding.state()), ...atTheEnd });
    expect(state.business).toEqual({
      ...asShown(await business.state()),
      ...atTheEnd,
      partnerStatus: 'Approved',
    });
    const writes = await rig.sandbox.writes(input.externalId);
    expect(writes).toEqual(['create-merchant', 'submit-merchant']);
    expect(await bankOf(rig).submissions(input.business.holder)).toEqual([profileId]);
    const { businessAccountHolder } = await rig.sandbox.profile(profileId);
    expect(businessAccountHolder).toMatchObject({ merchantProfileId });
  });

  it('passes an answer on although it is canceled meanwhile, and tells its person the truth', async () => {
    const onboarding = await rig.onboard(ask());
    const { requirements } = await onboarding.until((state) => state.requirements.length === 3, 'questions');
    const note = requirements.find(({ kind }) => kind === 'underwriting-note')?.id ?? '';
    const answering = onboarding.resolve(note, { kind: 'text', text: 'Yes.' });
    await onboarding.handle.cancel();
    const { answered, refused } = await answering.then(
      ({ requirementId }) => ({ answered: requirementId, refused: '' }),
      ({ cause }: WorkflowUpdateFailedError) => ({ answered: '', refused: cause?.message ?? '' }),
    );
    const { timeline } = await onboarding.parts.boarding.state();
    expect(timeline.some(({ event }) => event === 'requirement-resolved')).toBe(answered === note);
    if (answered !== note) expect(refused).toMatch(/no requirement with this ID is open|ended/);
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
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4722' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', boarding: { mid: '4722' } });

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

describe.concurrent('a report to a customer that is lost', () => {
  it('makes the customer ask for a whole one, each time', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'waiting', business: 'waiting' }));
    const { boarding } = onboarding.parts;
    await onboarding.until((state) => state.boarding?.partnerStatus === 'Pending', 'the merchant');
    const reports = async () => (await signals(onboarding, 'childReport')).length;
    const lost = { part: 'boarding', run: 'lost', runStartedAt: '2099-01-01T00:00:00Z', number: 7 } as const;
    for (const question of [1, 2]) {
      const before = await reports();
      const changes = { isWhole: false, facts: {}, raised: [], closed: [] };
      await onboarding.handle.signal(childReport, { ...lost, ...changes });
      await eventually(reports, (count) => count >= before + 2, 'a whole report');
      expect(await signals(boarding, 'reportAgain')).toHaveLength(question);
    }
    await onboarding.handle.terminate();
  });
});

/** The signals of this name that a workflow has got. */
async function signals({ handle }: Onboarding<unknown>, name: string) {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName === name,
  );
}

describe.concurrent('a requirement of a customer', () => {
  it('is answered on the customer, and disappears there and where it came from', async () => {
    const onboarding = await rig.onboard(ask());
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
    const onboarding = await rig.onboard(ask());
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
    const onboarding = await rig.onboard(ask());
    const { id } = await onboarding.requirement('ticket');
    const ofTheMerchant: Answer = { kind: 'correction', patch: { merchant: {} } };
    const wrong: [string, Answer, string][] = [
      ['ticket-0', { kind: 'text', text: 'x' }, 'no requirement with this ID is open'],
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

/** What someone boarded by itself before the customer came. */
const boardingOf = ({ externalId, boarding }: CustomerOnboardingInput) =>
  rig.board({ externalId, ...boarding });
const businessOf = ({ externalId, business }: CustomerOnboardingInput) =>
  rig.onboardBusiness({ externalId, ...business });

const creations = async (externalId: string) =>
  (await rig.sandbox.writes(externalId)).filter((write) => write === 'create-merchant');

describe.concurrent('a merchant that was boarded before by itself', () => {
  it('counts as the customer’s, and is not boarded twice', async () => {
    const input = customer();
    const boarded = await (await boardingOf(input)).outcome();
    const onboarding = await rig.onboard(input);
    const outcome = await onboarding.outcome();
    const { profileId = 0, merchantProfileId, timeline } = await onboarding.state();
    expect(outcome).toEqual({
      outcome: 'onboarded',
      boarding: boarded,
      business: { outcome: 'onboarded', profileId, financialAccountId: null, bankingStatus: 'Approved' },
    });
    expect(merchantProfileId).toBe(boarded.merchantProfileId);
    expect(timeline[1]).toMatchObject({
      event: 'boarding-attached',
      detail: `merchant-boarding-${input.externalId} exists already`,
    });
    expect(await creations(input.externalId)).toHaveLength(1);
    const { businessAccountHolder } = await rig.sandbox.profile(profileId);
    expect(businessAccountHolder).toMatchObject({ merchantProfileId });
  });

  it('and was canceled leaves its merchant to the business', async () => {
    const input = customer({ boarding: 'waiting' });
    const boarding = await boardingOf(input);
    const { merchantProfileId } = await boarding.until(
      ({ stage }) => stage === 'underwriting',
      'the merchant',
    );
    await boarding.handle.cancel();
    await expect(boarding.outcome()).rejects.toThrow();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'onboarded' },
    });
    expect((await onboarding.state()).business?.merchantProfileId).toBe(merchantProfileId);
    expect(await creations(input.externalId)).toHaveLength(1);
  });

  it('and failed does not fail the customer', async () => {
    const input = customer();
    const { client, taskQueue } = rig;
    const workflowId = `merchant-boarding-${input.externalId}`;
    const failing = await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [{}] });
    await expect(failing.result()).rejects.toThrow();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toEqual({
      outcome: 'abandoned',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'not-started' },
    });
  });

  // Catches a customer that waits without an end for the state of a workflow that has none.
  it('and was terminated before its first task leaves no merchant', async () => {
    const input = customer();
    const workflowId = `merchant-boarding-${input.externalId}`;
    const options = { workflowId, taskQueue: 'nobody-polls-it', args: [{}] };
    await (await rig.client.workflow.start('merchantBoarding', options)).terminate();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toEqual({
      outcome: 'abandoned',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'not-started' },
    });
    expect(await creations(input.externalId)).toEqual([]);
  });

  it('answers to whoever started it: it is not canceled with the customer', async () => {
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const boarding = await boardingOf(input);
    const onboarding = await rig.onboard(input);
    await onboarding.until(({ business }) => business?.partnerStatus === 'Submitted', 'the business');
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toThrow();
    expect((await boarding.handle.describe()).status.name).toBe('RUNNING');
    await boarding.handle.terminate();
  });
});

describe.concurrent('a business that was onboarded before by itself', () => {
  it('counts as the customer’s, and is not submitted twice', async () => {
    const input = customer();
    const business = await (await businessOf(input)).outcome();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded', business });
    expect(await bankOf(rig).submissions(input.business.holder)).toHaveLength(1);
  });

  it('is waited for when the merchant is declined, even where the customer says cancel-other', async () => {
    const input = customer({ boarding: 'waiting', business: 'waiting' }, { onDecline: 'cancel-other' });
    const business = await businessOf(input);
    const { profileId = 0 } = await business.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const onboarding = await rig.onboard(input);
    const { merchantProfileId = 0 } = await onboarding.until(
      ({ timeline }) => timeline.some(({ event }) => event === 'business-attached'),
      'the business',
    );
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    await onboarding.until(
      ({ timeline }) => timeline.some(({ event }) => event === 'boarding-ended'),
      'the end of the merchant',
    );
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'declined' },
      business: { outcome: 'onboarded', profileId },
    });
  });
});

describe.concurrent('starting a customer', () => {
  it('the same externalId twice attaches to the first, while it runs and when it has ended', async () => {
    const input = customer({ boarding: 'waiting' });
    const first = await rig.onboard(input);
    const second = await rig.onboard(input);
    const { runId } = await first.handle.describe();
    expect((await second.handle.describe()).runId).toBe(runId);
    const { merchantProfileId = 0 } = await first.until(
      ({ boarding }) => boarding?.partnerStatus === 'Pending',
    );
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4723' });
    const outcome = await first.outcome();
    const third = await rig.onboard(input);
    expect(await third.outcome()).toEqual(outcome);
    expect((await third.handle.describe()).runId).toBe(runId);
    expect(await creations(input.externalId)).toHaveLength(1);
    expect(await bankOf(rig).submissions(input.business.holder)).toHaveLength(1);
  });

  it('again boards the merchant again, and the business finds its profile', async () => {
    const input = customer();
    const first = await rig.onboard(input);
    await first.outcome();
    const { runId } = await first.handle.describe();
    const before = await first.state();
    const second = await rig.onboard(input, { again: true });
    expect(await second.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect((await second.handle.describe()).runId).not.toBe(runId);
    const after = await second.state();
    expect(after.merchantProfileId).not.toBe(before.merchantProfileId);
    expect(after.timeline.map(({ event }) => event)).not.toContain('boarding-attached');
    expect(await creations(input.externalId)).toHaveLength(2);
    // The bank ties a business to a merchant of the same name, so there is no need for a second one.
    expect(await second.parts.business.events()).toContain('profile-imported');
    expect(await bankOf(rig).submissions(input.business.holder)).toEqual([before.profileId]);
  });
});

describe.concurrent('a customer that is restored from a backup without its business', () => {
  /** A customer whose merchant and business have other names, so the bank finds no business by the merchant. */
  async function restoredCustomer() {
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const { merchantProfileId } = await existing(rig).merchant();
    const entry: BackedUp = {
      workflowId: `customer-onboarding-${input.externalId}`,
      type: 'customerOnboarding',
      status: 'running',
      startedAt: '2026-01-31T10:00:00.000Z',
      merchantProfileId,
      input,
    };
    const start = async () => {
      const { client, taskQueue } = rig;
      const options = { taskQueue, dbaForm: 'shown', backedUpAt: '2026-02-01T00:00:00.000Z' } as const;
      for (const each of sortEntries([entry])) await restore(client, each, options);
      return new Onboarding(client, `business-onboarding-${input.externalId}`);
    };
    return { holder: input.business.holder, start };
  }

  it('imports the profile that the bank has made since', async () => {
    const { holder, start } = await restoredCustomer();
    const profileId = await bankOf(rig).submit(holder);
    const business = await start();
    await business.until(({ partnerStatus }) => partnerStatus === 'Submitted', 'its status');
    expect((await business.state()).profileId).toBe(profileId);
    expect(await bankOf(rig).submissions(holder)).toEqual([profileId]);
  });

  it('asks a person before it submits one', async () => {
    const { holder, start } = await restoredCustomer();
    const business = await start();
    const { id, detail, answers } = await business.requirement('uncertain-write');
    expect(detail).toContain('restored from a backup of 2026-02-01T00:00:00.000Z, in which it was not done');
    expect(answers).toEqual(['confirm', 'retry', 'abandon']);
    expect(await bankOf(rig).submissions(holder)).toEqual([]);
    await business.resolve(id, { kind: 'retry' });
    const { profileId } = await business.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    expect(await bankOf(rig).submissions(holder)).toEqual([profileId]);
  });
});

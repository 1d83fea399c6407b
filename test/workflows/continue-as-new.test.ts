import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { business, customer, merchant, OWNER } from '../rigs/inputs.js';
import { asShown, Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

// A server that suggests a new run after a few dozen events, where a real one waits for thousands.
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: 30, accounts: ['acme'] });
});
afterAll(() => rig.close());

const twoNotes = (boarding: Onboarding<unknown>) =>
  boarding.until((state) => state.requirements.length === 2, 'two notes');

/** Changes that mean nothing to us make the history grow, until it goes on in another run. */
const growOld = (boarding: Onboarding<unknown>, merchantProfileId: number) =>
  boarding.changedUntilNextRun(async (change) => {
    const status = change % 2 === 1 ? 'UW Level 1: Pending' : 'Pending';
    await rig.sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
    const detail = `${status}: still looking ${change}`;
    await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
  });

describe.concurrent('a boarding whose history grows long', { timeout: 90_000 }, () => {
  it('goes on in new runs and loses nothing: state, open requirements, answers and timeline', async () => {
    const { sandbox } = rig;
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements, merchantProfileId = 0 } = await twoNotes(boarding);
    const [first, second] = requirements;
    await boarding.resolve(first?.id ?? '', { kind: 'text', text: 'The first answer.' });
    await growOld(boarding, merchantProfileId);
    await sandbox.transition(merchantProfileId, { status: 'Pending' });
    const between = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending', 'Pending');
    expect(between).toMatchObject({ stage: 'underwriting', merchantProfileId });
    expect(between.requirements).toEqual([second]);
    expect(between.timeline.map(({ event }) => event).slice(0, 2)).toEqual(['started', 'merchant-created']);

    await boarding.resolve(second?.id ?? '', { kind: 'text', text: 'The second answer.' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId });
    const { reviewComments } = await sandbox.merchant(merchantProfileId);
    expect(reviewComments).toEqual([
      'Please send a voided check for the deposit account.\nThe first answer.\n\n' +
        'What share of sales is keyed in by hand?\nThe second answer.',
    ]);
    const writes = await sandbox.writes(input.externalId);
    expect(writes).toEqual(['create-merchant', 'submit-merchant', 'request-underwriting-review']);
  });

  it('shows in each run at once what it showed before, and writes no history for that', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { merchantProfileId = 0, requirements } = await twoNotes(boarding);
    await growOld(boarding, merchantProfileId);
    const currentDetails = await boarding.currentDetails();
    expect(currentDetails).toContain(`**Merchant** ${merchantProfileId}`);
    for (const { id } of requirements) expect(currentDetails).toContain(id);
    // An outbound event of the run before may be on its way still.
    const written = (await boarding.written()).filter((name) => !name.startsWith('markerRecorded'));
    expect(written).toEqual([
      'activityTaskScheduledEventAttributes',
      // It waits for the answers until they are due.
      'timerStartedEventAttributes',
      'workflowExecutionStartedEventAttributes',
    ]);
    await boarding.handle.terminate();
  });

  it('stays in its account, even when only its id had named that', async () => {
    const { client, taskQueue } = rig;
    const input = merchant('notes');
    const workflowId = `merchant-boarding-${input.externalId}@acme`;
    const first = await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
    const boarding = new Onboarding<MerchantBoardingOutcome>(client, workflowId);
    const { merchantProfileId = 0 } = await twoNotes(boarding);
    await growOld(boarding, merchantProfileId);
    const { runId, typedSearchAttributes } = await boarding.handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount)).toBe('acme');
    for (const run of [first.firstExecutionRunId, runId]) {
      const queues = await eventually(
        () => queuesOf(client, workflowId, run),
        ({ size }) => size > 0,
        'an activity of the run',
      );
      expect(queues).toEqual(new Set([`${taskQueue}-boarding-acme`]));
    }
    await boarding.handle.terminate();
  });
});

/** Moves a business through statuses that mean nothing to us, until it goes on in another run. */
async function moveOn(
  onboarding: Onboarding<unknown>,
  profileId: number,
  prefix = 'Look',
): Promise<string[]> {
  const statuses: string[] = [];
  await onboarding.changedUntilNextRun(async (number) => {
    const status = `${prefix} ${number}`;
    statuses.push(status);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: status });
    await onboarding.until(({ partnerStatus }) => partnerStatus === status, status);
  });
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
      ...(await moveOn(onboarding, profileId)),
      ...(await moveOn(onboarding, profileId, 'Still')),
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

  it('does not take the social security numbers along, and asks for them when it needs them', async () => {
    const onboarding = await rig.onboardBusiness(business('ticket', withTickets));
    const { id } = await onboarding.requirement('ticket');
    const { profileId = 0 } = await onboarding.state();
    await moveOn(onboarding, profileId);
    const { events } = await onboarding.handle.fetchHistory();
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
    const phone = '5185550199';
    const without = onboarding.resolve(id, { kind: 'correction', patch: { holder: { phone } } });
    await expect(without).rejects.toMatchObject({
      cause: {
        message: 'answer.patch.holder.ssn: is required\nanswer.patch.beneficialOwners.0.ssn: is required',
      },
    });
    const patch = { holder: { phone, ssn: '123456789' }, beneficialOwners: [OWNER] };
    await onboarding.resolve(id, { kind: 'correction', patch });
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
    const statuses = [...(await moveOn(child, profileId)), ...(await moveOn(child, profileId, 'Still'))];

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
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect((await onboarding.state()).business).toEqual(asShown(await child.state()));
    for (const { id } of requirements) expect(await bank.repliesTo(id)).toHaveLength(1);
    const { timeline } = await child.state();
    const times = (name: string) => timeline.filter(({ event }) => event === name).length;
    expect([times('started'), times('holder-submitted'), times('ended')]).toEqual([1, 1, 1]);
  });
});

/** The task queues of the activities that a run has scheduled. */
async function queuesOf(client: Client, workflowId: string, runId: string) {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return new Set(
    (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? []),
  );
}

import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { merchant } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

// A server that suggests a new run after a few dozen events, where a real one waits for thousands.
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: 30, accounts: ['acme'] });
});
afterAll(() => rig.close());

const twoNotes = (boarding: Onboarding<unknown>) =>
  boarding.until((state) => state.requirements.length === 2, 'two notes');

/** Changes that mean nothing to us make the history grow, until it goes on in another run. */
async function growOld(boarding: Onboarding<unknown>, merchantProfileId: number): Promise<void> {
  const { runId } = await boarding.handle.describe();
  for (let change = 0; (await boarding.handle.describe()).runId === runId; change++) {
    expect(change).toBeLessThan(30);
    const status = change % 2 === 0 ? 'UW Level 1: Pending' : 'Pending';
    await rig.sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
    const detail = `${status}: still looking ${change}`;
    await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
  }
}

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

  // Catches a run that only people lengthen: Temporal takes 2,000 updates in one, and the next answer would be refused.
  it('continues as new when only people change it, and the partner still decides', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { merchantProfileId = 0, requirements } = await twoNotes(boarding);
    const [{ id = '' } = {}] = requirements;
    await boarding.changedUntilNextRun(async () => {
      await boarding.claim(id, 'olga');
      await boarding.claim(id, 'olga', { until: undefined as never });
    });
    expect((await boarding.state()).requirements.map((each) => each.id)).toEqual(
      requirements.map((each) => each.id),
    );
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
  });

  it('shows in each run at once what it showed before, and writes hardly any history for that', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { merchantProfileId = 0, requirements } = await twoNotes(boarding);
    await boarding.changedUntilNextRun(() => boarding.claim(requirements[0]?.id ?? '', 'olga'));
    const currentDetails = await boarding.currentDetails();
    expect(currentDetails).toContain(`**Merchant** ${merchantProfileId}`);
    for (const { id } of requirements) expect(currentDetails).toContain(id);
    expect(await boarding.written()).toEqual([
      'activityTaskScheduledEventAttributes',
      // It waits for the answers until they are due.
      'timerStartedEventAttributes',
      'workflowExecutionStartedEventAttributes',
      // The list shows who has claimed what.
      'workflowPropertiesModifiedEventAttributes',
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

/** The task queues of the activities that a run has scheduled. */
async function queuesOf(client: Client, workflowId: string, runId: string) {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return new Set(
    (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? []),
  );
}

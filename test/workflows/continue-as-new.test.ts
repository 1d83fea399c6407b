import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { merchant } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** On a server that suggests a new run after a few dozen events, where a real one waits for thousands. */
async function withImpatientServer(body: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = await createRig({ continueAfter: 30, accounts: ['acme'] });
  try {
    await body(rig);
  } finally {
    await rig.close();
  }
}

describe.concurrent('a boarding whose history grows long', { timeout: 90_000 }, () => {
  it('goes on in new runs and loses nothing: state, open requirements, answers and timeline', async () => {
    await withImpatientServer(async ({ sandbox, board }) => {
      const input = merchant('notes');
      const boarding = await board(input);
      const { runId } = await boarding.handle.describe();
      const { requirements, merchantProfileId = 0 } = await boarding.until(
        (state) => state.requirements.length === 2,
        'two notes',
      );
      const [first, second] = requirements;
      await boarding.resolve(first?.id ?? '', { kind: 'text', text: 'The first answer.' });

      // Changes that mean nothing to us make the history grow.
      for (let change = 0; change < 8; change++) {
        const status = change % 2 === 0 ? 'UW Level 1: Pending' : 'Pending';
        await sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
        const detail = `${status}: still looking ${change}`;
        await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
      }
      expect((await boarding.handle.describe()).runId).not.toBe(runId);
      const between = await boarding.state();
      expect(between).toMatchObject({ stage: 'underwriting', merchantProfileId, partnerStatus: 'Pending' });
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
  });

  it('shows in each run at once what it showed before, and writes no history for that', async () => {
    await withImpatientServer(async ({ sandbox, board }) => {
      const boarding = await board(merchant('notes'));
      const { runId: firstRun } = await boarding.handle.describe();
      const { merchantProfileId = 0, requirements } = await boarding.until(
        (state) => state.requirements.length === 2,
        'two notes',
      );
      const run = async () => (await boarding.handle.describe()).runId;
      for (let change = 0; (await run()) === firstRun; change++) {
        const status = change % 2 === 0 ? 'UW Level 1: Pending' : 'Pending';
        await sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
        const detail = `${status}: still looking ${change}`;
        await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
        expect(change).toBeLessThan(30);
      }
      const { currentDetails } = await boarding.handle.query<{ currentDetails: string }>(
        '__temporal_workflow_metadata',
      );
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
  });

  it('stays in its account, even when only its id had named that', async () => {
    await withImpatientServer(async ({ client, sandbox, taskQueue }) => {
      const input = merchant('notes');
      const workflowId = `merchant-boarding-${input.externalId}@acme`;
      const first = await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
      const boarding = new Onboarding<MerchantBoardingOutcome>(client, workflowId);
      const { merchantProfileId = 0 } = await boarding.until(({ requirements }) => requirements.length === 2);
      for (let change = 0; change < 8; change++) {
        const status = change % 2 === 0 ? 'UW Level 1: Pending' : 'Pending';
        await sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
        const detail = `${status}: still looking ${change}`;
        await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
      }
      const { runId, typedSearchAttributes } = await boarding.handle.describe();
      expect(runId).not.toBe(first.firstExecutionRunId);
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
});

/** The task queues of the activities that a run has scheduled. */
async function queuesOf(client: Client, workflowId: string, runId: string) {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return new Set(
    (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? []),
  );
}

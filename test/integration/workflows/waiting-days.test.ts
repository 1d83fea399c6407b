import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { stateQuery } from '../../../src/messages/onboarding-state.js';
import type { MerchantBoardingOutcome } from '../../../src/messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../../src/messages/search-attributes.js';
import { readAccounts } from '../../../src/partners/account-settings.js';
import { startSandbox } from '../../../src/sandbox/server.js';
import { addSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { createWorker } from '../../../src/worker/create-worker.js';
import { merchant } from '../../rigs/inputs.js';
import { NO_EVENTS } from '../../rigs/worker.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  const executable = { type: 'existing-path', path: inject('timeSkippingServer') } as const;
  environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  // This server cannot list what it has.
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
  await addSearchAttributes(environment.client, names);
});
afterAll(() => environment.teardown());

/** Boards against a sandbox whose underwriters take `reads` status reads for each step, at production's poll pace. */
async function boardForDays<T>(
  reads: number,
  scenario: string,
  body: (id: string) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ pace: { reads } });
  const taskQueue = `days-${scenario}`;
  const worker = await createWorker({
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    config: {
      taskQueue,
      dbaForm: 'shown',
      version: undefined,
      activePatches: [],
      poll: { minMs: MINUTE_MS, maxMs: HOUR_MS },
      patience: { retryAfterMaxMs: HOUR_MS, stepMs: 24 * HOUR_MS, unreadableMs: HOUR_MS },
      ...readAccounts({
        BOARDING_URL: sandbox.url,
        BOARDING_USERNAME: 'sandbox',
        BOARDING_PASSWORD: 'sandbox',
      }),
      documentDir: 'none',
      statementDir: 'none',
      events: NO_EVENTS,
      payloadKeys: undefined,
    },
  });
  try {
    const workflowId = `merchant-boarding-${scenario}`;
    const input = merchant(scenario);
    const running = worker.run();
    try {
      await environment.client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
      return await body(workflowId);
    } finally {
      worker.shutdown();
      await running;
    }
  } finally {
    await sandbox.close();
  }
}

describe('underwriters who take days', () => {
  it('are followed at a pace that slows down to an hour, without history', async () => {
    await boardForDays(100, 'conditionally-approved', async (id) => {
      const handle = environment.client.workflow.getHandle(id);
      const begun = await environment.currentTimeMs();
      const outcome = (await handle.result()) as MerchantBoardingOutcome;
      const elapsed = (await environment.currentTimeMs()) - begun;
      const { polls } = await handle.query(stateQuery);
      const { events } = await handle.fetchHistory();
      expect(outcome.outcome).toBe('boarded');
      expect(polls).toBe(300);
      expect(elapsed).toBeGreaterThan(3 * DAY_MS);
      expect(events?.length).toBeLessThan(60);
    });
  });

  it('leave a note overdue after two days, and nothing is decided by itself', async () => {
    await boardForDays(1, 'notes', async (id) => {
      const handle = environment.client.workflow.getHandle(id);
      await environment.sleep(2 * DAY_MS - HOUR_MS);
      const events = async () => (await handle.query(stateQuery)).timeline.map(({ event }) => event);
      expect(await events()).not.toContain('requirement-overdue');
      await environment.sleep(2 * HOUR_MS);
      expect((await events()).filter((event) => event === 'requirement-overdue')).toHaveLength(2);
      const { requirements, stage } = await handle.query(stateQuery);
      expect({ stage, open: requirements.length }).toEqual({ stage: 'underwriting', open: 2 });
      await handle.cancel();
    });
  });
});

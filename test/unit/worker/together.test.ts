import { Runtime, Worker } from '@temporalio/worker';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  combineWorkers,
  type PartnerWorkers,
  partnerWorkers,
  versionOptions,
} from '../../../src/worker/create-worker.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { answering } from '../../rigs/temporal/answering-service.js';

/** A worker that runs until it is shut down, or until `fails` rejects. */
function workerUntil(fails: Promise<never>) {
  let end: () => void = () => undefined;
  let state = 'RUNNING';
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    run: () => Promise.race([ended, fails]),
    getState: () => state,
    shutdown() {
      state = 'STOPPED';
      end();
    },
  };
}

// Proves R2.
describe('the workers of a process', () => {
  it('end together when one of them fails, and then close the connections to the partners', async () => {
    const [main, partner] = [workerUntil(new Promise(() => undefined)), Promise.reject(new Error('lost'))];
    const steps: string[] = [];
    const worker = combineWorkers(main, {
      workers: [workerUntil(partner)],
      start: async () => steps.push('started'),
      release: async () => steps.push(`released, ${main.getState()}`),
    } as unknown as PartnerWorkers);
    expect(worker.getState()).toBe('RUNNING');
    await expect(worker.run()).rejects.toThrow('lost');
    expect(steps).toEqual(['started', 'released, STOPPED']);
    expect(worker.getState()).toBe('STOPPED');
  });

  it('are one for each partner of an account that has a URL, and one for the process, and tell the server its limit as it is set', async () => {
    const meter = () => ({ add: () => undefined, record: () => undefined });
    const metricMeter = { createCounter: meter, createGauge: meter, createHistogram: meter };
    const create = vi.spyOn(Worker, 'create').mockResolvedValue({} as never);
    const runtime = vi.spyOn(Runtime, 'instance').mockReturnValue({ metricMeter, logger: {} } as never);
    onTestFinished(() => [create, runtime].forEach((each) => void each.mockRestore()));
    const partner = { BOARDING_URL: 'https://b.example.com', BOARDING_USERNAME: 'u', BOARDING_PASSWORD: 'p' };
    const payments = { PAYMENTS_URL: 'http://127.0.0.1:1', PAYMENTS_API_KEY: 't' };
    const ofAccount = (name: string, settings: object) =>
      Object.fromEntries(Object.entries(settings).map(([setting, value]) => [`${name}_${setting}`, value]));
    const config = loadWorkerSettings({
      ...partner,
      ...payments,
      BOARDING_ACTIVITIES_PER_SECOND: '12.5',
      GANGWAY_ACCOUNTS: 'acme,north',
      ...ofAccount('ACME', payments),
      ...ofAccount('NORTH', partner),
      NORTH_BOARDING_ACTIVITIES_PER_SECOND: '3',
    });
    const { connection } = answering({}).client;
    const version = { deploymentName: 'gangway', buildId: 'b-1' };
    const place = { connection, namespace: 'default', ...versionOptions(version) };
    const { release } = await partnerWorkers(place as never, config);
    await release();
    // The server limits the task queues of a deployment version, and each process would leave one there.
    const isVersioned = create.mock.calls.map(([options]) => options.workerDeploymentOptions !== undefined);
    expect(isVersioned).toEqual([true, true, true, true, true, false]);
    const process = create.mock.calls.at(-1)?.[0].taskQueue;
    expect(process).toMatch(/^gangway-.+-\d+-[0-9a-f]{8}$/);
    const limits = create.mock.calls.map(([{ taskQueue, maxTaskQueueActivitiesPerSecond: limit }]) => [
      taskQueue,
      limit,
    ]);
    expect(limits).toEqual([
      ['gangway-events', undefined],
      ['gangway-boarding', 12.5],
      ['gangway-payments', undefined],
      ['gangway-payments-acme', undefined],
      ['gangway-boarding-north', 3],
      [process, undefined],
    ]);
  });
});

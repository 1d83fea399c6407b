import { Runtime, Worker } from '@temporalio/worker';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PartnerWorkers, partnerWorkers, together } from '../../../src/worker/create-worker.js';
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
    const worker = together(main, {
      workers: [workerUntil(partner)],
      start: async () => steps.push('started'),
      release: async () => steps.push(`released, ${main.getState()}`),
    } as unknown as PartnerWorkers);
    expect(worker.getState()).toBe('RUNNING');
    await expect(worker.run()).rejects.toThrow('lost');
    expect(steps).toEqual(['started', 'released, STOPPED']);
    expect(worker.getState()).toBe('STOPPED');
  });

  it('tell the server the limit of each partner as it is set', async () => {
    const meter = () => ({ add: () => undefined, record: () => undefined });
    const metricMeter = { createCounter: meter, createGauge: meter, createHistogram: meter };
    const create = vi.spyOn(Worker, 'create').mockResolvedValue({} as never);
    const runtime = vi.spyOn(Runtime, 'instance').mockReturnValue({ metricMeter, logger: {} } as never);
    onTestFinished(() => [create, runtime].forEach((each) => void each.mockRestore()));
    const partner = { BOARDING_URL: 'https://b.example.com', BOARDING_USERNAME: 'u', BOARDING_PASSWORD: 'p' };
    const config = loadWorkerSettings({ ...partner, BOARDING_ACTIVITIES_PER_SECOND: '12.5' });
    const { connection } = answering({}).client;
    const { release } = await partnerWorkers({ connection, namespace: 'default' } as never, config);
    await release();
    const limits = create.mock.calls.map(([{ taskQueue, maxTaskQueueActivitiesPerSecond: limit }]) => [
      ...[taskQueue, limit],
    ]);
    expect(limits).toContainEqual(['gangway-boarding', 12.5]);
    expect(limits).toContainEqual(['gangway-banking', undefined]);
    expect(limits).toContainEqual(['gangway-events', undefined]);
  });
});

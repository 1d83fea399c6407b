import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

const startWorker = () => launch('worker', rig.env, 'worker is ready');

describe('a worker killed between the partner’s commit and its own report', () => {
  it('leaves one merchant and a question; adopting it finishes the boarding', async () => {
    // The merchant exists at once, its answer takes longer than the worker lives.
    await rig.sandbox.plan('delay-after-commit', 'create-merchant', { milliseconds: 60_000 });
    const doomed = await startWorker();
    const input = merchant();
    const boarding = await rig.board(input);
    const created = () => rig.sandbox.ledger({ guid: input.externalId });
    const [entry] = await eventually(created, (entries) => entries.length > 0, 'the commit');
    doomed.child.kill('SIGKILL');
    await doomed.exit;

    const next = await startWorker();
    const requirement = await boarding.requirement('uncertain-write');
    expect(await created()).toHaveLength(1);
    await boarding.resolve(requirement.id, { kind: 'adopt', id: String(entry?.id) });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: entry?.id });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    next.child.kill('SIGTERM');
    expect(await next.exit).toBe(0);
  }, 60_000);

  it.each([false, true])(
    'leaves one merchant and a question also when someone allowed the activity more attempts (reset: %s)',
    async (isReset) => {
      await rig.sandbox.plan('delay-after-commit', 'create-merchant', { milliseconds: 60_000 });
      const doomed = await startWorker();
      const input = merchant();
      const boarding = await rig.board(input);
      const writes = () => rig.sandbox.writes(input.externalId);
      await eventually(writes, (operations) => operations.length > 0, 'the commit');
      const [activity] = (await boarding.handle.describe()).raw.pendingActivities ?? [];
      const { workflowService, options } = rig.client;
      const which = {
        namespace: options.namespace,
        execution: { workflowId: boarding.workflowId },
        id: activity?.activityId ?? '',
      };
      await workflowService.updateActivityOptions({
        ...which,
        activityOptions: { retryPolicy: { maximumAttempts: 5 } },
        updateMask: { paths: ['retry_policy.maximum_attempts'] },
      });
      if (isReset) await workflowService.resetActivity({ ...which, resetHeartbeat: true });
      doomed.child.kill('SIGKILL');
      await doomed.exit;

      const next = await startWorker();
      const { detail } = await boarding.requirement('uncertain-write');
      expect(detail).toContain('the activity was tried again');
      expect(await writes()).toEqual(['create-merchant']);
      await boarding.handle.terminate();
      next.child.kill('SIGTERM');
      expect(await next.exit).toBe(0);
    },
    90_000,
  );

  it('after the submission is found out by reading, and nobody is asked', async () => {
    await rig.sandbox.plan('delay-after-commit', 'submit-merchant', { milliseconds: 60_000 });
    const doomed = await startWorker();
    const input = merchant();
    const boarding = await rig.board(input);
    const writes = () => rig.sandbox.writes(input.externalId);
    await eventually(writes, (operations) => operations.includes('submit-merchant'), 'the commit');
    doomed.child.kill('SIGKILL');
    await doomed.exit;

    const next = await startWorker();
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('requirement-raised');
    expect(await writes()).toEqual(['create-merchant', 'submit-merchant']);
    next.child.kill('SIGTERM');
    expect(await next.exit).toBe(0);
  }, 60_000);
});

describe('a worker told to stop', () => {
  it('hears the answer to what it has sent before it goes', async () => {
    await rig.sandbox.plan('delay-after-commit', 'create-merchant', { milliseconds: 2_000 });
    const stopping = await startWorker();
    const input = merchant();
    const boarding = await rig.board(input);
    const created = () => rig.sandbox.ledger({ guid: input.externalId });
    await eventually(created, (entries) => entries.length > 0, 'the commit');
    stopping.child.kill('SIGTERM');
    expect(await stopping.exit).toBe(0);

    const next = await startWorker();
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('write-uncertain');
    next.child.kill('SIGTERM');
    expect(await next.exit).toBe(0);
  }, 60_000);
});

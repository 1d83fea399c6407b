import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

/** As `temporal workflow reset --type LastWorkflowTask` does it. */
async function resetToLastWorkflowTask({ handle, workflowId }: Onboarding): Promise<void> {
  const { events } = await handle.fetchHistory();
  const last = events?.findLast((event) => event.workflowTaskCompletedEventAttributes);
  const { workflowService, options } = rig.client;
  await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: last?.eventId ?? null,
    reason: 'stuck',
    requestId: crypto.randomUUID(),
  });
}

describe('a boarding that waits, reset to its last workflow task', () => {
  it('goes on polling, and writes nothing twice', async () => {
    const input = merchant('waiting');
    const boarding = await rig.board(input);
    const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus !== null);
    await boarding.asleepAfter(1);
    await resetToLastWorkflowTask(boarding);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    await boarding.until(({ outcome }) => outcome === 'declined', 'the end');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('still asks, and takes the answer', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    await resetToLastWorkflowTask(boarding);
    const state = await boarding.until((now) => now.requirements.length === 2, 'the same two notes');
    expect(state.requirements.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id));
    for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'Answered.' });
    await boarding.until(({ outcome }) => outcome === 'boarded', 'the end');
    expect(await rig.sandbox.writes(input.externalId)).toEqual([
      'create-merchant',
      'submit-merchant',
      'request-underwriting-review',
    ]);
  });
});

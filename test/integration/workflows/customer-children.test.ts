import { describe, expect, it } from 'vitest';
import { partIds } from '../../../src/temporal/find-onboarding.js';
import { customer } from '../../rigs/inputs.js';
import { asShown, Onboarding } from '../../rigs/onboarding.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { reset } from '../../rigs/workflows/reset.js';

const rig = await sharedRig();

const TEXT = { kind: 'text', text: 'Here.' } as const;

/** A customer whose merchant has two open notes, and whose business waits. */
async function asked() {
  const onboarding = await rig.onboard(customer({ boarding: 'notes', business: 'waiting' }));
  const { requirements, profileId = 0 } = await onboarding.until(
    (state) => state.requirements.length === 2 && state.business?.partnerStatus === 'Submitted',
    'two notes, and a business that waits',
  );
  const boarding = new Onboarding(rig.client, partIds(onboarding.workflowId).boarding);
  return { onboarding, boarding, profileId, ids: requirements.map(({ id }) => id) };
}

const entries = ({ timeline }: Awaited<ReturnType<Onboarding['state']>>) =>
  timeline.map(({ event, detail }) => `${event}: ${detail}`).slice(1);

describe.concurrent('a child that is reset', () => {
  it('while it asks goes on as the same part: asked, answered and counted with its outcome', async () => {
    const { onboarding, boarding, profileId, ids } = await asked();
    const [first = '', second = ''] = ids;
    await onboarding.resolve(first, TEXT);
    await onboarding.until(({ requirements }) => requirements.length === 1, 'one note');
    const runId = await reset(rig.client, boarding);
    await onboarding.resolve(second, TEXT);
    await onboarding.until((state) => state.boarding?.stage === 'boarded', 'the merchant');
    expect((await boarding.handle.describe()).runId).toBe(runId);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'onboarded',
      boarding: { outcome: 'boarded' },
    });
    expect((await onboarding.state()).boarding).toEqual({
      ...asShown(await boarding.state()),
      partnerStatus: null,
    });
  });

  it('after it was terminated is followed again, with its requirements', async () => {
    const { onboarding, boarding, profileId, ids } = await asked();
    await boarding.handle.terminate('by mistake');
    await onboarding.until(({ requirements }) => requirements.length === 0, 'no requirement');
    await reset(rig.client, boarding);
    const state = await onboarding.until(({ requirements }) => requirements.length === 2, 'both notes again');
    expect(state.requirements.map(({ id }) => id)).toEqual(ids);
    expect(entries(state)).toEqual(['boarding-ended: terminated', 'boarding-reset: its workflow runs again']);
    for (const id of ids) await onboarding.resolve(id, TEXT);
    await onboarding.until((now) => now.boarding?.outcome === 'boarded', 'the merchant');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });
});

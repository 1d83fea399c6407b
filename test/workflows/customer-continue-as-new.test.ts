import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../src/temporal/history.js';
import { customer, HOLDER } from '../rigs/inputs.js';
import { asShown, type Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** Events after which the server suggests a new run, where a real one waits for thousands. */
const LIMIT = 60;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: LIMIT });
});
afterAll(() => rig.close());

const TEXT = { kind: 'text', text: 'Here.' } as const;
const WAITING = { boarding: 'waiting', business: 'waiting' };

/**
 * Has the underwriters move the merchant on, and waits until the customer knows. Each change ends another phase, because a status
 * that changes with each read of the same phase is not compared any longer.
 */
async function change(onboarding: Onboarding<unknown>, merchantProfileId: number, changes: number) {
  const status = changes % 2 === 0 ? `Looked at ${changes} times` : `UW Level ${changes}: Pending`;
  await rig.sandbox.transition(merchantProfileId, { status });
  await onboarding.until(({ boarding }) => boarding?.partnerStatus === status, status);
}

const runOf = async ({ handle }: Onboarding<unknown>) => (await handle.describe()).runId;

/** Both parts under way, in a customer that goes on in another run than its first. */
async function inLaterRun(scenarios: { boarding: string; business: string } = WAITING) {
  const onboarding = await rig.onboard(customer(scenarios));
  const runId = await runOf(onboarding);
  const { merchantProfileId = 0, profileId = 0 } = await onboarding.until(
    ({ boarding, business }) =>
      boarding?.partnerStatus === 'Pending' && business?.partnerStatus === 'Submitted',
    'both under way',
  );
  for (let changes = 0; (await runOf(onboarding)) === runId; changes++) {
    if (changes > LIMIT) throw new Error('it never goes on in another run');
    await change(onboarding, merchantProfileId, changes);
  }
  return { onboarding, merchantProfileId, profileId, ...onboarding.parts };
}

describe.concurrent('a customer whose history grows long', () => {
  it('goes on in another run, loses nothing, and has both its outcomes', async () => {
    const { onboarding, merchantProfileId, profileId, boarding, business } = await inLaterRun({
      boarding: 'notes',
      business: 'waiting',
    });
    const state = await onboarding.state();
    // Its business has the social security numbers. Alone catches that each run of the customer keeps them.
    const { events } = await onboarding.handle.fetchHistory();
    const run = { workflowId: onboarding.workflowId, runId: await runOf(onboarding), events: events ?? [] };
    const input = JSON.stringify(await argumentsOf(rig.client, run));
    expect(input).toContain(HOLDER.legalBusinessName);
    expect(input).not.toMatch(/"ssn"/);
    expect(state.boarding).toEqual(asShown(await boarding.state()));
    expect(state.business).toEqual(asShown(await business.state()));
    expect(state).toMatchObject({ stage: 'onboarding', merchantProfileId, profileId });
    expect(state.timeline.map(({ event }) => event)).toEqual(['started']);
    expect(await onboarding.currentDetails()).toContain(`gangway resolve ${onboarding.workflowId} note-`);

    // The underwriters take answers in this status.
    await rig.sandbox.transition(merchantProfileId, { status: 'Pending' });
    await onboarding.until(({ boarding: now }) => now?.partnerStatus === 'Pending', 'Pending');
    for (const { id } of state.requirements) await onboarding.resolve(id, TEXT);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    const outcome = await onboarding.outcome();
    const { mid } = await onboarding.state();
    expect(outcome).toEqual({
      outcome: 'onboarded',
      boarding: { outcome: 'boarded', mid, merchantProfileId },
      business: { outcome: 'onboarded', profileId, financialAccountId: null, bankingStatus: 'Approved' },
    });
  });

  it('has its children canceled with it anyway', async () => {
    const { onboarding, boarding, business } = await inLaterRun();
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toThrow();
    const ends = [boarding, business].map(async (child) => {
      const status = async () => (await child.handle.describe()).status.name;
      return eventually(status, (name) => name !== 'RUNNING', 'its end');
    });
    expect(await Promise.all(ends)).toEqual(['CANCELLED', 'CANCELLED']);
    const state = await onboarding.state();
    expect(state.boarding).toEqual(asShown(await boarding.state()));
    expect(state.business).toEqual(asShown(await business.state()));
  });

  it('sees that a child was terminated', async () => {
    const { onboarding, profileId, boarding } = await inLaterRun({ boarding: 'notes', business: 'waiting' });
    await boarding.handle.terminate('by hand');
    await onboarding.until(({ requirements }) => requirements.length === 0, 'no requirement');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'onboarded' },
    });
  });
});

describe('200 changes of requirements', () => {
  it('leave the history of a customer short, and each requirement known', async () => {
    const onboarding = await rig.onboard(customer(WAITING));
    const { merchantProfileId = 0 } = await onboarding.until(
      ({ boarding }) => boarding?.partnerStatus === 'Pending',
      'the merchant',
    );
    for (let open = 10; open <= 200; open += 10) {
      const notes = Array.from({ length: 10 }, () => `Please explain ${randomUUID()}.`);
      await rig.sandbox.transition(merchantProfileId, { notes });
      await onboarding.until(({ requirements }) => requirements.length === open, `${open} notes`);
      const { events } = await onboarding.handle.fetchHistory();
      expect(events?.length).toBeLessThan(2 * LIMIT);
    }
    const { requirements } = await onboarding.state();
    expect(requirements).toEqual((await onboarding.parts.boarding.state()).requirements);
    await onboarding.handle.terminate();
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { partIds } from '../../src/temporal/find-onboarding.js';
import { customer } from '../rigs/inputs.js';
import { asShown, Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

const WAITING = { boarding: 'waiting', business: 'waiting' };

/** A customer whose merchant and business both wait until the test decides how they end. */
async function underWay(onDecline: 'continue' | 'cancel-other', scenarios = WAITING) {
  const onboarding = await rig.onboard(customer(scenarios, { onDecline }));
  const both = ({ boarding, business }: Awaited<ReturnType<typeof onboarding.state>>) =>
    boarding?.partnerStatus === 'Pending' && business?.partnerStatus === 'Submitted';
  const { merchantProfileId = 0, profileId = 0 } = await onboarding.until(both, 'both under way');
  return { onboarding, merchantProfileId, profileId, ...onboarding.parts };
}

const statusOf = async ({ handle }: Onboarding) => (await handle.describe()).status.name;

/** Waits until a workflow that nobody waits for has ended. */
const ended = (child: Onboarding) =>
  eventually(
    () => statusOf(child),
    (name) => name !== 'RUNNING',
    'its end',
  );

describe.concurrent('a merchant that is declined', () => {
  const decline = { status: 'Declined', comment: 'no' };

  it('ends the business, where the customer says cancel-other', async () => {
    const { onboarding, merchantProfileId, profileId, business } = await underWay('cancel-other');
    await rig.sandbox.transition(merchantProfileId, decline);
    expect(await onboarding.outcome()).toEqual({
      outcome: 'declined',
      boarding: { outcome: 'declined', comment: 'no', merchantProfileId },
      business: { outcome: 'cancelled' },
    });
    expect(await statusOf(business)).toBe('CANCELLED');
    const state = await onboarding.state();
    const own = await business.state();
    expect(state.business).toEqual(asShown(own));
    expect(own.timeline.at(-1)?.detail).toBe(
      `banking profile ${profileId} stays at the partner, last seen as Submitted`,
    );
    expect(state.timeline.map(({ event, detail }) => `${event}: ${detail}`).slice(1)).toEqual([
      'boarding-ended: declined',
      'business-ended: cancelled',
      'ended: declined',
    ]);
  });
});

describe.concurrent('a business that is declined', () => {
  it('ends the merchant, where the customer says cancel-other', async () => {
    const { onboarding, profileId, boarding } = await underWay('cancel-other');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    expect(await onboarding.outcome()).toEqual({
      outcome: 'declined',
      boarding: { outcome: 'cancelled' },
      business: { outcome: 'declined', profileId, financialAccountId: null, bankingStatus: 'Denied' },
    });
    expect(await statusOf(boarding)).toBe('CANCELLED');
  });
});

describe.concurrent('a customer whose merchant and business both end badly', () => {
  it.each(['continue', 'cancel-other'] as const)(
    'has no business begun when there is no merchant for it (%s)',
    async (onDecline) => {
      const input = customer({}, { onDecline });
      const onboarding = await rig.onboard({
        ...input,
        boarding: { ...input.boarding, agentProfileId: 999 },
      });
      const { id } = await onboarding.requirement('rejected-input');
      await onboarding.resolve(id, { kind: 'abandon' }, 'olga', 'no such agent');
      expect(await onboarding.outcome()).toEqual({
        outcome: 'abandoned',
        boarding: { outcome: 'abandoned', comment: 'no such agent' },
        business: { outcome: 'not-started' },
      });
      expect(await bankOf(rig).submissions(input.business.holder)).toEqual([]);
    },
  );
});

describe.concurrent('canceling a customer', () => {
  it('cancels both, and reports what stays at the partners', async () => {
    const { onboarding, merchantProfileId, profileId, boarding, business } = await underWay('continue');
    await onboarding.handle.cancel();
    const error = await onboarding.outcome().catch((failed: unknown) => failed);
    expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    expect(await statusOf(onboarding)).toBe('CANCELLED');
    expect([await statusOf(boarding), await statusOf(business)]).toEqual(['CANCELLED', 'CANCELLED']);
    const state = await onboarding.state();
    expect(state).toMatchObject({ stage: 'cancelled', requirements: [] });
    expect(state.boarding).toEqual(asShown(await boarding.state()));
    expect(state.business).toEqual(asShown(await business.state()));
    expect(state.timeline.at(-1)?.detail).toBe(
      `merchant ${merchantProfileId} and banking profile ${profileId} are known at the partners`,
    );
  });
});

describe('canceling a customer at once', () => {
  it('ends it and leaves no child behind, however soon after its start', async () => {
    const statusIfStarted = (id: string) =>
      statusOf(new Onboarding(rig.client, id)).catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return 'CANCELLED';
        throw error;
      });
    const cancelledAfter = async (wait: (onboarding: Onboarding<unknown>) => Promise<unknown>) => {
      const onboarding = await rig.onboard(customer(WAITING));
      await wait(onboarding);
      await onboarding.handle.cancel();
      await expect(onboarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
      const ids = Object.values(partIds(onboarding.workflowId));
      expect(await Promise.all(ids.map(statusIfStarted))).toEqual(ids.map(() => 'CANCELLED'));
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => cancelledAfter(() => sleep(index * 5))));
    // The workflow hears of a cancellation in its first task before the server has started the child that the task asks for.
    for (let round = 0; round < 10; round++) await cancelledAfter(isInItsFirstTask);
  });
});

async function isInItsFirstTask({ handle }: Onboarding<unknown>): Promise<void> {
  for (;;) {
    const { events } = await handle.fetchHistory();
    if (events?.some((event) => event.workflowTaskStartedEventAttributes)) return;
  }
}

describe.concurrent('terminating a customer', () => {
  it('has both canceled as soon as they have something to report', async () => {
    const { onboarding, merchantProfileId, profileId, boarding, business } = await underWay('continue');
    await onboarding.handle.terminate('by hand');
    await rig.sandbox.transition(merchantProfileId, { status: 'UW Level 1: Pending' });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Looking' });
    expect([await ended(boarding), await ended(business)]).toEqual(['CANCELLED', 'CANCELLED']);
    const { timeline, stage } = await business.state();
    expect([stage, timeline.at(-1)?.event]).toEqual(['cancelled', 'cancelled']);
  });
});

describe.concurrent('a merchant or a business that is stopped by itself', () => {
  it.each(['cancel', 'terminate'] as const)('(%s) leaves the other one', async (stop) => {
    const { onboarding, merchantProfileId, business } = await underWay('continue');
    await business.handle[stop]();
    await ended(business);
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: `4726${merchantProfileId}` });
    expect(await onboarding.outcome()).toEqual({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'boarded', mid: `4726${merchantProfileId}`, merchantProfileId },
      business: { outcome: 'cancelled' },
    });
  });
});

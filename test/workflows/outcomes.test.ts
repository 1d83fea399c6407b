import { describe, expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

const finalMid = (merchantProfileId: number) => `5180${String(merchantProfileId).padStart(11, '0')}`;

describe.concurrent('a boarding without questions', () => {
  it.each([
    ['straight', undefined, ['Approved']],
    ['that is conditionally approved', 'conditionally-approved', ['Conditionally Approved', 'Approved']],
    ['that has a text in place of its mid for a moment', 'unclear-mid', ['Approved']],
    ['through a status nobody knows', 'unknown-status', ['Escalated to Committee', 'Approved']],
  ])('%s ends boarded with the final mid', async (_, scenario, statuses) => {
    const boarding = await rig.board(merchant(scenario));
    const outcome = await boarding.outcome();
    const state = await boarding.state();
    const { merchantProfileId = 0, timeline } = state;
    expect(outcome).toEqual({ outcome: 'boarded', mid: finalMid(merchantProfileId), merchantProfileId });
    expect(state).toMatchObject({
      stage: 'boarded',
      outcome: 'boarded',
      partnerStatus: 'Approved',
      mid: finalMid(merchantProfileId),
      requirements: [],
    });
    const seen = timeline.filter(({ event }) => event === 'status-changed').map(({ detail }) => detail);
    expect(seen).toEqual(statuses);
  });

  it('creates by v1 on request', async () => {
    const input = merchant(undefined, { createVersion: 'v1' });
    await (await rig.board(input)).outcome();
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant-v1', 'submit-merchant']);
  });

  it('is not done while the mid is temporary', async () => {
    const boarding = await rig.board(merchant('temporary-mid'));
    const { timeline } = await boarding.until(({ timeline }) =>
      timeline.some(({ event }) => event === 'temporary-mid'),
    );
    const { merchantProfileId = 0 } = await boarding.state();
    const entry = timeline.find(({ event }) => event === 'temporary-mid');
    expect(entry?.detail).toBe(`TEMP${merchantProfileId}, not final before approval`);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: finalMid(merchantProfileId) });
  });
});

describe.concurrent('agent profile and boarding settings', () => {
  const { agentProfileId: _, boardingSettingsId: __, ...withoutIds } = merchant();

  it('are a choice for a person when there are several, and nothing is created before', async () => {
    const input = { ...withoutIds, externalId: merchant().externalId };
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('rejected-input');
    expect(requirement.detail).toBe(
      'agentProfileId: not given; choose one of: Harbor Agents (agentProfileId 101), Lighthouse Sales (agentProfileId 102)\n' +
        'boardingSettingsId: not given; choose one of: Standard (boardingSettingsId 11), Cash Discount (boardingSettingsId 12); boardingSettings: false creates without',
    );
    expect(await rig.sandbox.writes(input.externalId)).toEqual([]);
    const patch = { agentProfileId: 102, boardingSettings: 'Standard' };
    await boarding.resolve(requirement.id, { kind: 'correction', patch });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { merchantProfileId = 0 } = await boarding.state();
    const { basics } = await rig.sandbox.merchant(merchantProfileId);
    expect(basics).toMatchObject({ agentProfileId: 102, boardingSettingsId: 11 });
  });
});

describe.concurrent('fees', () => {
  it('are changed where the input asks, and only there', async () => {
    const fees = {
      minimumDiscountAmount: 0,
      authorizationMonthlyAndSpecialProgram: { chargeback: { perItem: 20, percent: 0 } },
    };
    const boarding = await rig.board(merchant(undefined, { fees }));
    await boarding.outcome();
    const { merchantProfileId = 0, timeline } = await boarding.state();
    expect(timeline.map(({ event }) => event)).toContain('fees-changed');
    const { fees: stored } = await rig.sandbox.merchant(merchantProfileId);
    expect(stored).toMatchObject({
      minimumDiscountAmount: 0,
      earlyTerminationFeeAmount: 295,
      authorizationMonthlyAndSpecialProgram: {
        chargeback: { perItem: 20, percent: 0 },
        statement: { perItem: 10, percent: 0 },
      },
    });
  });
});

describe.concurrent('a merchant that exists already', () => {
  it('is imported, finished and followed, never created again', async () => {
    const first = await rig.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await first.until(({ stage }) => stage === 'underwriting');
    await first.handle.cancel();
    await first.outcome().catch(() => undefined);
    const second = merchant('waiting', { merchantProfileId });
    const boarding = await rig.board(second);
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '777' });
    expect(await boarding.outcome()).toEqual({ outcome: 'boarded', mid: '777', merchantProfileId });
    expect(await boarding.events()).toContain('merchant-imported');
    expect(await rig.sandbox.writes(second.externalId)).toEqual([]);
  });
});

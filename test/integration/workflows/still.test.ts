import { describe, expect, it } from 'vitest';
import { customer, merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { LOOK_MS, unlessStill } from '../../rigs/still.js';

const rig = await sharedRig();

/** Waits for what does not come, and gives up after fewer looks than other tests. */
const inVain = ({ workflowId }: Onboarding<unknown>) =>
  unlessStill(rig.client, workflowId, 'the moon', () => new Promise(() => {}), { looks: 4, polls: 2 });

describe.concurrent('a test that waits in vain', () => {
  it('fails with what it waits for and the pending work, although the status poll goes on', async () => {
    const error = await inVain(await rig.board(merchant('waiting'))).catch(({ message }) => message);
    expect(error).toMatch(/^waited in vain for the moon; .*"type":"awaitStatusChange"/);
  });

  it('waits as long as a part moves that was started before its customer, and names it when it is still', async () => {
    const input = customer({ business: 'waiting' });
    const { externalId } = input;
    const business = await rig.onboardBusiness({ externalId, ...input.business });
    const { profileId = 0 } = await business.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const onboarding = await rig.onboard(input);
    await onboarding.until(({ boarding }) => boarding?.stage === 'boarded', 'the boarding');
    // The moves take three times as long as the looks that find no move.
    const limit = { looks: 12, polls: 2 };
    const moves = async () => {
      const until = performance.now() + 3 * limit.looks * LOOK_MS;
      for (let move = 0; performance.now() < until; move++) {
        const bankingStatus = move % 2 === 0 ? 'InReview' : 'Submitted';
        await rig.sandbox.transitionProfile(profileId, { bankingStatus });
        await business.until(({ partnerStatus }) => partnerStatus === bankingStatus);
      }
    };
    await unlessStill(rig.client, onboarding.workflowId, 'the moves', moves, limit);
    const error = await inVain(onboarding).catch(({ message }) => message);
    expect(error).toContain(`"workflowId":"${business.workflowId}","pending":[{`);
  });
});

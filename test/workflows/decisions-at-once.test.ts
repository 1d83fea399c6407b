import { expect, it, onTestFinished } from 'vitest';
import { partnerRecordId } from '../../src/messages/ids.js';
import { nudge } from '../../src/temporal/nudge.js';
import { business } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { BankByDocuments } from '../rigs/partners/by-documents/banking.js';
import { createRig } from '../rigs/rig.js';
import { listening } from '../rigs/simulated-place.js';
import { eventually } from '../rigs/waiting.js';

const HOUR_MS = 3_600_000;

// Alone catches a decision whose nudge meets the read before it: the next poll would read at its own pace, an hour later.
it('a decision about a status reaches the onboarding that is still reading this status', async () => {
  const bank = new BankByDocuments();
  let decide = async () => {};
  const { url, close } = listening((async (request: Parameters<typeof bank.listener>[0]) => {
    // The attempt has read the status and looked up what it means, and now it reads the tickets.
    if (request.url.includes('/api/tickets/new') && [...bank.profiles.values()].some(isFrozen))
      await decide();
    return bank.listener(request);
  }) as never);
  const rig = await createRig({ bankingUrl: url, poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
  onTestFinished(async () => {
    await rig.close();
    close();
  });
  const record = new Onboarding(rig.client, partnerRecordId('banking', rig.taskQueue));
  let decidedAt = 0;
  decide = async () => {
    decide = async () => {};
    const { id } = await record.requirement('new-status');
    await record.resolve(id, { kind: 'choice', choice: 'ended-declined' });
    decidedAt = Date.now();
    const wakes = async () => ((await record.handle.describe()).raw.pendingActivities ?? []).length;
    await eventually(wakes, (number) => number > 0, 'the nudge of all polls');
    // It has looked at the poll meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  };
  const onboarding = await rig.onboardBusiness(business());
  const { profileId = 0 } = await onboarding.until(({ profileId }) => profileId !== undefined);
  Object.assign(bank.profiles.get(profileId) ?? {}, { bankingStatus: 'Frozen' });
  await nudge(rig.client, onboarding.workflowId);
  expect(await onboarding.outcome()).toMatchObject({ outcome: 'declined' });
  expect(decidedAt).toBeGreaterThan(0);
  expect(Date.now() - decidedAt).toBeLessThan(HOUR_MS / 2);
});

function isFrozen({ bankingStatus }: { readonly bankingStatus: string }): boolean {
  return bankingStatus === 'Frozen';
}

import { expect, it } from 'vitest';
import { DEFAULT_HTTP_LIMITS } from '../../src/partners/http.js';
import { stored } from '../rigs/commands/files.js';
import { business, merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

async function boarded() {
  const boarding = await rig.board(merchant('uw-level-1'));
  const note = await boarding.requirement('underwriting-note');
  await boarding.resolve(note.id, { kind: 'documents', documents: [await stored(rig)] });
  await boarding.outcome();
  return boarding;
}

async function onboarded() {
  const onboarding = await rig.onboardBusiness(
    business('account-on-request', { openFinancialAccount: true }),
  );
  await onboarding.outcome();
  return onboarding;
}

/** The timeouts of each activity in a history, by the activity’s name, in seconds; 0 means no timeout. */
async function timeLimits({ handle }: Onboarding<unknown>) {
  const { events } = await handle.fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return new Map(
    scheduled.map(({ activityType, heartbeatTimeout, startToCloseTimeout }) => [
      activityType?.name,
      { heartbeat: Number(heartbeatTimeout?.seconds ?? 0), attempt: Number(startToCloseTimeout?.seconds) },
    ]),
  );
}

it.each([
  [boarded, ['createMerchant', 'submitMerchant', 'attachDocument', 'requestUnderwritingReview']],
  [onboarded, ['submitHolder', 'openFinancialAccount']],
])(
  'a write (%o: %j) has as long as its HTTP call may take, and no heartbeat timeout that a network cut could trip',
  async (onboard, writes) => {
    const limits = await timeLimits(await onboard());
    const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs } = DEFAULT_HTTP_LIMITS;
    for (const write of writes) {
      const { heartbeat, attempt = 0 } = limits.get(write) ?? {};
      expect({ write, heartbeat }).toEqual({ write, heartbeat: 0 });
      expect(attempt * 1_000).toBeGreaterThan(connectTimeoutMs + headersTimeoutMs + bodyTimeoutMs);
    }
  },
);

it('what delivers an answer goes before all else of its onboarding, which has the priority of its start', async () => {
  const { handle } = await boarded();
  const { events } = await handle.fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  const priorities = scheduled.map(({ activityType, priority }) => [
    activityType?.name,
    priority?.priorityKey,
  ]);
  expect(Object.fromEntries(priorities)).toMatchObject({
    createMerchant: undefined,
    awaitStatusChange: undefined,
    attachDocument: 2,
    requestUnderwritingReview: 2,
  });
});

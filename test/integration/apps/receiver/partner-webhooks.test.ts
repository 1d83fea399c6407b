import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { loadReceiverSettings } from '../../../../src/apps/receiver/settings.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { type RunningReceiver, runReceiver } from '../../../rigs/receiver/running-receiver.js';
import { createRig } from '../../../rigs/rig.js';
import { scraped } from '../../../rigs/scrape.js';
import { eventually } from '../../../rigs/waiting.js';

const HOUR_MS = 3_600_000;

const rig = await createRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
afterAll(() => rig.close());

const SECRET_PATH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const X_CALLER_AUTH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const { webhooks } = loadReceiverSettings({
  RECEIVER_BANKING_AUTH: `path:${SECRET_PATH}`,
  RECEIVER_BOARDING_AUTH: `path:${SECRET_PATH}`,
  RECEIVER_PROCESSOR_AUTH: `header:X-Caller-Auth:${X_CALLER_AUTH}`,
});

const json = { 'content-type': 'application/json' };

function sendWebhook({ call }: RunningReceiver, partner: 'banking' | 'boarding' | 'processor', body: string) {
  if (partner !== 'processor') return call(`POST /webhooks/${partner}/${SECRET_PATH}`, body, json);
  return call('POST /webhooks/processor', body, { ...json, 'x-caller-auth': X_CALLER_AUTH });
}

/** What the bank has sent. */
interface Sent {
  readonly deliveries: readonly { readonly payload: { profileId: number }; readonly attempts: number[] }[];
}

/** A merchant that underwriting has not reviewed yet, whose poll sleeps for an hour. */
async function waitingMerchant() {
  const input = merchant('waiting');
  const boarding = await rig.board(input);
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await boarding.asleepAfter(1);
  await visible(`MerchantProfileId = '${merchantProfileId}'`, boarding.workflowId);
  return { boarding, merchantProfileId, externalId: input.externalId };
}

/** A receiver, its count of nudged changes of businesses, and the age of the last webhook about one, in seconds. */
async function measuredReceiver() {
  const registry = new Registry();
  const businesses = { workflowType: 'businessOnboarding', system: 'banking', account: '' };
  const read = async (name: string) => scraped(await registry.metrics())(name, businesses);
  return {
    receiver: await runReceiver(rig, { webhooks, registry }),
    nudged: () => read('gangway_receiver_changes_nudged_total'),
    age: async () => Date.now() / 1_000 - (await read('gangway_receiver_webhook_last_timestamp_seconds')),
  };
}

async function waitingBusiness() {
  const onboarding = await rig.onboardBusiness(business('waiting'));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus !== null);
  await onboarding.asleepAfter(1);
  await visible(`BankingProfileId = '${profileId}'`, onboarding.workflowId);
  return { onboarding, profileId };
}

function visible(query: string, workflowId: string) {
  const result = () => rig.client.workflow.count(`(${query}) AND WorkflowId = '${workflowId}'`);
  return eventually(result, ({ count }) => count === 1, query);
}

describe('the bank’s own webhook, while the poll would wait for an hour,', () => {
  it('leads to the outcome at once, even when it is delivered twice', async () => {
    const { onboarding, profileId } = await waitingBusiness();
    const { receiver, nudged } = await measuredReceiver();
    const webhooksOfBank = `${rig.sandbox.url}/sandbox/webhooks`;
    const url = `${receiver.url}/webhooks/banking/${SECRET_PATH}`;
    const body = JSON.stringify({ url, notificationType: 'ApplicationStatus' });
    expect(await fetch(webhooksOfBank, { method: 'POST', headers: json, body })).toMatchObject({
      status: 201,
    });
    expect(await nudged()).toBe(0);
    await rig.sandbox.plan('duplicate-webhooks');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'declined' });
    const attempts = async () => {
      const { deliveries } = (await (await fetch(webhooksOfBank)).json()) as Sent;
      return deliveries.filter((each) => each.payload.profileId === profileId).map((each) => each.attempts);
    };
    await eventually(attempts, (all) => all.length === 2 && all.flat().length === 2, 'both deliveries');
    expect(await attempts()).toEqual([[202], [202]]);
    // Once, although two webhooks were about it.
    await eventually(nudged, (changes) => changes > 0, 'a nudged change');
    expect(await nudged()).toBe(1);
  });
});

describe('a webhook makes the workflow that it is about read its status, and finds it', () => {
  const DEEP = `${'['.repeat(100_000)}9007199254740993${']'.repeat(100_000)}`;
  const OF_PROCESSOR = `"event": "BusinessUpdated", "uuid": "0b9c1c5e-6f7a-4a52-9d3d-6f0d7c1f1a11", "payer_uuid": null,
    "payee_uuid": "4f2a6a0e-1c1d-4e0e-8a55-2f9f0a0b7c22", "status": "completed", "currency": "USD", "amount": 1200`;

  it.each<[string, 'boarding' | 'processor', (id: number, key: string) => string, number?]>([
    ['by the id of its merchant', 'boarding', (id) => `{"MerchantProfileId":${id}}`],
    ['next to a value with 100,000 levels', 'boarding', (id) => `{"x":${DEEP},"merchantProfileId":${id}}`],
    ['by our own key', 'boarding', (_, key) => `{"Guid":"${key}"}`],
    [
      'by the name of the processor, which gets the 200 that it expects',
      'processor',
      (_, key) => `{${OF_PROCESSOR}, "client_reference_id": "${key}", "created_at": "2026-11-21T10:00:00Z"}`,
      200,
    ],
  ])('%s', async (_, partner, delivery, expected = 202) => {
    const receiver = await runReceiver(rig, { webhooks });
    const { boarding, merchantProfileId, externalId } = await waitingMerchant();
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const { status, text } = await sendWebhook(receiver, partner, delivery(merchantProfileId, externalId));
    expect([status, text]).toEqual([expected, '{"workflows":1}']);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
  });

  it('among several that one webhook is about, also with a parent workflow', async () => {
    const receiver = await runReceiver(rig, { webhooks });
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const whole = await rig.onboard(input);
    const boarding = new Onboarding(rig.client, `merchant-boarding-${input.externalId}`);
    const other = new Onboarding(rig.client, `business-onboarding-${input.externalId}`);
    const { merchantProfileId = 0 } = await eventually(
      () => boarding.state().catch(() => ({ merchantProfileId: undefined, partnerStatus: null })),
      ({ partnerStatus }) => partnerStatus === 'Pending',
      'the merchant',
    );
    await boarding.asleepAfter(1);
    await whole.until(({ business }) => business?.partnerStatus === 'Submitted', 'the business');
    await other.asleepAfter(1);
    const { profileId = 0 } = await other.state();
    for (const { workflowId } of [whole, boarding]) {
      await visible(`MerchantProfileId = '${merchantProfileId}'`, workflowId);
    }
    await visible(`BankingProfileId = '${profileId}'`, other.workflowId);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    const body = `{"profileId": ${profileId}, "merchantProfileId": ${merchantProfileId}}`;
    const { status, text } = await sendWebhook(receiver, 'banking', body);
    expect([status, text]).toEqual([202, '{"workflows":3}']);
    expect(await whole.outcome()).toMatchObject({ outcome: 'declined' });
  });
});

it('a false webhook changes nothing: the read decides, and the history does not grow', async () => {
  const { receiver, nudged, age } = await measuredReceiver();
  const { onboarding, profileId } = await waitingBusiness();
  expect(await age()).toBeNaN();
  const before = await onboarding.state();
  const { historyLength } = await onboarding.handle.describe();
  const readAt = async () => Number((await onboarding.poll())?.lastAttemptCompleteTime?.seconds ?? 0);
  const readBefore = await readAt();
  // Times are compared in whole seconds.
  await sleep(1_000);
  for (let time = 0; time < 3; time++) {
    const body = `{"notificationType":"ApplicationStatus","profileId":${profileId},"status":"Approved"}`;
    expect(await sendWebhook(receiver, 'banking', body)).toMatchObject({
      status: 202,
      text: '{"workflows":1}',
    });
  }
  await eventually(readAt, (seconds) => seconds > readBefore, 'a read after a nudge');
  await onboarding.asleepAfter(1);
  expect(await onboarding.state()).toEqual(before);
  expect(await onboarding.handle.describe()).toMatchObject({ historyLength, status: { name: 'RUNNING' } });
  // It arrived, and no read showed a change: the receiver looks at the poll after half a second.
  await sleep(2_000);
  expect(await nudged()).toBe(0);
  expect(await age()).toBeLessThan(60);
  // A change after which another poll follows counts.
  await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'InReview' });
  await sendWebhook(receiver, 'banking', `{"profileId":${profileId}}`);
  await eventually(nudged, (changes) => changes > 0, 'a nudged change');
  expect(await onboarding.handle.describe()).toMatchObject({ status: { name: 'RUNNING' } });
  expect(await nudged()).toBe(1);
});

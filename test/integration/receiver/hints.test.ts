import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadReceiverSettings } from '../../../src/receiver/settings.js';
import { business, customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { type RunningReceiver, runReceiver } from '../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const HOUR_MS = 3_600_000;

let rig: Rig;

beforeAll(async () => {
  rig = await createRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
});
afterAll(() => rig.close());

const SECRET_PATH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const X_CALLER_AUTH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const { hints } = loadReceiverSettings({
  RECEIVER_BANKING_AUTH: `path:${SECRET_PATH}`,
  RECEIVER_BOARDING_AUTH: `path:${SECRET_PATH}`,
  RECEIVER_PROCESSOR_AUTH: `header:X-Caller-Auth:${X_CALLER_AUTH}`,
});

const json = { 'content-type': 'application/json' };

function tell({ call }: RunningReceiver, partner: 'banking' | 'boarding', body: string) {
  return call(`POST /webhooks/${partner}/${SECRET_PATH}`, body, json);
}

/** A merchant that underwriting has not looked at, whose poll sleeps for an hour. */
async function waitingMerchant() {
  const input = merchant('waiting');
  const boarding = await rig.board(input);
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await boarding.asleepAfter(1);
  await visible(`MerchantProfileId = '${merchantProfileId}'`, boarding.workflowId);
  return { boarding, merchantProfileId, externalId: input.externalId };
}

async function waitingBusiness() {
  const onboarding = await rig.onboardBusiness(business('waiting'));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus !== null);
  await onboarding.asleepAfter(1);
  await visible(`BankingProfileId = '${profileId}'`, onboarding.workflowId);
  return { onboarding, profileId };
}

function visible(query: string, workflowId: string) {
  const found = async () => {
    for await (const execution of rig.client.workflow.list({ query })) {
      if (execution.workflowId === workflowId) return true;
    }
    return false;
  };
  return eventually(found, Boolean, query);
}

async function secondsUntilEnded(onboarding: Onboarding, begun: number) {
  const { outcome } = await onboarding.outcome();
  return { outcome, seconds: (performance.now() - begun) / 1_000 };
}

async function sandboxTells({ url }: RunningReceiver): Promise<void> {
  const webhook = { url: `${url}/webhooks/banking/${SECRET_PATH}`, notificationType: 'ApplicationStatus' };
  const registered = await fetch(`${rig.sandbox.url}/sandbox/webhooks`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(webhook),
  });
  expect(registered.status).toBe(201);
}

async function deliveries(): Promise<{ payload: { profileId: number }; attempts: number[] }[]> {
  const answer = await fetch(`${rig.sandbox.url}/sandbox/webhooks`);
  return ((await answer.json()) as { deliveries: never[] }).deliveries;
}

describe('the bank’s own webhook, while the poll would wait for an hour,', () => {
  it('becomes a result at once, delivered twice too', async () => {
    const { onboarding, profileId } = await waitingBusiness();
    await sandboxTells(await runReceiver(rig, { hints }));
    await rig.sandbox.plan('duplicate-webhooks');
    const begun = performance.now();
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    const { outcome, seconds } = await secondsUntilEnded(onboarding, begun);
    expect(outcome).toBe('declined');
    expect(seconds).toBeLessThan(5);
    const attempts = async () =>
      (await deliveries())
        .filter(({ payload }) => payload.profileId === profileId)
        .map((delivery) => delivery.attempts);
    await expect.poll(attempts, { timeout: 5_000 }).toEqual([[202], [202]]);
  });

  it('may come after the one that should follow it', async () => {
    const { onboarding, profileId } = await waitingBusiness();
    await sandboxTells(await runReceiver(rig, { hints }));
    await rig.sandbox.plan('reorder-webhooks', undefined, { milliseconds: 20_000 });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'InReview' });
    const begun = performance.now();
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    const { outcome, seconds } = await secondsUntilEnded(onboarding, begun);
    expect(outcome).toBe('declined');
    expect(seconds).toBeLessThan(5);
  });
});

describe('a hint makes the workflow read that it is about, found', () => {
  it.each<[string, (about: { merchantProfileId: number; externalId: string }) => string]>([
    ['by the id of its merchant', ({ merchantProfileId }) => `{"MerchantProfileId":${merchantProfileId}}`],
    [
      'by the id as a text, in a list, deep inside',
      ({ merchantProfileId }) => `[{"a":[{"merchantProfileID":"${merchantProfileId}"}]}]`,
    ],
    ['by our own key', ({ externalId }) => `{"Guid":"${externalId}"}`],
  ])('%s', async (_, delivery) => {
    const receiver = await runReceiver(rig, { hints });
    const { boarding, merchantProfileId, externalId } = await waitingMerchant();
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const begun = performance.now();
    const { status, text } = await tell(receiver, 'boarding', delivery({ merchantProfileId, externalId }));
    expect([status, text]).toEqual([202, '{"workflows":1}']);
    const { outcome, seconds } = await secondsUntilEnded(boarding, begun);
    expect(outcome).toBe('declined');
    expect(seconds).toBeLessThan(5);
  });

  it('by what the processor calls it, which is answered with 200 as it expects', async () => {
    const { call } = await runReceiver(rig, { hints });
    const { boarding, merchantProfileId, externalId } = await waitingMerchant();
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const body = `{
      "event": "BusinessUpdated", "uuid": "0b9c1c5e-6f7a-4a52-9d3d-6f0d7c1f1a11", "payer_uuid": null,
      "payee_uuid": "4f2a6a0e-1c1d-4e0e-8a55-2f9f0a0b7c22", "status": "completed", "currency": "USD", "amount": 1200,
      "client_reference_id": "${externalId}", "created_at": "2026-11-21T10:00:00Z"
    }`;
    const { status, text } = await call('POST /webhooks/processor', body, {
      ...json,
      'x-caller-auth': X_CALLER_AUTH,
    });
    expect([status, text]).toEqual([200, '{"workflows":1}']);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
  });

  it('among several that one delivery is about, and parents of onboardings are no obstacle', async () => {
    const receiver = await runReceiver(rig, { hints });
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
    await other.asleepAfter(1);
    const { profileId = 0 } = await other.state();
    for (const { workflowId } of [whole, boarding]) {
      await visible(`MerchantProfileId = '${merchantProfileId}'`, workflowId);
    }
    await visible(`BankingProfileId = '${profileId}'`, other.workflowId);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    const body = `{"profileId": ${profileId}, "merchantProfileId": ${merchantProfileId}}`;
    const { status, text } = await tell(receiver, 'banking', body);
    expect([status, text]).toEqual([202, '{"workflows":3}']);
    expect(await whole.outcome()).toMatchObject({ outcome: 'declined' });
  });

  it('although its id was not to be searched by yet when the hint came', async () => {
    const receiver = await runReceiver(rig, { hints });
    // The sandbox counts up; on a busy machine the merchant may come too late for the second look.
    for (let attempt = 1; ; attempt++) {
      const { merchantProfileId: last } = await waitingMerchant();
      const next = last + 1;
      const { text } = await tell(receiver, 'boarding', `{"merchantProfileId":${next}}`);
      expect(text).toBe('{"workflows":0}');
      const boarding = await rig.board(merchant('waiting'));
      const { merchantProfileId } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
      expect(merchantProfileId).toBe(next);
      await boarding.asleepAfter(1);
      await rig.sandbox.transition(next, { status: 'Declined' });
      const ended = await Promise.race([boarding.outcome(), sleep(5_000)]);
      if (!ended && attempt < 3) continue;
      expect(ended).toMatchObject({ outcome: 'declined' });
      return;
    }
  });
});

/** A merchant whose status is being read: the read has the old one already, and its answer takes a while. */
async function readMerchant(receiver: RunningReceiver, milliseconds: number) {
  const about = await waitingMerchant();
  await rig.sandbox.plan('delay', 'get-underwriting-notes', { milliseconds });
  const body = `{"merchantProfileId":${about.merchantProfileId}}`;
  await tell(receiver, 'boarding', body);
  await eventually(
    async () => (await about.boarding.poll())?.state,
    (state) => state === 2,
    'a running read',
  );
  return { ...about, body };
}

it('more ids than one look takes are no obstacle to those before them', async () => {
  const receiver = await runReceiver(rig, { hints });
  const ids = Array.from({ length: 100 }, (_, position) => 4_000_000_000 + position);
  for (const field of ['profileId', 'merchantProfileId']) {
    const body = JSON.stringify(ids.map((id) => ({ [field]: id })));
    expect(await tell(receiver, 'banking', body)).toMatchObject({ status: 202, text: '{"workflows":0}' });
  }
  const tooMany = JSON.stringify([...ids, 1].map((profileId) => ({ profileId })));
  expect(await tell(receiver, 'banking', tooMany)).toMatchObject({ status: 413 });
  await sleep(4_000);
  expect(receiver.log()).not.toContain('could not be looked up');
});

describe('hints that meet a read', () => {
  it('are answered at once, and all together cause two more reads at most', async () => {
    const receiver = await runReceiver(rig, { hints });
    const { boarding, body } = await readMerchant(receiver, 2_000);
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => tell(receiver, 'boarding', body)));
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"workflows":1}']));
    // One before any hint, one for the hint that came alone, and for the twenty one or two.
    await boarding.asleepAfter(3);
    await sleep(1_000);
    expect(await boarding.reads()).toBeLessThanOrEqual(4);
  });

  it('are let go of when the receiver stops', async () => {
    const receiver = await runReceiver(rig, { hints });
    const { boarding, body } = await readMerchant(receiver, 5_000);
    for (let time = 0; time < 3; time++) await tell(receiver, 'boarding', body);
    const begun = performance.now();
    await receiver.close();
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(receiver.log()).not.toContain('"level":40');
    await boarding.handle.terminate();
  });
});

it('a lie changes nothing: the read decides, and history does not grow', async () => {
  const receiver = await runReceiver(rig, { hints });
  const { onboarding, profileId } = await waitingBusiness();
  const before = await onboarding.state();
  const { historyLength } = await onboarding.handle.describe();
  for (let time = 0; time < 3; time++) {
    const body = `{"notificationType":"ApplicationStatus","profileId":${profileId},"status":"Approved"}`;
    expect(await tell(receiver, 'banking', body)).toMatchObject({ status: 202, text: '{"workflows":1}' });
  }
  await onboarding.asleepAfter(2);
  expect(await onboarding.state()).toEqual(before);
  expect(await onboarding.handle.describe()).toMatchObject({ historyLength, status: { name: 'RUNNING' } });
});

describe('a delivery for nobody is taken and counted', () => {
  it.each([
    ['an unknown id', '{"profileId": 4294967295}'],
    ['no id', '{"type": "ping"}'],
    ['nothing', '[]'],
    ['ids that are none', `{"profileId": "1' OR BankingProfileId != '", "merchantProfileId": -1.5}`],
    ['an id of another type', '{"profileId": {"$ne": 1}, "merchantProfileId": true}'],
    ['an id too deep to be looked for', `${'{"a":'.repeat(20)}{"profileId":1}${'}'.repeat(20)}`],
  ])('%s', async (_, body) => {
    const receiver = await runReceiver(rig, { hints });
    const { status, text } = await tell(receiver, 'banking', body);
    expect([status, text]).toEqual([202, '{"workflows":0}']);
    const metrics = async () => (await receiver.call('GET /metrics')).text;
    await expect.poll(metrics).toContain('\ngangway_hints_total{partner="banking",result="nobody"} 1\n');
  });

  it('one whose workflow has ended', async () => {
    const receiver = await runReceiver(rig, { hints });
    const { boarding, merchantProfileId } = await waitingMerchant();
    await boarding.handle.terminate();
    const ended = `MerchantProfileId = '${merchantProfileId}' AND ExecutionStatus = 'Terminated'`;
    await visible(ended, boarding.workflowId);
    const body = `{"merchantProfileId":${merchantProfileId}}`;
    expect(await tell(receiver, 'boarding', body)).toMatchObject({ status: 202, text: '{"workflows":0}' });
  });
});

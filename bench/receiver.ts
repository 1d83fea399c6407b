/** What the receiver costs and bears: lines for `npm run figures`. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { createLogger } from '../src/logging.js';
import { type Receiver, startReceiver } from '../src/receiver/server.js';
import { loadReceiverSettings } from '../src/receiver/settings.js';
import { flood } from '../test/receiver/flood.js';
import { event, SECRET, STRUCTURED, signed } from '../test/receiver/running-receiver.js';
import { business, merchant, type Rig } from '../test/rig.js';

type Line = readonly [what: string, figure: string];

const AT_ONCE = 64;

/** Starts by events and by bare calls of the client, in turns on one server, so that both meet the same load. */
export async function receiverThroughput(client: Client): Promise<Line[]> {
  const [turns, starts] = [3, 1_000];
  const taskQueue = `nobody-${randomUUID()}`;
  const receiver = await receive(client, taskQueue);
  const seconds = { bare: 0, received: 0 };
  for (let turn = 0; turn < turns; turn++) {
    seconds.bare += await secondsFor(starts, async () => {
      const input = merchant();
      await client.workflow.signalWithStart('merchantBoarding', {
        ...{ workflowId: `bare-${input.externalId}`, taskQueue, args: [input], signal: 'go', signalArgs: [] },
      });
    });
    seconds.received += await secondsFor(starts, async () => {
      const body = JSON.stringify(event('merchant.boarding.requested.v1', merchant()));
      const headers = { 'content-type': STRUCTURED, ...signed(body) };
      const response = await fetch(`${receiver.url}/events`, { method: 'POST', headers, body });
      if (response.status !== 202) throw new Error(`an event was answered with ${response.status}`);
      await response.arrayBuffer();
    });
  }
  await receiver.close();
  const [bare, received] = [seconds.bare, seconds.received].map((sum) => (turns * starts) / sum) as [
    number,
    number,
  ];
  const ratio = (received / bare).toFixed(2);
  const figure = `${received.toFixed(0)} and ${bare.toFixed(0)} a second, ratio ${ratio}`;
  return [['events accepted, and bare signalWithStart', figure]];
}

async function secondsFor(count: number, run: () => Promise<void>): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const begun = performance.now();
  await Promise.all(Array.from({ length: count }, () => limit(run)));
  return (performance.now() - begun) / 1_000;
}

/** From a change at the bank to the workflow's result, by the bank's own webhook. The poll of the rig must be long. */
export async function hintLatency({ client, taskQueue, sandbox, onboardBusiness }: Rig): Promise<Line[]> {
  const hints = 40;
  const receiver = await receive(client, taskQueue);
  const webhook = { url: `${receiver.url}/webhooks/banking`, notificationType: 'ApplicationStatus' };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${sandbox.url}/sandbox/webhooks`, { method: 'POST', headers, body: JSON.stringify(webhook) });
  const latencies: number[] = [];
  for (let turn = 0; turn < hints; turn++) {
    const onboarding = await onboardBusiness(business('waiting'));
    const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus !== null);
    await onboarding.asleepAfter(1);
    await visible(client, `BankingProfileId = '${profileId}' AND TaskQueue = '${taskQueue}'`);
    const begun = performance.now();
    await sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    await onboarding.outcome();
    latencies.push(performance.now() - begun);
  }
  await receiver.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(latencies[Math.ceil(hints * share) - 1] ?? 0)} ms`;
  return [['the bank’s change to result, by webhook', `p50 ${at(0.5)}, p99 ${at(0.99)} (${hints} webhooks)`]];
}

async function visible(client: Client, query: string): Promise<void> {
  while ((await client.workflow.count(query)).count === 0);
}

/** 10,000 events, some repeated and some forged. */
export async function eventFlood(client: Client): Promise<Line[]> {
  const taskQueue = `flood-${randomUUID()}`;
  const receiver = await receive(client, taskQueue);
  const { seconds, answers, ...counts } = await flood(client, taskQueue, `${receiver.url}/events`, 10_000);
  await receiver.close();
  return [
    ['flood of events', `${counts.sent} in ${seconds.toFixed(0)} s, ${AT_ONCE} at once`],
    ['  of which repeated, forged', `${counts.repeated}, ${counts.forged}`],
    [
      '  answers',
      Object.entries(answers)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', '),
    ],
    ['  accepted, started', `${counts.accepted}, ${counts.started}`],
    ['  lost, doubled', `${counts.lost}, ${counts.doubled}`],
  ];
}

function receive(client: Client, taskQueue: string): Promise<Receiver> {
  const settings = loadReceiverSettings({
    ...{ RECEIVER_ADDRESS: '127.0.0.1:0', RECEIVER_SECRETS: SECRET, RECEIVER_BANKING_AUTH: 'none' },
    RECEIVER_REQUESTS_PER_MINUTE: '9999999',
  });
  return startReceiver({ ...settings, client, taskQueue, logger: createLogger('error') });
}

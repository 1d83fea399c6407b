import { business } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import { eventually } from '../../test/rigs/waiting.js';
import { bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway, receiving } from '../gangway.js';
import type { Line } from '../line.js';
import { latencies } from '../timing.js';
import { inTurnsOfWaiting, type Measure, toBeSignalled } from './nudges.js';

/** The time from a status change at the bank to the result of the workflow, by webhook, beside a signal to a bare workflow. */
export async function* webhooks(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, { GANGWAY_POLL_MIN: '1h', GANGWAY_POLL_MAX: '1h' });
  const bare = await bareWorker(bench, ours.sandbox.url);
  const receiver = await receiving(bench, ours.client, ours.taskQueue);
  const webhook = { url: `${receiver}/webhooks/banking`, notificationType: 'ApplicationStatus' };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(webhook);
  await fetch(`${ours.sandbox.url}/sandbox/webhooks`, { method: 'POST', headers, body });
  const turns = await inTurnsOfWaiting(
    bench.size(200, 3),
    () => toBeNotified(ours),
    () => toBeSignalled(bare),
  );
  yield* latencies('status change at the bank to result, by webhook', turns, { p50: 3, p99: 3.5 });
}

async function toBeNotified({ client, taskQueue, onboardBusiness, sandbox }: Rig): Promise<Measure> {
  const onboarding = await onboardBusiness(business('waiting'));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus !== null);
  await onboarding.asleepAfter(1);
  // A partner webhook finds its workflow by a search attribute, which the server indexes with a delay.
  const query = `BankingProfileId = '${profileId}' AND TaskQueue = '${taskQueue}'`;
  const found = async () => (await client.workflow.count(query)).count;
  await eventually(found, (count) => count > 0, 'the workflow in a search');
  return async () => {
    await sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    await onboarding.outcome();
  };
}

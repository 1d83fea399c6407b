import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { percentile } from '../../src/services/reports/statistics.js';
import { nudge } from '../../src/temporal/nudge.js';
import { business, merchant } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import { eventually } from '../../test/rigs/waiting.js';
import { type BareWorker, bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway, receiving } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, millisecondsOf } from '../timing.js';
import { RARE_POLLS } from '../waiting.js';

/** More would keep the worker busy for longer than a preparation may take. */
const AT_ONCE = 10;

/** Time for what the start of a workflow leaves to do. Real ones have waited for hours when something happens. */
const REST_MS = 3_000;

/** Makes a workflow that waits end, and waits for its result. */
type Measure = () => Promise<void>;

/** The time from a nudge, and from a partner webhook, to the result of the workflow, compared with a signal to a bare workflow. */
export async function* nudges(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, RARE_POLLS);
  const bare = await bareWorker(bench, ours.sandbox.url);
  await notifying(bench, ours);
  const turns = bench.size(200, 3);
  const signalled = () => toBeSignalled(bare);
  yield* latencies('nudge to result', await inTurnsOfWaiting(turns, () => toBeNudged(ours), signalled), {
    p50: 2.5,
    p99: 3,
  });
  const notified = await inTurnsOfWaiting(turns, () => toBeNotified(ours), signalled);
  yield* latencies('status change at the bank to result, by webhook', notified, { p50: 3, p99: 3.5 });
}

/** Has the bank send webhooks to a receiver. */
async function notifying(bench: Bench, { client, taskQueue, sandbox }: Rig): Promise<void> {
  const url = `${await receiving(bench, client, taskQueue)}/webhooks/banking`;
  const body = JSON.stringify({ url, notificationType: 'ApplicationStatus' });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${sandbox.url}/sandbox/webhooks`, { method: 'POST', headers, body });
}

/** Has each side prepare its workflows, which wait then, and measures them in turns. */
async function inTurnsOfWaiting(turns: number, ours: () => Promise<Measure>, other: () => Promise<Measure>) {
  const limit = pLimit(AT_ONCE);
  const prepared = (prepare: () => Promise<Measure>) =>
    Promise.all(Array.from({ length: turns }, () => limit(prepare)));
  const [wait, theirs] = [await prepared(ours), await prepared(other)];
  await sleep(REST_MS);
  return inTurns(
    turns,
    (turn) => millisecondsOf(wait[turn] as Measure),
    (turn) => millisecondsOf(theirs[turn] as Measure),
  );
}

async function* latencies(
  what: string,
  { ours, other }: { readonly ours: readonly number[]; readonly other: readonly number[] },
  most: { readonly p50: number; readonly p99: number },
): AsyncGenerator<Line> {
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    yield line({
      what: `${what}, ${name} of ${ours.length}`,
      figure: percentile(ours, share),
      unit: 'ms',
      goal: { atMost: most[name] },
      baseline: { what: 'signal to result, bare', figure: percentile(other, share) },
    });
  }
}

async function toBeNudged({ client, board, sandbox }: Rig): Promise<Measure> {
  const boarding = await board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await boarding.asleepAfter(1);
  await sandbox.transition(merchantProfileId, { status: 'Declined' });
  return async () => {
    await nudge(client, boarding.workflowId);
    await boarding.outcome();
  };
}

async function toBeNotified({ client, taskQueue, onboardBusiness, sandbox }: Rig): Promise<Measure> {
  const onboarding = await onboardBusiness(business('waiting'));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus !== null);
  await onboarding.asleepAfter(1);
  // A partner webhook finds its workflow by a search attribute, which the server indexes with a delay.
  const query = `BankingProfileId = '${profileId}' AND TaskQueue = '${taskQueue}'`;
  const result = async () => (await client.workflow.count(query)).count;
  await eventually(result, (count) => count > 0, 'the workflow in a search');
  return async () => {
    await sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
    await onboarding.outcome();
  };
}

/** A bare workflow that waits for a signal. */
async function toBeSignalled({ client, taskQueue }: BareWorker): Promise<Measure> {
  const workflowId = `until-signalled-${randomUUID()}`;
  const handle = await client.workflow.start('untilSignalled', { workflowId, taskQueue });
  return async () => {
    await handle.signal('go');
    await handle.result();
  };
}

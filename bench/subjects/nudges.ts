import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import { type BareWorker, bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import type { Line } from '../line.js';
import { inTurns, latencies, millisecondsOf } from '../timing.js';

/** More would keep the worker busy for longer than a preparation may take. */
const AT_ONCE = 10;

/** Time for what the start of a workflow leaves to do. Real ones have waited for hours when something happens. */
const REST_MS = 3_000;

/** The time from a nudge to the result of a boarding that the partner has just declined, beside a signal to a bare workflow. */
export async function* nudges(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, { GANGWAY_POLL_MIN: '1h', GANGWAY_POLL_MAX: '1h' });
  const bare = await bareWorker(bench, ours.sandbox.url);
  yield* latencies(
    'nudge to result',
    await inTurnsOfWaiting(
      bench.size(200, 3),
      () => toBeNudged(ours),
      () => toBeSignalled(bare),
    ),
    { p50: 2.5, p99: 3 },
  );
}

/** Has each side prepare its workflows, which wait then, and measures them in turns. */
export async function inTurnsOfWaiting(
  turns: number,
  ours: () => Promise<Measure>,
  other: () => Promise<Measure>,
) {
  const limit = pLimit(AT_ONCE);
  const prepared = (prepare: () => Promise<Measure>) =>
    Promise.all(Array.from({ length: turns }, () => limit(prepare)));
  const [wait, beside] = [await prepared(ours), await prepared(other)];
  await sleep(REST_MS);
  return inTurns(
    turns,
    (turn) => millisecondsOf(wait[turn] as Measure),
    (turn) => millisecondsOf(beside[turn] as Measure),
  );
}

/** Makes a workflow that waits end, and waits for its result. */
export type Measure = () => Promise<void>;

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

/** A bare workflow that waits for a signal. */
export async function toBeSignalled({ client, taskQueue }: BareWorker): Promise<Measure> {
  const workflowId = `until-signalled-${randomUUID()}`;
  const handle = await client.workflow.start('untilSignalled', { workflowId, taskQueue });
  return async () => {
    await handle.signal('go');
    await handle.result();
  };
}

import { randomUUID } from 'node:crypto';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import { type BareWorker, bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import type { Line } from '../line.js';
import { inTurns, latencies, millisecondsOf } from '../timing.js';

/** The time from a nudge to the result of a boarding that the partner has just declined, beside a signal to a bare workflow. */
export async function* nudges(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, { GANGWAY_POLL_MIN: '1h', GANGWAY_POLL_MAX: '1h' });
  const bare = await bareWorker(bench, ours.sandbox.url);
  const turns = await inTurns(
    bench.size(200, 3),
    () => nudged(ours),
    () => signalled(bare),
  );
  yield* latencies('nudge to result', turns, { p50: 2.5, p99: 3 });
}

async function nudged({ client, board, sandbox }: Rig): Promise<number> {
  const boarding = await board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await boarding.asleepAfter(1);
  await sandbox.transition(merchantProfileId, { status: 'Declined' });
  return millisecondsOf(async () => {
    await nudge(client, boarding.workflowId);
    await boarding.outcome();
  });
}

/** The time from a signal to the result of a bare workflow, in milliseconds. */
export async function signalled({ client, taskQueue }: BareWorker): Promise<number> {
  const workflowId = `until-signalled-${randomUUID()}`;
  const handle = await client.workflow.start('untilSignalled', { workflowId, taskQueue });
  return millisecondsOf(async () => {
    await handle.signal('go');
    await handle.result();
  });
}

import { randomUUID } from 'node:crypto';
import { merchant } from '../../test/rigs/inputs.js';
import { eventually } from '../../test/rigs/waiting.js';
import { bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { type Line, line } from '../line.js';

/** For a thousand reads: they request a pause of a millisecond, but the server waits for some seconds. */
const PATIENCE_MS = 3_600_000;

/**
 * The history of a waiting boarding after 10, 100 and 1,000 reads of the status, beside a workflow that reads in an activity,
 * sleeps for a millisecond, and repeats.
 */
export async function* polls(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench, { poll: { minMs: 1, maxMs: 1 } });
  const loop = await bareWorker(bench, rig.sandbox.url);
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  const atOnce = await boarding.handle.describe();
  for (const reads of [0, 10, 100, 1_000].slice(0, bench.size(4, 2))) {
    const attempts = async () => (await boarding.poll())?.attempt ?? 0;
    await eventually(attempts, (begun) => begun > reads, `${reads} reads`, PATIENCE_MS);
    const ours = await boarding.handle.describe();
    const workflowId = `sleep-loop-${randomUUID()}`;
    const { client, taskQueue } = loop;
    const args = [merchantProfileId, reads];
    await client.workflow.execute('sleepLoop', { workflowId, taskQueue, args });
    const other = await client.workflow.getHandle(workflowId).describe();
    const what = `history of a boarding after ${reads} reads in one status`;
    const flat = { atMost: atOnce.historyLength };
    yield line({ what, figure: ours.historyLength, unit: 'events', goal: flat });
    yield line({
      what,
      figure: ours.historySize ?? 0,
      unit: 'bytes',
      beside: loopOf(other.historySize ?? 0),
    });
    yield line({ what, figure: ours.historyLength, unit: 'events', beside: loopOf(other.historyLength) });
  }
}

function loopOf(figure: number): { what: string; figure: number } {
  return { what: 'in a loop of reads and sleeps', figure };
}

import { randomUUID } from 'node:crypto';
import { merchant } from '../../test/rigs/inputs.js';
import { bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median, perSecond } from '../timing.js';

/** More than the workflow tasks that the workers of one process run at a time. */
const AT_ONCE = 64;

/**
 * Straight boardings beside bare workflows with as many activities that do nothing. Only Gangway's side has encryption, search
 * attributes, HTTP, and the sandbox, which runs in its own process on the same cores.
 */
export async function* throughput(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench);
  const bare = await bareWorker(bench, ours.sandbox.url);
  const board = async () => (await ours.board(merchant())).outcome();
  const first = await ours.board(merchant());
  await first.outcome();
  const activities = (await first.written()).filter((name) =>
    name.startsWith('activityTaskScheduled'),
  ).length;
  const runBare = (activityTaskQueue?: string) =>
    bare.client.workflow.execute('noOps', {
      ...{ workflowId: `no-ops-${randomUUID()}`, taskQueue: bare.taskQueue },
      args: activityTaskQueue === undefined ? [activities] : [activities, activityTaskQueue],
    });

  const count = bench.size(100, 10);
  const turns = bench.size(3, 1);
  const rate = (run: () => Promise<unknown>) => () => perSecond(count, AT_ONCE, run);
  // The first turn, which warms both up, is not measured.
  await rate(board)();
  for (const [what, run] of [
    ['bare, of one task queue', () => runBare()],
    ['bare, activities on their own task queue', () => runBare(bare.activityTaskQueue)],
  ] as const) {
    await rate(run)();
    const rates = await inTurns(turns, rate(board), rate(run));
    yield line({
      what: `straight boardings, ${activities} activities each`,
      ...{ figure: median(rates.ours), unit: 'a second', goal: { atLeast: 0.8 } },
      beside: { what, figure: median(rates.other) },
    });
  }
}

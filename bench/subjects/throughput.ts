import { merchant } from '../../test/rigs/inputs.js';
import { bareWorker, runNoOps } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { boarding, gangway } from '../gangway.js';
import { eventsOf, sum } from '../histories.js';
import { type Line, line } from '../line.js';
import { AT_ONCE, cpuMs, inTurns, median, perSecond } from '../timing.js';

const COMPARED = [
  { what: 'bare, of one task queue', hasPartnerQueue: false, goal: { atLeast: 0.55 } },
  { what: 'bare, with a partner queue', hasPartnerQueue: true, goal: { atLeast: 0.7 } },
] as const;

/**
 * Straight boardings, encrypted, compared with bare workflows with as many activities that do nothing: the most that the SDK can
 * do. Only Gangway's side has search attributes, HTTP, marks, encryption, and the sandbox, which runs on the same cores.
 */
export async function* throughput(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench);
  const first = await ours.board(merchant());
  await first.outcome();
  const { activityTaskScheduled: activities = 0 } = await eventsOf(first);
  const bare = await bareWorker(bench, ours.sandbox.url);
  const [count, turns] = [bench.size(100, 10), bench.size(5, 1)];
  const rate = (run: () => Promise<unknown>) => () => perSecond(count, AT_ONCE, run);
  const cpuOfBoth = () => Promise.all([cpuMs(ours.worker.child.pid ?? 0), cpuMs(bare.pid)]);
  const used: number[][] = [];
  for (const { what, hasPartnerQueue, goal } of COMPARED) {
    const board = rate(() => boarding(ours));
    const runBare = rate(() => runNoOps(bare, activities, hasPartnerQueue));
    // The first turn, which warms both up, is not measured.
    await inTurns(1, board, runBare);
    const before = await cpuOfBoth();
    const rates = await inTurns(turns, board, runBare);
    const after = await cpuOfBoth();
    used.push(after.map((milliseconds, side) => (milliseconds - (before[side] ?? 0)) / (turns * count)));
    yield line({
      what: `straight boardings, ${activities} activities each`,
      figure: median(rates.ours),
      unit: 'a second',
      goal,
      baseline: { what, figure: median(rates.other) },
    });
  }
  const [worker = 0, other = 0] = [0, 1].map(
    (side) => sum(used.map((each) => each[side] ?? 0)) / used.length,
  );
  yield line({
    what: 'worker CPU of a straight boarding',
    figure: worker,
    unit: 'ms',
    goal: { atMost: 1.9 },
    baseline: { what: `bare, ${activities} activities, mean of both`, figure: other },
  });
}

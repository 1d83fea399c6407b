import { merchant } from '../../test/rigs/inputs.js';
import { type BareWorker, bareWorker, runNoOps } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import { type Goal, type Line, line } from '../line.js';
import { cpuMs, inTurns, median, perSecond } from '../timing.js';

/** More than the workflow tasks that the workers of one process run at a time. */
const AT_ONCE = 64;

/** The activities of a straight boarding before its workflow was made lean (commit 6a1e8c7). */
const ONCE = 5;

/** A bare side of the comparison. */
interface Bare {
  readonly what: string;
  readonly worker: BareWorker;
  /** Default: as many as Gangway's. */
  readonly activities?: number;
  /** Runs its activities on a task queue of their own, as Gangway does. */
  readonly hasPartnerQueue: boolean;
  readonly goal?: Goal;
}

/**
 * Straight boardings, encrypted, beside bare workflows with as many activities that do nothing. Only Gangway's side has search
 * attributes, HTTP, marks, and the sandbox, which runs in its own process on the same cores. The third comparison encrypts both
 * sides. The last one has as many activities as a straight boarding once had.
 */
export async function* throughput(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench);
  const board = async () => (await ours.board(merchant())).outcome();
  const first = await ours.board(merchant());
  await first.outcome();
  const activities = (await first.written()).filter((name) =>
    name.startsWith('activityTaskScheduled'),
  ).length;
  const plain = await bareWorker(bench, ours.sandbox.url);
  const encrypted = await bareWorker(bench, ours.sandbox.url, ours.env['PAYLOAD_KEYS']);
  const comparisons: readonly Bare[] = [
    { what: 'bare, of one task queue', worker: plain, hasPartnerQueue: false, goal: { atLeast: 0.8 } },
    { what: 'bare, with a partner queue', worker: plain, hasPartnerQueue: true, goal: { atLeast: 0.85 } },
    {
      ...{ what: 'bare, with a partner queue and encryption', worker: encrypted, hasPartnerQueue: true },
      goal: { atLeast: 0.75 },
    },
    {
      ...{ what: `bare, with a partner queue and ${ONCE} activities`, worker: plain, hasPartnerQueue: true },
      activities: ONCE,
    },
  ];

  const count = bench.size(100, 10);
  const turns = bench.size(5, 1);
  const rate = (run: () => Promise<unknown>) => () => perSecond(count, AT_ONCE, run);
  const ourPid = ours.worker.child.pid ?? 0;
  const cpu = { ours: 0, bare: 0, runs: 0 };
  // The first turn, which warms both up, is not measured.
  await rate(board)();
  for (const { what, worker, hasPartnerQueue, goal, activities: bares = activities } of comparisons) {
    const runBare = () => runNoOps(worker, bares, hasPartnerQueue);
    await rate(runBare)();
    const before = { ours: await cpuMs(ourPid), bare: await cpuMs(worker.pid) };
    const rates = await inTurns(turns, rate(board), rate(runBare));
    if (bares === activities) {
      cpu.ours += (await cpuMs(ourPid)) - before.ours;
      cpu.bare += (await cpuMs(worker.pid)) - before.bare;
      cpu.runs += turns * count;
    }
    yield line({
      what: `straight boardings, ${activities} activities each`,
      ...{ figure: median(rates.ours), unit: 'a second', ...(goal && { goal }) },
      beside: { what, figure: median(rates.other) },
    });
  }
  yield line({
    ...{ what: 'worker CPU of a straight boarding', figure: cpu.ours / cpu.runs, unit: 'ms' },
    beside: { what: 'bare, mean of those with as many activities', figure: cpu.bare / cpu.runs },
  });
}

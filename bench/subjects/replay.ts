import { Worker } from '@temporalio/worker';
import { WORKFLOW_BUNDLES } from '../../src/worker/bundles.js';
import { merchant } from '../../test/rigs/inputs.js';
import { bareWorker, runNoOps } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { eventsOf } from '../histories.js';
import { type Line, line } from '../line.js';
import { inTurns, median } from '../timing.js';

/**
 * What a replay of a straight boarding took beside one of a bare workflow, before its workflow was made lean (commit 6a1e8c7). The
 * goal is 0.6 of that: the code of that time cannot run beside today's.
 */
const BEFORE = 2.9;

const GOAL = { atMost: Number((0.6 * BEFORE).toFixed(2)) };

/** A straight boarding of that commit had so many activities, and so has the bare workflow. */
const BARE_ACTIVITIES = 5;

/** The CPU time of the replay of a straight boarding, beside that of a bare workflow. */
export async function* replay(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench, { worker: false, payloadKeys: '' });
  const worker = await rig.startWorker();
  const boarding = await rig.board(merchant());
  await boarding.outcome();
  const ours = await boarding.handle.fetchHistory();
  const { activityTaskScheduled: activities = 0 } = await eventsOf(boarding);
  // It must not use the CPU of this process meanwhile.
  await worker.stop();
  const bare = await bareWorker(bench, rig.sandbox.url);
  const workflowId = await runNoOps(bare, BARE_ACTIVITIES, true);
  const other = await bare.client.workflow.getHandle(workflowId).fetchHistory();

  const count = bench.size(300, 10);
  const replayOf = (codePath: string, history: unknown) => async () => {
    const begin = await cpuOf(codePath, history, 1);
    return ((await cpuOf(codePath, history, count + 1)) - begin) / count;
  };
  const replays = await inTurns(
    bench.size(9, 1),
    replayOf(WORKFLOW_BUNDLES.plain, ours),
    replayOf(bare.bundle, other),
  );
  yield line({
    what: `replay of a straight boarding, ${activities} activities`,
    ...{ figure: median(replays.ours), unit: 'ms of CPU', goal: GOAL },
    beside: {
      what: `bare, with a partner queue, ${BARE_ACTIVITIES} activities`,
      figure: median(replays.other),
    },
    parts: { 'times the bare one in 6a1e8c7': BEFORE },
  });
}

/** The CPU time of this process while it replays a history so many times, the start of the worker included. */
async function cpuOf(codePath: string, history: unknown, times: number): Promise<number> {
  const histories = Array.from({ length: times }, (_, index) => ({ workflowId: `replay-${index}`, history }));
  const begun = process.cpuUsage();
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error) throw error;
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from '../../test/rigs/scrape.js';
import type { Bench } from '../bench.js';
import { gangway, metricsAt, runningWorker } from '../gangway.js';
import { type Line, line } from '../line.js';
import { cpuMs } from '../timing.js';
import { decline, nudgeToEnd, RARE_POLLS, startWaiting } from '../waiting.js';

/** How long a worker that has nothing to do is watched. */
const WATCHED_MS = 20_000;

/** What a restart may cost, beside that of a worker for which nothing else waits. */
const GOAL = { atMost: 1.2 };

/**
 * A worker is killed while boardings wait. What the next one does depends on how many of them are nudged, and not on how many wait:
 * no history is replayed before its status changes.
 */
export async function* restart(bench: Bench): AsyncGenerator<Line> {
  const [all, few] = [bench.size(10_000, 60), bench.size(100, 5)];
  const nothing = await (await boardings(bench, 0))(0);
  const alone = await (await boardings(bench, few))(few);
  const restarted = await boardings(bench, all);
  const idle = await restarted(0);
  const what = `${all} wait, worker restarts, none is nudged`;
  const none = { atMost: 0 };
  yield line({ what, figure: idle.workflowTasks, unit: 'workflow tasks', goal: none });
  yield* compared(what, idle, { what: `nothing waits, ${WATCHED_MS / 1_000} s`, cost: nothing });
  const nudged = await restarted(few);
  const some = `${all} wait, worker restarts, ${few} are nudged`;
  const [figure, beside] = [nudged.workflowTasks, alone.workflowTasks];
  const only = `only these ${few} wait`;
  yield line({
    ...{ what: some, figure, unit: 'workflow tasks', goal: GOAL },
    beside: { what: only, figure: beside },
  });
  yield* compared(some, nudged, { what: only, cost: alone });
  yield line({
    ...{ what: `${some}, until they have ended`, figure: nudged.seconds, unit: 's' },
    beside: { what: only, figure: alone.seconds },
  });
}

/** What a worker has done since its start. */
interface Cost {
  readonly seconds: number;
  readonly workflowTasks: number;
  /** Requests to Temporal, polls for tasks included. */
  readonly requests: number;
  readonly cpuMs: number;
}

/** Starts boardings that wait. @returns replaces their worker by another one, and then nudges so many of them */
async function boardings(bench: Bench, count: number): Promise<(nudged: number) => Promise<Cost>> {
  const metrics = await metricsAt();
  const ours = await gangway(bench, { ...RARE_POLLS, ...metrics.setting });
  const waiting = await startWaiting(ours, count);
  let { worker } = ours;
  return async (nudged) => {
    worker.child.kill('SIGKILL');
    await worker.exit;
    const chosen = waiting.splice(0, nudged);
    await decline(ours, chosen);
    const begun = performance.now();
    worker = await runningWorker(bench, ours.env);
    if (nudged === 0) await sleep(WATCHED_MS);
    else await nudgeToEnd(ours, chosen);
    const seconds = (performance.now() - begun) / 1_000;
    const total = await scrape(metrics.url);
    const counted = (name: string) => total(name) || 0;
    return {
      seconds,
      workflowTasks: counted('temporal_workflow_task_queue_poll_succeed'),
      requests: counted('temporal_request') + counted('temporal_long_request'),
      cpuMs: await cpuMs(worker.child.pid ?? 0),
    };
  };
}

async function* compared(
  what: string,
  ours: Cost,
  other: { readonly what: string; readonly cost: Cost },
): AsyncGenerator<Line> {
  for (const [of, unit] of [
    ['requests', 'requests to Temporal'],
    ['cpuMs', 'ms of worker CPU'],
  ] as const) {
    const beside = { what: other.what, figure: other.cost[of] };
    yield line({ what, figure: ours[of], unit, beside, goal: GOAL });
  }
}

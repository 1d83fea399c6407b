import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from '../../test/rigs/scrape.js';
import type { Bench } from '../bench.js';
import { gangway, metricsAt, runningWorker } from '../gangway.js';
import { type Line, line } from '../line.js';
import { decline, nudgeToEnd, RARE_POLLS, startWaiting } from '../waiting.js';

/** How long a worker that has nothing to do is watched. */
const WATCHED_MS = 20_000;

/**
 * A worker is killed while boardings wait. What the next one does depends on how many of them are nudged, and not on how many wait:
 * no history is replayed before its status changes.
 */
export async function* restart(bench: Bench): AsyncGenerator<Line> {
  const [all, few] = [bench.size(10_000, 60), bench.size(100, 5)];
  const nothing = await (await boardings(bench, 0))(0);
  const restarted = await boardings(bench, all);
  const idle = await restarted(0);
  const what = `${all} wait, worker restarts`;
  const none = `${what}, none is nudged`;
  yield line({ what: none, figure: idle.workflowTasks, unit: 'workflow tasks', goal: { atMost: 0 } });
  yield line({
    what: none,
    figure: idle.requests,
    unit: 'requests to Temporal',
    goal: { atMost: 1.2 },
    baseline: { what: `nothing waits, ${WATCHED_MS / 1_000} s`, figure: nothing.requests },
  });
  const { workflowTasks } = await restarted(few);
  yield line({
    what: `${what}, ${few} are nudged`,
    figure: workflowTasks,
    unit: 'workflow tasks',
    goal: { atMost: 1.2 * few },
  });
}

/** What a worker has done since its start. */
interface Cost {
  readonly workflowTasks: number;
  /** Requests to Temporal, polls for tasks included. */
  readonly requests: number;
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
    worker = await runningWorker(bench, ours.env);
    if (nudged === 0) await sleep(WATCHED_MS);
    else await nudgeToEnd(ours, chosen);
    const total = await scrape(metrics.url);
    const counted = (name: string) => total(name) || 0;
    return {
      workflowTasks: counted('temporal_workflow_task_queue_poll_succeed'),
      requests: counted('temporal_request') + counted('temporal_long_request'),
    };
  };
}

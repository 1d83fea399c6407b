import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../../test/rigs/inputs.js';
import type { Onboarding } from '../../test/rigs/onboarding.js';
import { eventually } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { gangway, runningWorker } from '../gangway.js';
import { type Line, line } from '../line.js';
import { millisecondsOf } from '../timing.js';

const AT_ONCE = 32;

/** Many boardings at a time make each of them slow. */
const PATIENCE_MS = 300_000;

/** Time for the garbage collector. */
const SETTLING_MS = 5_000;

/**
 * The memory of a worker with boardings that wait. Then the worker is killed, and the next one reads for each boarding that the
 * partner has declined it. Compares that time with the time to start them.
 */
export async function* memory(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench, { GANGWAY_POLL_MIN: '1h', GANGWAY_POLL_MAX: '1h' });
  const limit = pLimit(AT_ONCE);
  const waiting: Waiting[] = [];
  const pid = ours.worker.child.pid ?? 0;
  const idle = await residentMiB(pid);
  yield line({ what: 'resident memory, nothing waits', figure: idle, unit: 'MiB' });
  let startingMs = 0;
  let before = idle;
  for (const wanted of [500, 1_000, 1_500, 2_000]
    .slice(0, bench.size(4, 2))
    .map((of) => of / bench.size(1, 50))) {
    const more = wanted - waiting.length;
    startingMs += await millisecondsOf(async () => {
      const started = Array.from({ length: more }, () =>
        limit(async () => {
          const boarding = await ours.board(merchant('waiting'));
          await eventually(
            () => boarding.reads(),
            (reads) => reads > 0,
            'a read',
            PATIENCE_MS,
          );
          const { merchantProfileId = 0 } = await boarding.state();
          return { boarding, merchantProfileId };
        }),
      );
      waiting.push(...(await Promise.all(started)));
    });
    const now = await residentMiB(pid);
    yield line({
      what: `resident memory, ${wanted} wait`,
      figure: now,
      unit: 'MiB',
      parts: { 'MiB more': now - before },
    });
    before = now;
  }

  ours.worker.child.kill('SIGKILL');
  await ours.worker.exit;
  await Promise.all(
    waiting.map(({ merchantProfileId }) =>
      limit(() => ours.sandbox.transition(merchantProfileId, { status: 'Declined' })),
    ),
  );
  const resumingMs = await millisecondsOf(async () => {
    await runningWorker(bench, ours.env);
    await Promise.all(
      waiting.map(({ boarding }) =>
        limit(async () => {
          await nudge(ours.client, boarding.workflowId);
          await boarding.outcome();
        }),
      ),
    );
  });
  yield line({
    ...{
      what: `restart until all ${waiting.length} have read and ended`,
      figure: resumingMs / 1_000,
      unit: 's',
    },
    beside: { what: 'to start them', figure: startingMs / 1_000 },
  });
}

interface Waiting {
  readonly boarding: Onboarding;
  readonly merchantProfileId: number;
}

/** The resident memory of a process on Linux. */
async function residentMiB(pid: number): Promise<number> {
  await sleep(SETTLING_MS);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
}

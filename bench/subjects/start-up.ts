import { launch } from '../../test/rigs/processes.js';
import { bareProcess } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { rigOn, stopped } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median } from '../timing.js';

/** How long a worker takes until it is ready. */
export async function* startUp(bench: Bench): AsyncGenerator<Line> {
  const { env, sandbox } = await rigOn(bench, { worker: false });
  const turns = bench.size(20, 2);
  const bare = await bareProcess(bench, sandbox.url);
  const worker = await inTurns(
    turns,
    () => timed(() => launch('worker', env, 'worker is ready')),
    () => timed(bare.start),
  );
  yield line({
    what: 'worker until ready',
    figure: median(worker.ours),
    unit: 'ms',
    goal: { atMost: 1.4 },
    baseline: { what: 'bare worker', figure: median(worker.other) },
  });
}

async function timed(start: () => ReturnType<typeof launch>): Promise<number> {
  const handle = performance.now();
  const started = await start();
  const milliseconds = performance.now() - handle;
  await stopped(started);
  return milliseconds;
}

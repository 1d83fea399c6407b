import { stat } from 'node:fs/promises';
import { WORKFLOW_BUNDLES } from '../../src/worker/bundles.js';
import { launch, run } from '../../test/rigs/processes.js';
import { bareProcess } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { rigOn, stopped } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median, millisecondsOf } from '../timing.js';

/** How long processes take until they are ready. */
export async function* startUp(bench: Bench): AsyncGenerator<Line> {
  const { env, sandbox } = await rigOn(bench, { worker: false });
  const turns = bench.size(20, 2);
  const bare = await bareProcess(bench, './nothing.ts', sandbox.url);
  const worker = await inTurns(
    turns,
    () => timed(() => launch('worker', env, 'worker is ready')),
    () => timed(bare.start),
  );
  yield line({
    ...{ what: 'worker until ready', figure: median(worker.ours), unit: 'ms', goal: { atMost: 1.4 } },
    beside: { what: 'bare worker, empty bundle', figure: median(worker.other) },
  });
  const node =
    (...args: string[]) =>
    () =>
      millisecondsOf(() => ranWell(args, env));
  const list = await inTurns(turns, node('dist/starter.js', 'list'), node('bench/bare/list.mjs'));
  yield line({
    ...{ what: 'gangway list', figure: median(list.ours), unit: 'ms', goal: { atMost: 1.8 } },
    beside: { what: 'bare process that lists with the client of the SDK', figure: median(list.other) },
  });
  const tab = ['complete', 'bash', '--', 'gangway list --stage '];
  for (const [what, args] of [
    ['gangway --help', ['--help']],
    ['a tab after gangway list --stage', tab],
  ] as const) {
    const times = await inTurns(turns, node('dist/starter.js', ...args), node('-e', '0'));
    yield line({
      ...{ what, figure: median(times.ours), unit: 'ms' },
      beside: { what: 'node -e 0', figure: median(times.other) },
    });
  }
  const { size } = await stat(WORKFLOW_BUNDLES.encoding);
  yield line({ what: 'bundle of the workflows and the SDK', figure: size, unit: 'bytes' });
}

async function timed(start: () => ReturnType<typeof launch>): Promise<number> {
  const begun = performance.now();
  const started = await start();
  const milliseconds = performance.now() - begun;
  await stopped(started);
  return milliseconds;
}

async function ranWell(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { code, stderr } = await run(process.execPath, args, env);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}: ${stderr}`);
}

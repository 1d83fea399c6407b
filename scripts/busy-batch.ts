/**
 * Boards a batch of merchants while busy loops occupy the processors, and counts the questions about writes, and the attempts of
 * writes whose time ended before it was their turn. There must be none: `npm run busy-batch -- --count 300 --loops 4`. Exit code 1
 * if there is one.
 */
import { spawn } from 'node:child_process';
import { Command } from 'commander';
import { positiveInteger } from '../src/commands/cli/options.js';
import { Printer } from '../src/commands/cli/output.js';
import { endWithUs } from '../src/process/lifecycle.js';
import { merchant } from '../test/rigs/inputs.js';
import { launch, spawnGangway } from '../test/rigs/processes.js';
import { createRig } from '../test/rigs/rig.js';
import { ensureFreshBuild } from './build-stamp.js';

ensureFreshBuild();

const { count, loops } = new Command('busy-batch')
  .description(
    'Board a batch next to busy loops. Count the questions about writes, and the attempts without a turn.',
  )
  .option('--count <n>', 'how many merchants', positiveInteger, 300)
  .option('--loops <n>', 'how many busy loops', positiveInteger, 4)
  .parse()
  .opts<{ count: number; loops: number }>();

const printer = new Printer(process);
const rig = await createRig({ server: {}, worker: false, sandbox: { pace: { milliseconds: 1_000 } } });
const worker = await launch('worker', rig.env, 'worker is ready');
const busy = Array.from({ length: loops }, () => {
  const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: true });
  endWithUs(loop, 'group');
  return loop;
});
const begun = performance.now();
try {
  const inputs = Array.from({ length: count }, () => merchant());
  const rows = inputs.map((input) => JSON.stringify(input)).join('\n');
  const command = ['batch', '-', '--format', 'ndjson', '--wait', '--yes', '--json'];
  const batch = await spawnGangway(rig.env, command, rows);
  if (batch.code !== 0) throw new Error(`gangway batch: ${batch.stderr}`);
  const boarded = batch.stdout.split('\n').filter((line) => line.includes('"outcome":"boarded"')).length;
  const asked: string[] = [];
  for (const { externalId } of inputs) {
    const handle = rig.client.workflow.getHandle(`merchant-boarding-${externalId}`);
    const state = await handle.query<{ timeline: { event: string; detail?: string }[] }>('state');
    for (const { event, detail = '' } of state.timeline)
      if (event === 'write-uncertain' || event === 'requirement-raised')
        asked.push(`${externalId}: ${detail}`);
  }
  const ledger = await rig.sandbox.ledger();
  const writes = (operation: string) => ledger.filter((entry) => entry.operation === operation).length;
  const seconds = (performance.now() - begun) / 1_000;
  printer.line(`${boarded} of ${count} boarded next to ${loops} busy loops in ${seconds.toFixed(0)} s`);
  printer.line(
    `${writes('create-merchant')} creates and ${writes('submit-merchant')} submissions took effect`,
  );
  const logged = worker.stderr().split('\n');
  const withoutTurn = logged.filter((line) => /NotSent.*TimeoutError/.test(line)).length;
  const [first = '', last = ''] = [ledger.at(0)?.at, ledger.at(-1)?.at];
  const rate = ledger.length / ((Date.parse(last) - Date.parse(first)) / 1_000);
  printer.line(`${rate.toFixed(1)} writes took effect in a second`);
  printer.line(`${withoutTurn} attempts of writes ended before their turn`);
  printer.line(`${asked.length} questions, or writes in doubt`);
  for (const question of asked) printer.line(question);
  const isAsItShould = asked.length + withoutTurn === 0 && boarded === count && ledger.length === 2 * count;
  process.exitCode = isAsItShould ? 0 : 1;
} finally {
  for (const loop of busy) loop.kill('SIGKILL');
  worker.child.kill('SIGTERM');
  await worker.exit;
  await rig.close();
}

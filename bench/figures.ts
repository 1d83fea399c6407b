/**
 * Prints what a boarding costs: `npm run figures`. Counts are exact; times are of this machine, on Temporal's
 * development server, and only good for comparison with each other.
 */
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevServer } from '../src/temporal/dev-server.js';
import { nudge } from '../src/temporal/nudge.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { WORKFLOW_BUNDLE } from '../src/worker/create-worker.js';
import { type Boarding, createRig, merchant, type Rig } from '../test/rig.js';

const HOUR_MS = 3_600_000;

const server = await startDevServer();
const rig = await createRig({ address: server.address, worker: false });
await registerSearchAttributes(rig.client);
const worker = await rig.startWorker();

const straight = await rig.board(merchant());
await printHistory('straight boarding, ids given', straight);
const noted = await rig.board(merchant('notes'));
const { requirements } = await noted.until((state) => state.requirements.length === 2, 'two notes');
for (const { id } of requirements) await noted.resolve(id, { kind: 'text', text: 'Answered.' });
await printHistory('boarding with two notes', noted);

await worker.stop();
await rig.startWorker({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
for (const reads of [2, 20, 200]) await printPolled(rig, reads);
await printNudges(rig, 40);
await printBundle();

await rig.close();
await server.stop();

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(44)} ${figure}\n`);
}

async function printHistory(what: string, boarding: Boarding): Promise<void> {
  await boarding.outcome();
  const { historyLength, historySize } = await boarding.handle.describe();
  print(what, `${historyLength} events, ${historySize} bytes`);
}

async function waiting({ board }: Rig) {
  const boarding = await board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  return { boarding, merchantProfileId };
}

async function printPolled(on: Rig, reads: number): Promise<void> {
  const { boarding, merchantProfileId } = await waiting(on);
  for (let read = 1; read < reads; read++) {
    await boarding.asleepAfter(read);
    await nudge(on.client, boarding.workflowId);
  }
  await boarding.asleepAfter(reads);
  await on.sandbox.transition(merchantProfileId, { status: 'Declined' });
  await nudge(on.client, boarding.workflowId);
  await printHistory(`declined after ${reads} reads in one status`, boarding);
}

async function printNudges(on: Rig, count: number): Promise<void> {
  const latencies: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const { boarding, merchantProfileId } = await waiting(on);
    await boarding.asleepAfter(1);
    await sleep(50);
    await on.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const begun = performance.now();
    await nudge(on.client, boarding.workflowId);
    await boarding.outcome();
    latencies.push(performance.now() - begun);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(latencies[Math.ceil(count * share) - 1] ?? 0)} ms`;
  print('nudge to result', `p50 ${at(0.5)}, p99 ${at(0.99)} (${count} nudges)`);
}

async function printBundle(): Promise<void> {
  const { size } = await stat(WORKFLOW_BUNDLE);
  const { version } = createRequire(import.meta.url)('@temporalio/workflow/package.json') as {
    version: string;
  };
  print('workflow bundle', `${size} bytes, SDK ${version} included`);
}

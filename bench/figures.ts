/**
 * Prints what a boarding costs: `npm run figures`. Counts are exact; times are of this machine, on Temporal's
 * development server, and only good for comparison with each other.
 */
import { stat } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bankingClient } from '../src/partners/banking/client.js';
import { catalogue } from '../src/partners/systems.js';
import { startSandbox } from '../src/sandbox/server.js';
import { startDevServer } from '../src/temporal/dev-server.js';
import { nudge } from '../src/temporal/nudge.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { WORKFLOW_BUNDLES } from '../src/worker/create-worker.js';
import { business, createRig, customer, merchant, type Onboarding, type Rig } from '../test/rig.js';
import { eventFlood, hintLatency, receiverThroughput } from './receiver.js';

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
await printHistory('straight business onboarding', await rig.onboardBusiness(business()));
await printCustomer(rig);

await worker.stop();
await rig.startWorker({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
for (const reads of [2, 20, 200]) await printPolled(rig, reads);
await printNudges(rig, 40);
printAll(await hintLatency(rig));
await printEncryption(server.address);
await printTokenCalls();
printAll(await receiverThroughput(rig.client));
printAll(await eventFlood(rig.client));
printCatalogue();
await printBundle();

await rig.close();
await server.stop();

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(44)} ${figure}\n`);
}

function printAll(lines: readonly (readonly [what: string, figure: string])[]): void {
  for (const [what, figure] of lines) print(what, figure);
}

async function printHistory(what: string, boarding: Onboarding): Promise<void> {
  await boarding.outcome();
  const { historyLength, historySize } = await boarding.handle.describe();
  print(what, `${historyLength} events, ${historySize} bytes`);
}

async function printCustomer({ client, onboard }: Rig): Promise<void> {
  const input = customer();
  const whole = await onboard(input);
  await printHistory('straight customer onboarding', whole);
  for (const part of ['merchant-boarding', 'business-onboarding']) {
    const { historyLength, historySize } = await client.workflow
      .getHandle(`${part}-${input.externalId}`)
      .describe();
    print(`  its ${part}`, `${historyLength} events, ${historySize} bytes`);
  }
}

/** The same boardings with payloads in the clear and encrypted, in turns on one server, so that both meet the same load. */
async function printEncryption(address: string): Promise<void> {
  const [turns, boardings] = [3, 40];
  const clear = await createRig({ address, payloadKeys: '' });
  const encrypted = await createRig({ address });
  const seconds = { clear: 0, encrypted: 0 };
  for (let turn = 0; turn < turns; turn++) {
    seconds.clear += await secondsFor(clear, boardings);
    seconds.encrypted += await secondsFor(encrypted, boardings);
  }
  const [bytes, more] = [await bytesOf(clear), await bytesOf(encrypted)];
  const ratio = (seconds.clear / seconds.encrypted).toFixed(2);
  const perBoarding = ((seconds.encrypted - seconds.clear) / turns / boardings) * 1_000;
  print('straight boarding, in the clear and encrypted', `${bytes} and ${more} bytes`);
  print('throughput encrypted to in the clear', `${ratio}, ${perBoarding.toFixed(1)} ms more a boarding`);
  await clear.close();
  await encrypted.close();
}

async function secondsFor({ board }: Rig, boardings: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(Array.from({ length: boardings }, async () => (await board(merchant())).outcome()));
  return (performance.now() - begun) / 1_000;
}

async function bytesOf({ board }: Rig): Promise<number> {
  const boarding = await board(merchant());
  await boarding.outcome();
  return (await boarding.handle.describe()).historySize ?? 0;
}

/** An hour in which tokens live ten minutes, 600 times as fast: six seconds, and tokens that live one. */
async function printTokenCalls(): Promise<void> {
  const [operations, seconds] = [1_000, 6];
  const sandbox = await startSandbox({ tokenLifetimeMs: 1_000 });
  const target = new URL(sandbox.url);
  let tokenCalls = 0;
  const counter = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/auth/')) tokenCalls += 1;
    const { method, url: path, headers } = incoming;
    const onward = forward(
      { hostname: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => counter.listen(0, '127.0.0.1', listening));
  const client = bankingClient({
    url: `http://127.0.0.1:${(counter.address() as AddressInfo).port}`,
    username: 'sandbox',
    password: 'sandbox',
    deviceToken: 'd-1',
    deviceName: 'figures',
    form: 'user',
  });
  const calls: Promise<unknown>[] = [];
  for (let call = 0; call < operations; call++) {
    calls.push(client.listDepartments({}));
    await sleep((seconds * 1_000) / operations);
  }
  await Promise.all(calls);
  print(`token calls for ${operations} operations in an hour`, `${tokenCalls} (600 times as fast)`);
  await client.close();
  await new Promise((closed) => counter.close(closed));
  await sandbox.close();
}

function printCatalogue(): void {
  for (const [system, operations] of Object.entries(catalogue())) {
    const all = Object.values(operations);
    const documented = all.filter(({ provenance }) => provenance === 'documented').length;
    print(
      `operations of ${system}`,
      `${all.length}: ${documented} documented, ${all.length - documented} assumed`,
    );
  }
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
  const { size } = await stat(WORKFLOW_BUNDLES.encoding);
  const { version } = createRequire(import.meta.url)('@temporalio/workflow/package.json') as {
    version: string;
  };
  print('workflow bundle', `${size} bytes, SDK ${version} included`);
}

/**
 * Records a history of each path of a boarding into test/histories, from a real server and the sandbox, for the replay
 * test. Run it (`npm run record-histories -- <folder>`) when a release goes out, into a folder of that release's name;
 * never over histories that an earlier release has recorded.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { MerchantBoardingInput } from '../src/messages/merchant-boarding-input.js';
import { stateQuery } from '../src/messages/onboarding-state.js';
import { type Answer, type RequirementKind, resolveRequirement } from '../src/messages/requirements.js';
import { startSandbox } from '../src/sandbox/server.js';
import { startDevServer } from '../src/temporal/dev-server.js';
import { startMerchantBoarding } from '../src/temporal/onboardings.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { temporalCli } from '../src/temporal/server-binaries.js';
import { createWorker } from '../src/worker/create-worker.js';

interface Path {
  readonly scenario?: string;
  readonly more?: Partial<MerchantBoardingInput>;
  /** A fault for an operation, before it starts. */
  readonly fault?: readonly [fault: string, operation: string];
  /** What is answered to requirements of a kind. */
  readonly answers?: Readonly<Partial<Record<RequirementKind, Answer>>>;
  /** Cancelled as soon as a person is asked. */
  readonly cancel?: true;
}

const text: Answer = { kind: 'text', text: 'Answered.' };
const correction: Answer = { kind: 'correction', patch: { application: { changed: true } } };

const PATHS: Readonly<Record<string, Path>> = {
  straight: { more: { fees: { minimumDiscountAmount: 20 } } },
  'by-name': { more: { agent: 'Harbor Agents', boardingSettings: 'Standard' } },
  v1: { more: { create: 'v1' } },
  notes: { scenario: 'notes', answers: { 'underwriting-note': text } },
  'more-notes': { scenario: 'more-notes', answers: { 'underwriting-note': text } },
  'moot-notes': { scenario: 'moot-notes' },
  'overdue-notes': {
    scenario: 'notes',
    more: { dueInHours: 1 / 7_200 },
    answers: { 'underwriting-note': text },
  },
  'request-changes': { scenario: 'request-changes', answers: { 'request-changes': correction } },
  declined: { scenario: 'declined' },
  withdrawn: { scenario: 'withdrawn' },
  closed: { scenario: 'closed' },
  'uw-level-1': { scenario: 'uw-level-1', answers: { 'underwriting-note': text } },
  'temporary-mid': { scenario: 'temporary-mid' },
  'unknown-status': { scenario: 'unknown-status' },
  'rejected-input': {
    more: { agentProfileId: 999 },
    answers: { 'rejected-input': { kind: 'correction', patch: { agentProfileId: 101 } } },
  },
  'uncertain-create': {
    fault: ['drop-before-commit', 'create-merchant'],
    answers: { 'uncertain-write': { kind: 'retry' } },
  },
  'uncertain-submit': { fault: ['drop-after-commit', 'submit-merchant'] },
  'rate-limited': { fault: ['429', 'create-merchant'] },
  abandoned: { scenario: 'notes', answers: { 'underwriting-note': { kind: 'abandon' } } },
  cancelled: { scenario: 'notes', cancel: true },
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TASK_QUEUE = 'recording';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const folder = join(ROOT, 'test', 'histories', process.argv[2] ?? '');
await mkdir(folder, { recursive: true });

const run = promisify(execFile);
const cli = await temporalCli();
const server = await startDevServer();
const connection = await Connection.connect({ address: server.address });
const client = new Client({ connection });
await registerSearchAttributes(client);
const native = await NativeConnection.connect({ address: server.address });
const sandbox = await startSandbox({ pace: { reads: 1 } });
const { worker, close } = await createWorker({
  connection: native,
  namespace: 'default',
  config: {
    taskQueue: TASK_QUEUE,
    poll: { minMs: 100, maxMs: 100 },
    boarding: { url: sandbox.url, username: 'sandbox', password: 'sandbox' },
    posNames: [],
    documentDir: 'none',
  },
});

await worker.runUntil(async () => {
  for (const [name, path] of Object.entries(PATHS)) await record(name, path);
});
await close();
await sandbox.close();
await native.close();
await connection.close();
await server.stop();

async function record(name: string, path: Path): Promise<void> {
  if (path.fault) {
    const [fault, operation] = path.fault;
    const body = JSON.stringify({ fault, operation });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${sandbox.url}/sandbox/faults`, { method: 'POST', headers, body });
  }
  const { agent, boardingSettings } = path.more ?? {};
  const input: MerchantBoardingInput = {
    externalId: name,
    merchant: {
      dba: path.scenario ? `Recorded [${path.scenario}]` : 'Recorded',
      firstName: 'Ada',
      lastName: 'Example',
      cashDiscount: 'No',
      pos: 'None',
    },
    ...(!agent && { agentProfileId: 101 }),
    ...(!boardingSettings && { boardingSettingsId: 11 }),
    dueInHours: 48,
    ...path.more,
  };
  const { workflowId } = await startMerchantBoarding(client, input, { taskQueue: TASK_QUEUE });
  const handle = client.workflow.getHandle(workflowId);
  await answerUntilItEnds(handle, path);
  const show = [
    'workflow',
    'show',
    '--address',
    server.address,
    '--workflow-id',
    workflowId,
    '--output',
    'json',
  ];
  const { stdout } = await run(cli, show, { maxBuffer: 10 * 1024 * 1024 });
  const history = JSON.parse(stdout) as { events: unknown[] };
  // Stack traces name files of the machine that recorded them, which is nobody's business.
  const text = JSON.stringify(history).replaceAll(ROOT, '/gangway/');
  await writeFile(join(folder, `${name}.json`), text);
  process.stdout.write(`${name}: ${history.events.length} events\n`);
}

async function answerUntilItEnds(
  handle: WorkflowHandle,
  { answers = {}, cancel, more }: Path,
): Promise<void> {
  while ((await handle.describe()).status.name === 'RUNNING') {
    const { requirements, timeline } = await handle.query(stateQuery);
    const isEarly = more?.dueInHours && !timeline.some(({ event }) => event === 'requirement-overdue');
    for (const { id: requirementId, kind } of isEarly ? [] : requirements) {
      if (cancel) await handle.cancel();
      const answer = answers[kind];
      if (!answer || cancel) continue;
      const resolution = { requirementId, answer, actor: 'recorder', reason: 'to record the path' };
      await handle.executeUpdate(resolveRequirement, { args: [resolution] }).catch(() => undefined);
    }
    await sleep(50);
  }
}

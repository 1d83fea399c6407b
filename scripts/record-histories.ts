/**
 * Records a history of each path of a boarding into test/histories, from a real server and the sandbox, for the replay
 * test. Run it (`npm run record-histories -- <folder>`) when a release goes out, into a folder of that release's name;
 * never over histories that an earlier release has recorded.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MerchantBoardingInput } from '../src/messages/merchant-boarding-input.js';
import type { Answer, RequirementKind } from '../src/messages/requirements.js';
import { startDevServer } from '../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { temporalCli } from '../src/temporal/server-binaries.js';
import { type Boarding, createRig, eventually } from '../test/rig.js';

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

const run = promisify(execFile);
const cli = await temporalCli();
const folder = join(ROOT, 'test', 'histories', process.argv[2] ?? '');
await mkdir(folder, { recursive: true });

const server = await startDevServer();
const rig = await createRig({ address: server.address, worker: false });
await registerSearchAttributes(rig.client);
await rig.startWorker();
for (const [name, path] of Object.entries(PATHS)) await record(name, path);
await rig.close();
await server.stop();

async function record(name: string, path: Path): Promise<void> {
  if (path.fault) await rig.sandbox.plan(...path.fault);
  const boarding = await rig.board(inputOf(name, path));
  await answerUntilItEnds(boarding, path);
  const { workflowId } = boarding;
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
  // Stack traces name files of the machine that recorded them, which is nobody's business.
  await writeFile(
    join(folder, `${name}.json`),
    JSON.stringify(JSON.parse(stdout)).replaceAll(ROOT, '/gangway/'),
  );
  const { historyLength, historySize } = await boarding.handle.describe();
  process.stdout.write(`${name}: ${historyLength} events, ${historySize} bytes\n`);
}

function inputOf(name: string, { scenario, more }: Path): MerchantBoardingInput {
  return {
    externalId: name,
    merchant: {
      dba: scenario ? `Recorded [${scenario}]` : 'Recorded',
      firstName: 'Ada',
      lastName: 'Example',
      cashDiscount: 'No',
      pos: 'None',
    },
    ...(!more?.agent && { agentProfileId: 101 }),
    ...(!more?.boardingSettings && { boardingSettingsId: 11 }),
    dueInHours: 48,
    ...more,
  };
}

async function answerUntilItEnds(boarding: Boarding, { answers = {}, cancel, more }: Path): Promise<void> {
  const answerWhatIsAsked = async () => {
    const { requirements, timeline } = await boarding.state();
    const isEarly = more?.dueInHours && !timeline.some(({ event }) => event === 'requirement-overdue');
    for (const { id, kind } of isEarly ? [] : requirements) {
      const answer = answers[kind];
      if (cancel) await boarding.handle.cancel();
      else if (answer) await boarding.resolve(id, answer).catch(() => undefined);
    }
    return (await boarding.handle.describe()).status.name;
  };
  await eventually(answerWhatIsAsked, (status) => status !== 'RUNNING', 'its end');
}

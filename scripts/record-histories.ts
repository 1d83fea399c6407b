/**
 * Records a history of each path of a workflow into test/histories, with a real server and the sandbox, for the replay test.
 * Run `npm run record-histories -- <release>` for each release. Existing files stay unchanged.
 */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DevServer, startDevServer, temporalCli } from '../src/apps/demo/dev-server.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import type { Onboarding } from '../test/rigs/onboarding.js';
import { createRig, type Rig } from '../test/rigs/rig.js';
import { eventually } from '../test/rigs/waiting.js';
import { PATHS, type Path } from '../test/rigs/workflows/recorded-paths.js';
import { ensureFreshBuild } from './build-stamp.js';

ensureFreshBuild();

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Where the packages are, which may be linked from another copy of the project. */
const PACKAGES_ROOT = `${dirname(realpathSync(join(ROOT, 'node_modules')))}/`;

const run = promisify(execFile);
const cli = await temporalCli();
const [release] = process.argv.slice(2);
if (!release) throw new Error('name the release: npm run record-histories -- 0.1.0');
const folder = join(ROOT, 'test', 'histories', release);
await mkdir(folder, { recursive: true });

const fileOf = (name: string) => join(folder, `${name}.json`);
const missing = Object.entries(PATHS).filter(([name]) => !existsSync(fileOf(name)));
await recordAll(missing.filter(([, { continues }]) => !continues));
// The server suggests a new run after thousands of events; here 30 are enough.
await recordAll(
  missing.filter(([, { continues }]) => continues),
  { 'limit.historyCount.suggestContinueAsNew': 30 },
);
// The rigs install a runtime, which keeps the process alive when no worker has used it.
process.exit();

async function recordAll(paths: [string, Path][], dynamicConfig: Record<string, number> = {}): Promise<void> {
  if (paths.length === 0) return;
  const server = await startDevServer({ dynamicConfig });
  // In plain text: a recorded history is to be read, and holds no real data.
  const rig = await createRig({ address: server.address, worker: false, payloadKeys: '' });
  await registerSearchAttributes(rig.client);
  await rig.startWorker();
  for (const [name, path] of paths) await record(server, rig, name, path);
  await rig.close();
  await server.stop();
}

async function record(server: DevServer, rig: Rig, name: string, path: Path): Promise<void> {
  if (path.fault) await rig.sandbox.plan(...path.fault);
  const onboarding = await path.start(rig, name);
  const { runId } = await onboarding.handle.describe();
  if (path.continues) await growOld(rig, onboarding, runId);
  await answerUntilItEnds(onboarding, path);
  const { runId: lastRunId } = await onboarding.handle.describe();
  await save(server, onboarding, runId, name);
  if (path.continues) await save(server, onboarding, lastRunId, `${name}-next`);
}

async function save(
  server: DevServer,
  { workflowId }: Onboarding,
  runId: string,
  name: string,
): Promise<void> {
  const target = ['--address', server.address, '--workflow-id', workflowId, '--run-id', runId];
  const show = ['workflow', 'show', ...target, '--output', 'json'];
  const { stdout } = await run(cli, show, { maxBuffer: 10 * 1024 * 1024 });
  // Stack traces contain paths of the machine that recorded them.
  const history = JSON.stringify(JSON.parse(stdout))
    .replaceAll(ROOT, '/gangway/')
    .replaceAll(PACKAGES_ROOT, '/gangway/');
  await writeFile(fileOf(name), history);
  process.stdout.write(`${name}: ${JSON.parse(stdout).events.length} events, ${history.length} bytes\n`);
}

/** Causes changes without a meaning until the workflow continues in another run. */
async function growOld({ sandbox }: Rig, onboarding: Onboarding, runId: string): Promise<void> {
  await onboarding.until(({ requirements }) => requirements.length > 0, 'a requirement');
  const { merchantProfileId = 0, profileId } = await onboarding.state();
  for (let number = 1; (await onboarding.handle.describe()).runId === runId; number++) {
    const change = `Change ${number}`;
    if (profileId) await sandbox.transitionProfile(profileId, { bankingStatus: change });
    else await sandbox.transition(merchantProfileId, { comment: change });
    await onboarding.until(({ timeline }) => timeline.some(({ detail }) => detail?.endsWith(change)), change);
  }
}

async function answerUntilItEnds(
  onboarding: Onboarding,
  { answers, cancel, cancelAfter, late }: Path,
): Promise<void> {
  if (!answers && !cancel) {
    await onboarding.outcome();
    return;
  }
  const answerRequirements = async () => {
    const { requirements, timeline } = await onboarding.state();
    const isEarly = late && !timeline.some(({ event }) => event === 'requirement-overdue');
    for (const { id, kind } of isEarly ? [] : requirements) {
      const answer = answers?.[kind];
      if (cancel) await onboarding.handle.cancel();
      else if (answer) await onboarding.resolve(id, answer).catch(() => undefined);
    }
    if (timeline.some(({ event }) => event === cancelAfter) && requirements.length === 0)
      await onboarding.handle.cancel();
    return (await onboarding.handle.describe()).status.name;
  };
  await eventually(answerRequirements, (status) => status !== 'RUNNING', 'its end');
}

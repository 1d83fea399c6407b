import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { adopted, existing } from '../../rigs/commands/existing.js';
import { batchFile, executions } from '../../rigs/commands/files.js';
import { type CountingProxy, countingProxy } from '../../rigs/counting-proxy.js';
import { startSpawnedGangway } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

/** `ADOPTED_ROWS=1000` adopts more. */
const ROWS = Number(process.env['ADOPTED_ROWS'] ?? 80);
/** Less than the machine could do, so that the limit counts. */
const PER_SECOND = 15;

let rig: Rig;
let wire: CountingProxy;
let file: string;
let ids: string[];
beforeAll(async () => {
  rig = await createRig({ worker: false, activitiesPerSecond: { boarding: PER_SECOND } });
  wire = await countingProxy(rig.sandbox.url, rig.atClose);
  const there = existing(rig);
  const eight = pLimit(8);
  const approved = (place: number) => there.merchant({ status: 'Approved', mid: `5180000${place}` });
  const rows = await eight.map(Array.from({ length: ROWS }).keys(), async (place) =>
    adopted(await approved(place)),
  );
  ids = rows.map(({ externalId }) => `merchant-boarding-${externalId}`).sort();
  const cells = rows.map((row) => [row.externalId, row.dba, row.merchantProfileId].join());
  file = await batchFile(rig, 'rows.csv', `externalId,dba,merchantProfileId\n${cells.join('\n')}\n`);
  await rig.startWorker({ boardingUrl: wire.url });
});
afterAll(() => rig.close());

/** Checks that the calls since a moment kept the limit. @returns how many there were */
function callsSince(start: number): number {
  const times = wire
    .seen()
    .slice(start)
    .map(({ at }) => at);
  // The server lets a second's worth go at once, and rounds for each of its four partitions.
  for (const [place, begin] of times.entries()) {
    const within = times.slice(place).filter((at) => at < begin + 2_000).length;
    expect(within).toBeLessThanOrEqual(2 * PER_SECOND + 2 * PER_SECOND);
  }
  return times.length;
}

it(`${ROWS} rows are followed, within the rate limit, once each although the command is killed`, async () => {
  const [start, ledger] = [wire.seen().length, await rig.sandbox.ledger()];
  const killed = startSpawnedGangway(rig.env, ['adopt', file]);
  await eventually(
    async () => wire.seen().length - start,
    (reads) => reads >= 20,
    'twenty reads',
    60_000,
  );
  killed.kill('SIGKILL');
  await killed.finished;

  const { code, stdout } = await gangway(rig.env, ['adopt', file]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${ROWS} rows: ${ROWS} started$`, 'm'));
  const found = await executions(rig.client, rig.taskQueue, ROWS + 1);
  const followed = found
    .map(({ workflowId }) => workflowId)
    .filter((id) => !id.startsWith('onboarding-batch-'));
  expect(followed.sort()).toEqual(ids);
  await Promise.all(ids.map((id) => rig.client.workflow.result(id)));

  callsSince(start);
  expect([...new Set(wire.seen().map(({ line }) => line))]).toEqual(['GET /api/v1/merchant/status']);
  expect(await rig.sandbox.ledger()).toEqual(ledger);
}, 600_000);

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { boardingResponse, hostilePartner, NOTES, STATUS } from '../../rigs/workflows/hostile-partner.js';

/** `LARGE_RESPONSES=50` are more. */
const BOARDINGS = Number(process.env['LARGE_RESPONSES'] ?? 20);
/** Two reads of each: one of 6 MB, one of the notes. */
const READS = 2 * BOARDINGS;
const MIB = 1_024 * 1_024;
/** Of a worker's container, see deploy/kubernetes/worker.yaml. */
const LIMIT_MIB = 1_024;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

/** The most memory that a process has held, as Linux counts it. */
async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
}

it('a worker whose partner responds to many boardings with 6 MB and 10,000 notes stays below its limit', async () => {
  const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  const worker = await launch('worker', { ...rig.env, BOARDING_URL: hostile.url }, 'worker is ready');
  const pid = worker.child.pid ?? 0;
  const boardings = await Promise.all(
    Array.from({ length: BOARDINGS }, () => rig.board(merchant('waiting'))),
  );
  for (const boarding of boardings) await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');

  const statusData = { status: 'Pending', statusDate: '2026-01-31T10:00:00Z', comment: null, mid: null };
  const pending = boardingResponse(statusData);
  const large = boardingResponse({ ...statusData, comment: 'x'.repeat(6 * MIB) });
  const notes = Array.from({ length: 10_000 }, (_, index) => ({
    text: `Why ${index}?`,
    author: 'UW',
    date: null,
  }));
  const many = boardingResponse(notes);
  hostile.misbehave(NOTES, () => many);
  hostile.misbehave(STATUS, (number) => (number % 2 === 0 ? large : pending));
  await eventually(
    async () => hostile.times(STATUS).length,
    (count) => count >= READS,
    `${READS} reads`,
  );
  const peak = await peakMiB(pid);
  expect(peak).toBeLessThan(LIMIT_MIB);
  expect(await worker.stop()).toBe(0);
});

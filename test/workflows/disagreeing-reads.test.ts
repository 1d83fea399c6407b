import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../rigs/inputs.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { boardingResponse, hostilePartner, STATUS } from '../rigs/workflows/hostile-partner.js';

const HOUR = 3_600_000;
const SUBMIT = 'POST /api/v2/merchant/submit';
const READ = { statusDate: '2026-01-31T10:00:00Z', comment: null, mid: null };
const REFUSED = { status: 400, body: JSON.stringify({ data: null, status: 'BadRequest', error: null }) };

// Catches reads and refused submissions as fast as a partner with two servers responds: there were 542 within seven minutes.
it.each([
  ['the old status before the submission', 1, 1],
  ['the new status before the submission', 0, 0],
])('two servers that disagree are not asked in a loop: %s', async (_, parity, submissions) => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url, poll: { minMs: HOUR, maxMs: HOUR } });
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(
    ({ timeline }) => timeline.some(({ event }) => event === 'submitted'),
    'the submission',
  );
  await rig.sandbox.transition(merchantProfileId, { status: 'RequestChanges' });
  await eventually(() => nudge(rig.client, boarding.workflowId), Boolean, 'a wait for the nudge');
  const { id } = await boarding.requirement('changes-requested');
  hostile.misbehave(SUBMIT, () => REFUSED);
  hostile.misbehave(STATUS, (number) =>
    boardingResponse({ ...READ, status: number % 2 === parity ? 'RequestChanges' : 'UW Level 2' }),
  );
  await boarding.resolve(id, { kind: 'retry' });
  await boarding.until(({ timeline }) => timeline.some(({ event }) => event === 'submission-superseded'));
  await sleep(10_000);
  expect(hostile.times(SUBMIT)).toHaveLength(submissions);
  expect(hostile.times(STATUS).length).toBeLessThan(10);
  await boarding.handle.terminate();
});

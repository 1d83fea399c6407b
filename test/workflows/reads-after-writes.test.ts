import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../rigs/inputs.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { boardingResponse, hostilePartner, NOTES, STATUS } from '../rigs/workflows/hostile-partner.js';

const HOUR = 3_600_000;
const SUBMIT = 'POST /api/v2/merchant/submit';
const REVIEW = 'POST /api/v1/merchant/underwritingReview';
const READ = { statusDate: '2026-01-31T10:00:00Z', comment: null, mid: null };
const REFUSED = { status: 400, body: JSON.stringify({ data: null, status: 'BadRequest', error: null }) };

/** A boarding that is submitted, at a partner that can then be made to misbehave. It reads hourly, or when it is nudged. */
async function submitted(more: object = {}) {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url, poll: { minMs: HOUR, maxMs: HOUR } });
  const boarding = await rig.board(merchant('waiting', more));
  const happened = (event: string, times = 1) =>
    boarding.until(({ timeline }) => timeline.filter((each) => each.event === event).length === times, event);
  await happened('submitted');
  /** Has the workflow read a status of the test's. */
  const read = async (status: string) => {
    hostile.misbehave(STATUS, () => boardingResponse({ ...READ, status }));
    await eventually(() => nudge(rig.client, boarding.workflowId), Boolean, 'a wait for the nudge');
  };
  return { hostile, boarding, happened, read };
}

async function asked(more: object = {}) {
  const it = await submitted(more);
  await it.read('RequestChanges');
  return { ...it, question: await it.boarding.requirement('changes-requested') };
}

// Catches reads and refused submissions as fast as a partner with two servers responds: there were 542 within seven minutes.
it.each([
  ['the old status before the submission', 1, 1],
  ['the new status before the submission', 0, 0],
])('two servers that disagree are not asked in a loop: %s', async (_, parity, submissions) => {
  const { hostile, boarding, question, happened } = await asked();
  hostile.misbehave(SUBMIT, () => REFUSED);
  hostile.misbehave(STATUS, (number) =>
    boardingResponse({ ...READ, status: number % 2 === parity ? 'RequestChanges' : 'UW Level 2' }),
  );
  await boarding.resolve(question.id, { kind: 'retry' });
  await happened('submission-superseded');
  await sleep(10_000);
  expect(hostile.times(SUBMIT)).toHaveLength(submissions);
  expect(hostile.times(STATUS).length).toBeLessThan(10);
  await boarding.handle.terminate();
});

// Catches an onboarding that waits without an end for a partner that has accepted the changes, and lost them.
it('changes that do not show in time are asked about again, and submitted again', async () => {
  const { hostile, boarding, question, happened } = await asked({ dueInHours: 2 / 3_600 });
  hostile.misbehave(SUBMIT, () => boardingResponse(null));
  await boarding.resolve(question.id, { kind: 'retry' });
  await happened('submitted', 2);
  const again = await boarding.requirement('changes-requested');
  expect(again).toMatchObject({ detail: 'The partner gave no comment.' });
  expect(again.id).not.toBe(question.id);
  expect(hostile.times(SUBMIT)).toHaveLength(1);
  await boarding.resolve(again.id, { kind: 'retry' });
  await happened('submitted', 3);
  await boarding.handle.terminate();
});

// Catches an answer that nobody is asked for: the one read that looks for it had no notes.
it('a note that is still listed is asked again although the first read of it is garbled', async () => {
  const { hostile, boarding, happened, read } = await submitted({ dueInHours: 4 / 3_600 });
  const notes = [{ text: 'Why?', author: 'Uma', date: READ.statusDate }];
  hostile.misbehave(NOTES, () => boardingResponse(notes));
  await read('Pending');
  const first = await boarding.requirement('underwriting-note');
  hostile.misbehave(REVIEW, () => boardingResponse(null));
  await boarding.resolve(first.id, { kind: 'text', text: 'So.' });
  await happened('answers-delivered');
  // The delivery has nudged the poll.
  await sleep(1_000);
  hostile.misbehave(NOTES, (number) => (number === 1 ? { body: '{"data":[{"te' } : boardingResponse(notes)));
  const second = await boarding.requirement('underwriting-note');
  expect(second).toMatchObject({ id: `${first.id}-2`, about: first.id, detail: 'Why?' });
  await boarding.handle.terminate();
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { boardingResponse, hostilePartner, STATUS } from '../../rigs/workflows/hostile-partner.js';

const CREATE = 'POST /api/v2/merchant/create';
const SUBMIT = 'POST /api/v2/merchant/submit';
const BUSY = '{"data":null,"status":"Too Many Requests","error":"busy","validationResults":[]}';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

/** A boarding whose create is refused with a 429 and this `Retry-After`. */
async function refused(retryAfter: string, patience: { retryAfterMaxMs?: number; stepMs?: number } = {}) {
  const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  hostile.misbehave(CREATE, () => ({ status: 429, headers: { 'retry-after': retryAfter }, body: BUSY }));
  const worker = await rig.startWorker({ boardingUrl: hostile.url, patience });
  const boarding = await rig.board(merchant());
  await boarding.retrying('createMerchant');
  const dueInMs = async () => {
    const { raw } = await boarding.handle.describe();
    const create = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'createMerchant');
    return Number(create?.nextAttemptScheduleTime?.seconds) * 1_000 - Date.now();
  };
  return { hostile, worker, boarding, dueInMs };
}

const detailsOf = async ({ handle }: Awaited<ReturnType<typeof refused>>['boarding']) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';

describe('a Retry-After', () => {
  it.each([
    ['of 31 years', '1000000000'],
    ['of 400 digits', '9'.repeat(400)],
  ])('%s counts as an hour, and is shown while it lasts', async (_, retryAfter) => {
    const { worker, boarding, dueInMs } = await refused(retryAfter);
    const left = await dueInMs();
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThan(3_602_000);
    const { waiting } = await boarding.until((state) => state.waiting !== undefined, 'the wait');
    expect(waiting).toMatchObject({
      step: 'create the merchant',
      reason: 'boarding create-merchant: RateLimited, HTTP 429',
    });
    const minute = (iso = '') => iso.slice(0, 16).replace('T', ' ');
    expect(Date.parse(waiting?.until ?? '') - Date.parse(waiting?.since ?? '')).toBeGreaterThanOrEqual(
      3_600_000,
    );
    expect(await detailsOf(boarding)).toContain(
      `**Waiting** for the partner since ${minute(waiting?.since)} UTC, which asked for a pause until ${minute(waiting?.until)} UTC: create the merchant`,
    );
    await boarding.handle.terminate();
    await worker.stop();
  });
});

describe('a 429', () => {
  it('holds up a submission, which a cancellation then ends: it was not sent', async () => {
    const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
    hostile.misbehave(SUBMIT, () => ({ status: 429, headers: { 'retry-after': '3600' }, body: BUSY }));
    const worker = await rig.startWorker({ boardingUrl: hostile.url });
    const input = merchant();
    const boarding = await rig.board(input);
    await boarding.retrying('submitMerchant');
    await boarding.handle.cancel();
    await expect(boarding.outcome()).rejects.toThrow();
    const { timeline } = await boarding.state();
    const { detail } = timeline.find(({ event }) => event === 'cancelled') ?? {};
    expect(detail).toContain('submit to underwriting: was not sent');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);
    await worker.stop();
  });
});

describe('a step that waits for too long', () => {
  it('is asked about once, and the requirement closes when the step gets on', async () => {
    const { hostile, worker, boarding } = await refused('1', { stepMs: 1 });
    const requirement = await boarding.requirement('waiting');
    expect(requirement).toMatchObject({
      id: 'waiting-1',
      title: 'Waiting for the partner: create the merchant',
      answers: ['retry'],
    });
    expect(requirement.detail).toContain('(boarding create-merchant: RateLimited, HTTP 429)');
    const attempts = hostile.times(CREATE).length;
    await eventually(
      async () => hostile.times(CREATE).length,
      (count) => count >= attempts + 2,
      'two more attempts',
    );
    expect((await boarding.events()).filter((event) => event === 'requirement-raised')).toHaveLength(1);
    hostile.behave(CREATE);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { timeline, waiting } = await boarding.state();
    expect(waiting).toBeUndefined();
    expect(timeline.map(({ event, detail }) => `${event} ${detail}`)).toContain(
      'requirement-closed waiting-1: the partner has moved on',
    );
    await worker.stop();
  });
});

describe('a merchant that the partner no longer finds', () => {
  it('is asked about in inbox, list, status and doctor, until a read finds it again', async () => {
    const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
    const poll = { minMs: 50, maxMs: 500 };
    const worker = await rig.startWorker({ boardingUrl: hostile.url, poll, patience: { stepMs: 1 } });
    const boarding = await rig.board(merchant('waiting'));
    const { workflowId } = boarding;
    await boarding.until(({ stage }) => stage === 'underwriting');
    await boarding.asleepAfter(7);
    const gone = '{"data":null,"status":"Not Found","error":"no such resource","validationResults":[]}';
    hostile.misbehave(STATUS, () => ({ status: 404, body: gone }));
    const { id, title, detail, answers } = await boarding.requirement('waiting');
    expect([title, answers]).toEqual(['Waiting for the partner: read the status', ['retry']]);
    expect(detail).toContain('(boarding get-status: Rejected, HTTP 404)');
    const { waiting } = await boarding.state();
    expect(waiting).toMatchObject({ step: 'read the status' });
    const json = async (...args: string[]) => jsonLines(await gangway(rig.env, [...args, '--json']));
    const own = async (...args: string[]) =>
      (await json(...args)).filter((row) => row['workflowId'] === workflowId);
    const inbox = await eventually(
      () => own('inbox'),
      (items) => items.length > 0,
      'the requirement in the inbox',
    );
    expect(inbox).toMatchObject([{ workflowId, id, kind: 'waiting', task: 'ask partner' }]);
    expect(await own('list', '--action-required')).toMatchObject([
      { workflowId, requirements: [{ id, kind: 'waiting' }] },
    ]);
    const { stdout } = await gangway(rig.env, ['status', workflowId]);
    expect(stdout).toContain('Waiting for the partner: read the status');
    const found = (await json('doctor')).filter(({ check }) => check === 'waits');
    expect(found).toEqual([
      {
        check: 'waits',
        state: 'warn',
        detail: 'a partner needs attention; workflows with requirement waiting: 1',
        fix: 'run "gangway inbox --kind waiting"',
      },
    ]);

    hostile.behave(STATUS);
    const after = await boarding.until(({ requirements }) => requirements.length === 0, 'no requirement');
    expect([after.stage, after.waiting]).toEqual(['underwriting', undefined]);
    expect((await boarding.events()).filter((event) => event === 'requirement-closed')).toHaveLength(1);
    hostile.misbehave(STATUS, () => ({ status: 404, body: gone }));
    expect((await boarding.requirement('waiting')).id).toBe('waiting-2');
    hostile.misbehave(STATUS, () =>
      boardingResponse({ status: 'Declined', statusDate: null, comment: null, mid: null }),
    );
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
    await worker.stop();
  });
});

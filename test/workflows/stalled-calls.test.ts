import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway } from '../rigs/command.js';
import { merchant } from '../rigs/inputs.js';
import { jsonLines } from '../rigs/processes.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { boardingResponse, hostilePartner, STATUS } from '../rigs/workflows/hostile-partner.js';

const CREATE = 'POST /api/v2/merchant/create';
const BUSY = '{"data":null,"status":"Too Many Requests","error":"busy","validationResults":[]}';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

describe('a Retry-After', () => {
  it('of 400 digits counts as an hour, and is shown while it lasts', async () => {
    const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
    hostile.misbehave(CREATE, () => ({
      status: 429,
      headers: { 'retry-after': '9'.repeat(400) },
      body: BUSY,
    }));
    const worker = await rig.startWorker({ boardingUrl: hostile.url });
    const boarding = await rig.board(merchant());
    await boarding.retrying('createMerchant');
    const { raw } = await boarding.handle.describe();
    const create = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'createMerchant');
    const left = Number(create?.nextAttemptScheduleTime?.seconds) * 1_000 - Date.now();
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
    const { currentDetails } = await boarding.handle.query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain(
      `**Waiting** for the partner since ${minute(waiting?.since)} UTC, which asked for a pause until ${minute(waiting?.until)} UTC: create the merchant`,
    );
    await boarding.handle.terminate();
    await worker.stop();
  });
});

describe('a merchant that the partner no longer finds', () => {
  it('is asked about in inbox, list, status and doctor, until a read finds it again', async () => {
    const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
    const poll = { minMs: 50, maxMs: 500 };
    const worker = await rig.startWorker({ boardingUrl: hostile.url, poll, stalledCalls: { stepMs: 1 } });
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
    const matches = (await json('doctor')).filter(({ check }) => check === 'waits');
    expect(matches).toEqual([
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

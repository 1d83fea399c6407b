import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nudge } from '../../../src/temporal/nudge.js';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const HOUR_MS = 3_600_000;

let patient: Rig;
beforeAll(async () => {
  patient = await createRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
});
afterAll(() => patient.close());

describe('a poll', () => {
  // Each nudge is one read, so hundreds of polls take seconds.
  it('writes the same history for 2, 20 and 200 reads', async () => {
    const [first, ...others] = await Promise.all(
      [2, 20, 200].map(async (reads) => {
        const boarding = await patient.board(merchant('waiting'));
        const { merchantProfileId = 0 } = await boarding.until(
          ({ partnerStatus }) => partnerStatus === 'Pending',
        );
        for (let read = 1; read < reads; read++) {
          await boarding.asleepAfter(read);
          await nudge(patient.client, boarding.workflowId);
        }
        await boarding.asleepAfter(reads);
        await patient.sandbox.transition(merchantProfileId, { status: 'Declined', comment: 'no' });
        await nudge(patient.client, boarding.workflowId);
        await boarding.outcome();
        const { polls } = await boarding.state();
        expect(polls).toBeGreaterThan(reads);
        return boarding.written();
      }),
    );
    for (const other of others) expect(other).toEqual(first);
  }, 90_000);
});

describe('a partner that writes a new status date with each read', () => {
  it('does not make the boarding spin', async () => {
    const boarding = await patient.board(merchant('restless-date'));
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
    await boarding.asleepAfter(1);
    await sleep(1_000);
    expect((await boarding.handle.describe()).historyLength).toBeLessThan(50);
    const { polls } = await boarding.state();
    await nudge(patient.client, boarding.workflowId);
    await boarding.until((state) => state.polls > polls, 'the date, at the pace of the poll');
  });
});

describe('a nudge', () => {
  it('turns a change into a result at once, although the poll sleeps for an hour', async () => {
    const boarding = await patient.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await boarding.until(
      ({ partnerStatus }) => partnerStatus === 'Pending',
    );
    await boarding.asleepAfter(1);
    await patient.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    const begun = Date.now();
    expect(await nudge(patient.client, boarding.workflowId)).toBe(true);
    expect(await boarding.outcome()).toMatchObject({ mid: '4711' });
    expect(Date.now() - begun).toBeLessThan(5_000);
  });

  it('that meets a running read waits for it and reads again', async () => {
    const boarding = await patient.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await boarding.until(
      ({ partnerStatus }) => partnerStatus === 'Pending',
    );
    await boarding.asleepAfter(1);
    // The status is read at once, its answer takes a while: it will be an old one.
    await patient.sandbox.plan('delay', 'get-underwriting-notes', { milliseconds: 1_000 });
    await nudge(patient.client, boarding.workflowId);
    const isReading = async () => (await boarding.poll())?.state;
    await eventually(isReading, (state) => state === 2, 'a running read');
    await patient.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4712' });
    await nudge(patient.client, boarding.workflowId);
    expect(await boarding.outcome()).toMatchObject({ mid: '4712' });
  });

  it('does nothing to a boarding that waits for no status', async () => {
    const boarding = await patient.board(merchant());
    await boarding.outcome();
    expect(await nudge(patient.client, boarding.workflowId)).toBe(false);
  });

  it('follows our own writes by itself: answers are seen at once', async () => {
    const boarding = await patient.board(merchant('uw-level-1'));
    const { id } = await boarding.requirement('underwriting-note');
    await boarding.asleepAfter(1);
    await boarding.resolve(id, { kind: 'text', text: 'Here.' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  });
});

import { describe, expect, it } from 'vitest';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../rigs/inputs.js';
import type { Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import {
  boardingResponse,
  type HostilePartner,
  hostilePartner,
  type Response,
  STATUS,
} from '../rigs/workflows/hostile-partner.js';
import { accountOf, asked, waiting, withAccounts } from '../rigs/workflows/partner-account.js';

const HOUR_MS = 3_600_000;
const DATE = '2026-01-31T10:00:00Z';
const PENDING = { status: 'Pending', statusDate: DATE, comment: null, mid: null };

/** Boardings under review at a partner that can then be made to misbehave. */
async function underReview(rig: Rig, count: number, unreadableMs = 1, poll = { minMs: 50, maxMs: 500 }) {
  const hostile: HostilePartner = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url, poll, patience: { unreadableMs } });
  const boardings = await Promise.all(Array.from({ length: count }, () => rig.board(merchant('waiting'))));
  for (const boarding of boardings) await boarding.until(({ stage }) => stage === 'underwriting');
  return { hostile, boardings };
}

it('the question about a write names what of its response could not be read, without a value', async () => {
  await withAccounts(async (rig) => {
    const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
    const renamed = { merchantId: 7_654_321, 'ada@example.com': 1 };
    hostile.misbehave('POST /api/v2/merchant/create', () => boardingResponse(renamed));
    await rig.startWorker({ boardingUrl: hostile.url });
    const boarding = await rig.board(merchant());
    const { detail } = await boarding.requirement('uncertain-write');
    expect(detail).toContain(
      '(unreadable response: merchantProfileId: is required; merchantId: is not in the catalogue; ' +
        '[Redacted]@example.com: is not in the catalogue)',
    );
    expect(detail).not.toContain('7654321');
    await boarding.handle.terminate();
  });
});

describe.concurrent('a response that cannot be read', () => {
  it.each<[string, Response, string]>([
    ['a status that is null', boardingResponse({ ...PENDING, status: null }), 'status: '],
    ['a status that is a number', boardingResponse({ ...PENDING, status: 7 }), 'status: '],
    ['a mid that is a flag', boardingResponse({ ...PENDING, mid: true }), 'mid: '],
    [
      'a page of a proxy',
      {
        headers: { 'content-type': 'text/html' },
        body: '<html><body>Down. Ask help@example.com</body></html>',
      },
      'text/html, 52 bytes: <html><body>Down. Ask [Redacted]</body></html>',
    ],
    [
      'a status of 70 kB',
      boardingResponse({ ...PENDING, comment: 'x'.repeat(70_000) }),
      'larger than 65536 bytes',
    ],
  ])(
    '(%s) is one question for all boardings of the account, which closes by itself',
    async (_, response, what) => {
      await withAccounts(async (rig) => {
        const { hostile, boardings } = await underReview(rig, 3);
        hostile.misbehave(STATUS, () => response);
        const account = accountOf(rig, 'boarding');
        const requirement = await asked(account, 'unreadable');
        expect(requirement).toMatchObject({
          id: 'unreadable-1',
          title: 'Unreadable responses: get-status of the boarding partner',
          answers: ['retry'],
        });
        expect(requirement.detail).toContain(what);
        const reads = hostile.times(STATUS).length;
        await eventually(
          async () => hostile.times(STATUS).length,
          (count) => count >= reads + 9,
          'more reads',
        );
        expect((await account.state()).requirements).toHaveLength(1);
        expect(await waiting(rig)).toEqual(['partner-account-boarding']);
        hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 'Declined' }));
        for (const boarding of boardings)
          expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
        expect(await account.outcome()).toEqual({ outcome: 'done' });
        expect((await account.state()).timeline.map(({ event, detail }) => `${event} ${detail}`)).toContain(
          'requirement-closed unreadable-1: its responses can be read again',
        );
      });
    },
  );

  it('is read at once when a person says so', async () => {
    await withAccounts(async (rig) => {
      const { hostile, boardings } = await underReview(rig, 1, 1, { minMs: HOUR_MS, maxMs: HOUR_MS });
      const [boarding] = boardings as [(typeof boardings)[0]];
      await boarding.asleepAfter(1);
      hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 7 }));
      for (const reads of [1, 2]) {
        await nudge(rig.client, boarding.workflowId);
        await eventually(
          async () => hostile.times(STATUS).length,
          (count) => count === reads,
          'a read',
        );
      }
      const account = accountOf(rig, 'boarding');
      const { id } = await asked(account, 'unreadable');
      hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 'Declined' }));
      await account.resolve(id, { kind: 'retry' });
      expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      const at = async (workflow: Pick<typeof boarding, 'state'>, name: string) =>
        Date.parse((await workflow.state()).timeline.find(({ event }) => event === name)?.at ?? '');
      // By itself, the poll reads again a minute after a failure.
      const readAfterMs = (await at(boarding, 'ended')) - (await at(account, 'requirement-resolved'));
      expect(readAfterMs).toBeLessThan(30_000);
    });
  });
});

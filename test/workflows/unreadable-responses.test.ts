import { describe, expect, it } from 'vitest';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../rigs/inputs.js';
import type { Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import {
  boardingResponse,
  type HostilePartner,
  hostilePartner,
  NOTES,
  type Response,
  STATUS,
} from '../rigs/workflows/hostile-partner.js';
import {
  accountOf,
  asked,
  begun,
  untilOnlyWaiting,
  waiting,
  withAccounts,
} from '../rigs/workflows/partner-account.js';

const HOUR_MS = 3_600_000;
const DATE = '2026-01-31T10:00:00Z';
const PENDING = { status: 'Pending', statusDate: DATE, comment: null, mid: null };

/** Boardings under review at a partner that can then be made to misbehave. */
async function underReview(rig: Rig, count: number, unreadableMs = 1, poll = { minMs: 50, maxMs: 500 }) {
  const hostile: HostilePartner = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url, poll, stalledCalls: { unreadableMs } });
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
        await untilOnlyWaiting(rig, 'partner-account-boarding');
        hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 'Declined' }));
        for (const boarding of boardings)
          expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
        expect(await account.outcome()).toEqual({ outcome: 'done' });
        expect((await account.state()).timeline.map(({ event, detail }) => `${event} ${detail}`)).toContain(
          'requirement-closed unreadable-1: it works again',
        );
      });
    },
  );

  it('is read at once by each boarding when a person says so', async () => {
    await withAccounts(async (rig) => {
      const { hostile, boardings } = await underReview(rig, 2, 1, { minMs: HOUR_MS, maxMs: HOUR_MS });
      for (const boarding of boardings) await boarding.asleepAfter(1);
      hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 7 }));
      const account = accountOf(rig, 'boarding');
      for (const [index, boarding] of boardings.entries()) {
        for (const reads of [1, 2]) {
          await nudge(rig.client, boarding.workflowId);
          await eventually(
            async () => hostile.times(STATUS).length,
            (count) => count === 2 * index + reads,
            'a read',
          );
        }
        await begun(account);
        await eventually(
          async () =>
            (await account.written()).filter((kind) => /^workflowExecutionSignaled/.test(kind)).length,
          (count) => count === index + 1,
          'a report',
        );
      }
      const { id } = await asked(account, 'unreadable');
      hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 'Declined' }));
      await account.resolve(id, { kind: 'retry' });
      for (const boarding of boardings)
        expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      const at = async (workflow: Pick<typeof account, 'state'>, name: string) =>
        Date.parse((await workflow.state()).timeline.find(({ event }) => event === name)?.at ?? '');
      // By itself, a poll reads again a minute after a failure.
      for (const boarding of boardings) {
        const readAfterMs = (await at(boarding, 'ended')) - (await at(account, 'requirement-resolved'));
        expect(readAfterMs).toBeLessThan(30_000);
      }
    });
  });
});

it('what comes while a person is asked is asked as well: a second operation, and a second boarding of the first', async () => {
  await withAccounts(async (rig) => {
    const { hostile, boardings } = await underReview(rig, 3);
    const ids = await Promise.all(
      boardings.map(async (boarding) => `?id=${(await boarding.state()).merchantProfileId}`),
    );
    const [first, second, third] = ids;
    const reads = (line: string, count: number) =>
      eventually(
        async () => hostile.times(line).length,
        (length) => length >= count,
        `${count} reads`,
      );
    const account = accountOf(rig, 'boarding');
    const unreadable = () => boardingResponse({ ...PENDING, status: 7 });
    hostile.misbehave(STATUS + first, unreadable);
    await asked(account, 'unreadable');
    hostile.misbehave(STATUS + second, unreadable);
    await reads(STATUS + second, 5);
    hostile.misbehave(NOTES + third, () => boardingResponse({ notes: 7 }));
    const { requirements } = await account.until((state) => state.requirements.length > 1, 'two questions');
    expect(requirements.map(({ title }) => title)).toEqual([
      'Unreadable responses: get-status of the boarding partner',
      'Unreadable responses: get-underwriting-notes of the boarding partner',
    ]);

    // The boarding that was reported first no longer waits. The second one does.
    await boardings[0]?.handle.terminate();
    await reads(STATUS + second, hostile.times(STATUS + second).length + 40);
    const about = async (event: string) => (await account.events()).filter((each) => each === event);
    expect(await about('requirement-closed')).toEqual([]);

    hostile.behave(NOTES + third);
    hostile.behave(STATUS + second);
    expect(await account.outcome()).toEqual({ outcome: 'done' });
    expect([await about('requirement-raised'), await about('requirement-closed')]).toEqual([
      ['requirement-raised', 'requirement-raised'],
      ['requirement-closed', 'requirement-closed'],
    ]);
  });
});

it('two operations about which people answer at once are both read again', async () => {
  await withAccounts(async (rig) => {
    const { hostile, boardings } = await underReview(rig, 2);
    const [first, second] = await Promise.all(
      boardings.map(async (boarding) => `?id=${(await boarding.state()).merchantProfileId}`),
    );
    const account = accountOf(rig, 'boarding');
    hostile.misbehave(STATUS + first, () => boardingResponse({ ...PENDING, status: 7 }));
    hostile.misbehave(NOTES + second, () => boardingResponse({ notes: 7 }));
    await asked(account, 'unreadable');
    const { requirements } = await account.until((state) => state.requirements.length > 1, 'two questions');
    // Once both are closed, this run ends. The next failure starts another one.
    const { runId } = await account.handle.describe();
    await Promise.all(requirements.map(({ id }) => account.resolve(id, { kind: 'retry' })));
    const retried = async () => {
      const { events } = await rig.client.workflow.getHandle(account.workflowId, runId).fetchHistory();
      return (events ?? []).filter(
        ({ activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'retryReads',
      );
    };
    await eventually(retried, ({ length }) => length === 2, 'a retry of each operation');
  });
});

const EMPTY: Response = { status: 204, body: '' };
const forbidden = (status: 401 | 403): Response => ({
  status,
  body: '{"error":"Denied","message":"not for your role"}',
});

describe.concurrent('a list with another form', () => {
  it.each<[string, Response]>([
    ['no content (204)', EMPTY],
    ['null', boardingResponse(null)],
  ])('(notes: %s) is an empty one where the documents allow it', async (_, response) => {
    await withAccounts(async (rig) => {
      const { hostile, boardings } = await underReview(rig, 1);
      hostile.misbehave(NOTES, () => response);
      await eventually(
        async () => hostile.times(NOTES).length,
        (count) => count >= 3,
        'reads of the notes',
      );
      expect(await waiting(rig)).toEqual([]);
      hostile.misbehave(STATUS, () => boardingResponse({ ...PENDING, status: 'Declined' }));
      expect(await boardings[0]?.outcome()).toMatchObject({ outcome: 'declined' });
      await expect(accountOf(rig, 'boarding').handle.describe()).rejects.toThrow('not found');
    });
  });

  it.each<[string, Response]>([
    ['no content (204)', EMPTY],
    ['null', boardingResponse(null)],
    ['an object', boardingResponse({ id: 101, name: 'Agent' })],
  ])('(agent profiles: %s) is one question for all creates of the account', async (_, response) => {
    await withAccounts(async (rig) => {
      const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
      const line = 'GET /api/v1/agentProfiles';
      hostile.misbehave(line, () => response);
      await rig.startWorker({ boardingUrl: hostile.url, stalledCalls: { unreadableMs: 1, stepMs: 1_000 } });
      const byName = () => {
        const { agentProfileId: _, ...input } = merchant();
        return rig.board({ ...input, agent: 'Harbor Agents' });
      };
      const boardings = await Promise.all([1, 2, 3].map(byName));
      await asked(accountOf(rig, 'boarding'), 'unreadable');
      await eventually(
        async () => hostile.times(line).length,
        (count) => count >= 12,
        'more reads',
      );
      await untilOnlyWaiting(rig, 'partner-account-boarding');
      hostile.behave(line);
      for (const boarding of boardings)
        expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    });
  });
});

const MOVED = 'https://new.example.com/v3/create';
const redirect = (status: number): Response => ({ status, headers: { location: MOVED }, body: '' });
const CREATE = 'POST /api/v2/merchant/create';

describe.concurrent('a redirect of creates', () => {
  it.each([307, 308])('(%i) is one question for the account that names its target', async (status) => {
    await withAccounts(async (rig) => {
      const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
      hostile.misbehave(CREATE, () => redirect(status));
      await rig.startWorker({ boardingUrl: hostile.url });
      const boardings = await Promise.all([1, 2, 3].map(() => rig.board(merchant())));
      const account = accountOf(rig, 'boarding');
      const { title, detail } = await asked(account, 'unreadable');
      expect(title).toBe('Unreadable responses: create-merchant of the boarding partner');
      expect(detail).toContain(`The last one: HTTP ${status} to ${MOVED}.`);
      await untilOnlyWaiting(rig, account.workflowId);
      hostile.behave(CREATE);
      for (const boarding of boardings)
        expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      expect(await rig.sandbox.ledger({ operation: 'create-merchant' })).toHaveLength(3);
    });
  });

  it('(302) leaves one create in doubt, and the next ones unsent', async () => {
    await withAccounts(async (rig) => {
      const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
      hostile.misbehave(CREATE, () => redirect(302));
      await rig.startWorker({ boardingUrl: hostile.url, stalledCalls: { unreadableMs: 1 } });
      const first = await rig.board(merchant());
      expect((await first.requirement('uncertain-write')).detail).toContain(`(HTTP 302 to ${MOVED})`);
      await Promise.all([1, 2].map(() => rig.board(merchant())));
      const account = accountOf(rig, 'boarding');
      const { detail } = await asked(account, 'unreadable');
      expect(detail).toContain(`The last one: not sent: create-merchant got HTTP 302 to ${MOVED}.`);
      await untilOnlyWaiting(rig, first.workflowId, account.workflowId);
      expect(hostile.times(CREATE)).toHaveLength(1);
    });
  });
});

describe.concurrent('an operation that the partner does not permit', () => {
  it.each([403, 401] as const)(
    '(notes: %i) is one question for the account, hides no decision, and resumes by itself',
    async (status) => {
      await withAccounts(async (rig) => {
        const { hostile, boardings } = await underReview(rig, 5);
        const [approved, changed] = boardings as [(typeof boardings)[0], (typeof boardings)[0]];
        const others = boardings.slice(2);
        hostile.misbehave(NOTES, () => forbidden(status));
        const account = accountOf(rig, 'boarding');
        await begun(account);
        const { requirements } = await eventually(
          () => account.state(),
          (state) => state.requirements.length > 0,
          'a question',
        );
        const [requirement] = requirements;
        expect(requirement).toMatchObject({
          title: 'Not permitted: get-underwriting-notes of the boarding partner',
          answers: ['retry'],
        });
        expect(requirement?.detail).toContain('not for your role');
        const idOf = async (each: typeof approved) => (await each.state()).merchantProfileId ?? 0;
        await rig.sandbox.transition(await idOf(approved), { status: 'Approved', mid: '888' });
        expect(await approved.outcome()).toMatchObject({ outcome: 'boarded', mid: '888' });
        await rig.sandbox.transition(await idOf(changed), { status: 'RequestChanges', comment: 'the dba' });
        await changed.requirement('changes-requested');
        await untilOnlyWaiting(rig, changed.workflowId, account.workflowId);
        hostile.behave(NOTES);
        for (const other of others) {
          await rig.sandbox.transition(await idOf(other), { status: 'Declined' });
          expect(await other.outcome()).toMatchObject({ outcome: 'declined' });
        }
        expect(await account.outcome()).toEqual({ outcome: 'done' });
      });
    },
  );

  // Catches a submission that is sent again and again, because a partner that saved it says that it is not permitted.
  it('(a submission) is a question of each onboarding, and is sent again only by a person', async () => {
    await withAccounts(async (rig) => {
      const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
      const line = 'POST /api/v2/merchant/submit';
      hostile.misbehave(line, () => forbidden(403));
      await rig.startWorker({ boardingUrl: hostile.url });
      const boardings = await Promise.all([1, 2, 3].map(() => rig.board(merchant())));
      const questions = await Promise.all(boardings.map((each) => each.requirement('uncertain-write')));
      for (const { detail } of questions) expect(detail).toContain('HTTP 403');
      hostile.behave(line);
      for (const [index, boarding] of boardings.entries()) {
        await boarding.resolve(questions[index]?.id ?? '', { kind: 'retry' });
        expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      }
      expect(await rig.sandbox.ledger({ operation: 'submit-merchant' })).toHaveLength(3);
      await expect(accountOf(rig, 'boarding').handle.describe()).rejects.toThrow('not found');
    });
  });
});

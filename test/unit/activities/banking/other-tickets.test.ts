import { beforeEach, expect, it, vi } from 'vitest';
import { OtherTickets, ticketActivities } from '../../../../src/activities/banking/tickets.js';
import { environment } from '../../../rigs/activities/environment.js';
import { stoppedAt } from '../../../rigs/clock.js';

const MINUTE = 60_000;

beforeEach(() => stoppedAt(0, ['Date', 'performance']));

/** A process that polls profiles of an account. */
function process() {
  const temporal = { isUp: true };
  const started: unknown[] = [];
  const client = {
    workflow: {
      signalWithStart: async (_: string, { workflowId, taskQueue, signal }: Record<string, unknown>) => {
        if (!temporal.isUp) throw new Error('Temporal is down');
        started.push({ workflowId, taskQueue, signal: (signal as { name: string }).name });
        return { workflowId };
      },
      getHandle: () => ({ describe: async () => ({ raw: {} }) }),
    },
  };
  const tickets = new OtherTickets('acme', []);
  /** How many reports there are after a poll. */
  async function reportsAfter(others: readonly number[], listed: readonly number[] = others) {
    const taskQueue = 'gangway-banking-acme';
    await environment({ taskQueue }, { client }).run(async () => tickets.seen(others, listed));
    return started.length;
  }
  return { reportsAfter, started, temporal };
}

it('tickets of others are reported once to the account, on the task queue of the workflows', async () => {
  const { reportsAfter, started } = process();
  expect(await reportsAfter([], [1])).toBe(0);
  expect(await reportsAfter([2], [1, 2])).toBe(1);
  const workflowId = 'partner-account-banking@acme';
  expect(started).toEqual([{ workflowId, taskQueue: 'gangway', signal: 'ticketsSeen' }]);
  vi.advanceTimersByTime(MINUTE);
  expect(await reportsAfter([2], [1, 2])).toBe(1);
});

it('new tickets of others are reported once a minute, and then all of them', async () => {
  const { reportsAfter } = process();
  await reportsAfter([1]);
  expect(await reportsAfter([1, 2])).toBe(1);
  vi.advanceTimersByTime(MINUTE);
  expect(await reportsAfter([1, 2])).toBe(2);
  vi.advanceTimersByTime(MINUTE);
  expect(await reportsAfter([1, 2])).toBe(2);
});

it('a ticket that disappeared, or could not be reported, is reported again', async () => {
  const { reportsAfter, temporal } = process();
  temporal.isUp = false;
  expect(await reportsAfter([1])).toBe(0);
  temporal.isUp = true;
  vi.advanceTimersByTime(MINUTE);
  expect(await reportsAfter([1])).toBe(1);
  await reportsAfter([]);
  vi.advanceTimersByTime(MINUTE);
  expect(await reportsAfter([1])).toBe(2);
});

it('tickets without an onboarding are those that no running one shows, nor one that has just begun', async () => {
  stoppedAt(0, ['Date', 'performance', 'setTimeout', 'clearTimeout']);
  const client = {
    listNewTickets: async () =>
      [1, 2, 3].map((ticketId) => ({
        ticketId,
        userProfileId: 3000 + ticketId,
        parentTicketId: null,
        status: null,
        topic: null,
        text: 'Why?',
      })),
    findProfileByUser: async ({ userProfileId }: { userProfileId: number }) => ({ id: userProfileId }),
  };
  const running = [3001];
  const owners = vi.fn(async () => new Set(running));
  const poll = { minMs: MINUTE, maxMs: MINUTE };
  const { awaitUnmatchedTickets } = ticketActivities(
    client as never,
    owners,
    { hold: async () => {} } as never,
    poll,
  );
  const read = async () => {
    const result = environment().run(awaitUnmatchedTickets, { seen: null });
    await vi.advanceTimersByTimeAsync(2_900);
    if (owners.mock.calls.length === 3) running.push(3003);
    await vi.advanceTimersByTimeAsync(100);
    return result;
  };
  expect(await read()).toMatchObject({ snapshot: [{ ticketId: 2 }, { ticketId: 3 }] });
  expect(await read()).toMatchObject({ snapshot: [{ ticketId: 2 }] });
  expect(owners).toHaveBeenCalledTimes(4);
});

import { describe, expect, it } from 'vitest';
import type { BankingLists, Listed } from '../../../../src/messages/banking-activities.js';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';
import { changed, HOLDER } from '../../../rigs/sandbox/banking/running-banking.js';

const ids = ({ records }: Listed) => records.map((record) => record['id'] ?? record['ticketId']);

/** At a sandbox with three businesses and three open tickets. */
async function atFullSandbox() {
  const { run, banking } = await activitiesAtSandbox();
  for (const name of ['Corner Bakery', 'Corner Books', 'Harbor Bakery']) {
    await banking.submit(changed(HOLDER, 'doingBusinessAsName', JSON.stringify(`${name} [waiting]`)));
  }
  for (const text of ['One', 'Two', 'Three']) {
    await banking.call('POST /api/tickets', JSON.stringify({ text }));
  }
  return { run, banking };
}

/** One list per operation: how to ask for it, and the ids of all that fits. */
const LISTS: readonly [keyof BankingLists, object, readonly unknown[]][] = [
  ['listTickets', {}, [9001, 9002, 9003]],
  ['listDepartments', {}, [31, 32]],
  ['listNotifications', { toDate: '2026-01-31T00:00:00Z' }, [6001, 6002, 6003, 6004, 6005]],
  ['listNotifications', { level: 'Warning' }, [6003]],
  ['listNotifications', { searchTerm: 'arrived' }, [6002]],
  ['listNotifications', { fromDate: '2026-01-02T00:00:00Z', toDate: '2026-01-04T00:00:00Z' }, [6002, 6003]],
  ['listExternalActivity', { profileId: 501 }, ['external-1', 'external-2']],
  ['listExternalActivity', { profileId: 501, dateTo: '2026-01-10T00:00:00Z' }, ['external-1']],
  ['listExternalActivity', { profileId: 502 }, []],
  ['searchAccounts', {}, [3001, 3002, 3003]],
  ['searchAccounts', { dba: 'bakery' }, [3001, 3003]],
  ['searchAccounts', { agentIds: [102] }, []],
  ['searchAccounts', { isoId: 1 }, [3001, 3002, 3003]],
];

describe('a list', () => {
  it.each(LISTS)('%s %j has all records, up to its limit', async (name, query, all) => {
    const { run } = await atFullSandbox();
    const list = (limit: number) => run(name, { ...query, limit } as never) as Promise<Listed>;
    for (const limit of [all.length, all.length + 1, 2 ** 31 - 1]) {
      const whole = await list(limit);
      expect([ids(whole), whole.more]).toEqual([all, false]);
    }
    if (all.length === 0) return;
    const part = await list(all.length - 1);
    expect([ids(part), part.more]).toEqual([all.slice(0, -1), true]);
  });

  it('of notifications continues over pages', async () => {
    const { client, requests } = await bankingPartner((response, request) => {
      const query = new URL(`http://partner${request.url}`).searchParams;
      const from = Number(query.get('skip'));
      const length = Math.max(0, Math.min(Number(query.get('take')), 250 - from));
      const page = Array.from({ length }, (_, index) => ({ id: from + index + 1 }));
      responding(200, JSON.stringify(page))(response, request);
    });
    const { run } = await activitiesOf(client);
    const all = await run('listNotifications', { limit: 1_000 });
    expect([all.records.length, all.more]).toEqual([250, false]);
    const before = requests().length;
    const part = await run('listNotifications', { limit: 100 });
    expect([part.records.length, part.more]).toEqual([100, true]);
    expect(requests().length - before).toBe(2);
  });

  it.each([
    [[false, false], false, undefined],
    [[false, true], false, true],
    [[false], true, true],
  ])(
    'of activity is cut short when transfers (%j) or transactions (%j) have a next page',
    async (transfers, next, isCutShort) => {
      const page = (hasNextPage: boolean) => ({ hasNextPage });
      const activity = {
        activity: [],
        transferPageInfo: transfers.map(page),
        transactionPageInfo: page(next),
      };
      const { run } = await activitiesOf({ getExternalAccountActivity: async () => activity } as never);
      const list = await run('listExternalActivity', { profileId: 501, limit: 9 });
      expect(list).toEqual({ records: [], more: false, ...(isCutShort && { isCutShort }) });
    },
  );

  it.each([
    ['500-before-commit', 'Uncertain', true],
    ['429', 'RateLimited', true],
  ])('is requested again after %s', async (fault, kind, isRetried) => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, fault, 'list-departments');
    expect(await failed(run('listDepartments', { limit: 9 }))).toMatchObject({
      details: { kind },
      isRetried,
    });
  });

  it.each([
    ['client', 'listDepartments', 'Forbidden'],
    ['without-profile', 'listNotifications', 'Rejected'],
  ] as const)('for %s of %s is %s, at once', async (user, name, kind) => {
    const { run } = await activitiesAtSandbox(user);
    expect(await failed(run(name, { limit: 9 }))).toMatchObject({ details: { kind }, isRetried: false });
  });
});

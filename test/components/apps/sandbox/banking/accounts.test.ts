import { describe, expect, it } from 'vitest';
import { changed, HOLDER, runBanking } from '../../../../rigs/sandbox/banking/running-banking.js';
import { shared } from '../../../../rigs/shared.js';

describe('a statement', () => {
  const running = shared((until) => runBanking({}, until));

  it('as PDF gives the offsets of its parts', async () => {
    const banking = running();
    const body = '{"period":"2026-01-15T00:00:00Z","financialAccountIds":["fa-501-1","fa-501-2"]}';
    const { headers, text } = await banking.call('POST /api/Statement/V2/full', body);
    expect(headers.get('content-type')).toBe('application/pdf');
    const [, start = ''] = /startxref\n(\d+)\n/.exec(text) ?? [];
    const table = text.slice(Number(start));
    expect(table).toMatch(/^xref\n0 6\n/);
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n/gm)].map((match) => Number(match[1]));
    expect(offsets.map((offset) => text.slice(offset, offset + 7))).toEqual(
      [1, 2, 3, 4, 5].map((number) => `${number} 0 obj`),
    );
    const [, length = '', stream = ''] = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(text) ?? [];
    expect(stream).toHaveLength(Number(length));
  });

  it('has the transactions of its month', async () => {
    const banking = running();
    const { text } = await banking.call(
      'POST /api/Statement/V2',
      '{"period":"2026-02-01T00:00:00Z","financialAccountId":"fa-501-1","fileFormat":"CSV"}',
    );
    expect(text).toBe(
      'account,date,description,amount\r\nfa-501-1,2026-02-03T10:00:00Z,Card sales,980.50\r\n',
    );
  });
});

describe('transactions', () => {
  const running = shared((until) => runBanking({}, until));

  it.each([
    ['', ['Card sales', 'Rent', 'Card sales']],
    [',"skip":1,"take":1', ['Rent']],
  ])('come in pages:%s', async (more, matches) => {
    const banking = running();
    const { text } = await banking.call(
      'POST /api/Transaction/V2/list',
      `{"financialAccountId":"fa-501-1"${more}}`,
    );
    const transactions = JSON.parse(text) as { description: string }[];
    expect(transactions.map(({ description }) => description)).toEqual(matches);
  });
});

describe('searches', () => {
  const running = shared(async (until) => {
    const banking = await runBanking({}, until);
    for (const name of ['Corner Bakery', 'Harbor Books', 'Corner Books']) {
      await banking.submit(changed(HOLDER, 'doingBusinessAsName', `"${name}"`));
    }
    return banking;
  });

  const ALL = ['Corner Bakery', 'Harbor Books', 'Corner Books'];
  it.each([
    ['{}', ALL],
    ['{"dba":null,"agentIds":null,"isoId":null}', ALL],
    ['{"dba":"corner"}', ['Corner Bakery', 'Corner Books']],
    ['{"dba":"Harbor Books"}', ['Harbor Books']],
    ['{"dba":"Books","count":1}', ['Harbor Books']],
    ['{"dba":"Bakehouse"}', []],
    ['{"isoId":1,"agentIds":[101,102]}', ALL],
    ['{"agentIds":[102]}', []],
  ])('for a business by %s', async (body, matches) => {
    const { text } = await running().call(`POST /api/AccountsSearch/BusinesAccountHolder`, body);
    const all = JSON.parse(text) as { dba: string }[];
    expect(all.map(({ dba }) => dba)).toEqual(matches);
  });
});

describe('departments', () => {
  it('count their sub-users, and one more after a restoration', async () => {
    const banking = await runBanking();
    const count = async () => {
      const { text } = await banking.call('GET /api/teams/departments');
      return (JSON.parse(text) as { name: string; authorizedUserCount: number }[]).map(
        ({ name, authorizedUserCount }) => `${name} ${authorizedUserCount}`,
      );
    };
    expect(await count()).toEqual(['Operations 0', 'Finance 1']);
    await banking.call('POST /api/subProfiles/restore?id=71');
    expect(await count()).toEqual(['Operations 1', 'Finance 1']);
    expect((await banking.call('POST /api/subProfiles/restore?id=71')).status).toBe(404);
  });
});

import { describe, expect, it } from 'vitest';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { ADDRESS, bankingPartner, HOLDER } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { responding } from '../../../rigs/partners/servers.js';

interface Endpoint {
  readonly reference: string;
  readonly call: (client: ByHand<BankingClient>) => Promise<unknown>;
  /** The body of a 200. */
  readonly body: string;
  /** What the client returns for it, in full or in part. */
  readonly result: unknown;
  /** Every other status that apis/1 lists for the endpoint: the kind of failure, or the result. */
  readonly others: Readonly<Record<number, string | object>>;
}

const COMMON = { 401: 'Unauthorized', 403: 'Forbidden', 500: 'Uncertain' };
const USUAL = { ...COMMON, 400: 'Rejected', 404: 'Rejected' };
const done = '{"profileId":9,"success":true,"errors":null,"changeLog":null}';

const ENDPOINTS: readonly Endpoint[] = [
  {
    reference: 'E1',
    call: (client) => client.issueToken({ nickName: 'b', password: 'p', tokenDevice: 'd', nameDevice: 'n' }),
    body: '{"token":"abc","expiration":"2026-01-31T10:10:00Z","userId":7}',
    result: { token: 'abc', expiration: '2026-01-31T10:10:00Z', userId: 7 },
    others: USUAL,
  },
  {
    reference: 'E3',
    call: (client) => client.changeAddress(ADDRESS),
    body: '{}',
    result: {},
    others: USUAL,
  },
  {
    reference: 'E4',
    call: (client) => client.setCardNickname({ paymentCardId: 'c1', nickName: 'Lunch' }),
    body: '{"paymentCardId":"c1","paymentCardName":"Lunch"}',
    result: { paymentCardId: 'c1', paymentCardName: 'Lunch' },
    others: USUAL,
  },
  {
    reference: 'E5',
    call: (client) => client.findProfileByMerchant({ merchantProfileId: 4711 }),
    body: '{"id":4,"bankingStatus":"PendingUW"}',
    result: { id: 4, bankingStatus: 'PendingUW' },
    others: USUAL,
  },
  {
    reference: 'E6',
    call: (client) => client.listNewTickets({}),
    body: '[{"ticketId":3,"status":"New"}]',
    result: [{ ticketId: 3, status: 'New' }],
    others: COMMON,
  },
  {
    reference: 'E7',
    call: (client) => client.submitBusinessAccountHolder(HOLDER),
    body: done,
    result: { profileId: 9, success: true, errors: null },
    others: USUAL,
  },
  {
    reference: 'E8',
    call: (client) => client.closeCard({ paymentCardId: 'c1' }),
    body: done,
    result: { profileId: 9, success: true, errors: null },
    others: USUAL,
  },
  {
    reference: 'E9',
    call: (client) => client.searchBusinessAccountHolders({ dba: 'Corner' }),
    body: '[{"id":1,"dba":"Corner Bakery"}]',
    result: [{ id: 1, dba: 'Corner Bakery' }],
    others: USUAL,
  },
  {
    reference: 'E10',
    call: async (client) => {
      const request = { period: '2026-01-01T00:00:00Z', financialAccountIds: ['fa-1'] };
      const { body } = await client.generateFullStatement(request);
      return Buffer.concat(await body.toArray()).toString('utf8');
    },
    body: '%PDF-1.7',
    result: '%PDF-1.7',
    others: USUAL,
  },
  {
    reference: 'E11',
    call: (client) => client.getExternalAccountActivity({ profileId: 4 }),
    body: '{"activity":[{"id":"a1"}]}',
    result: { activity: [{ id: 'a1' }] },
    others: { ...USUAL, 404: { activity: [], transferPageInfo: [], transactionPageInfo: null } },
  },
  {
    reference: 'E12',
    call: (client) => client.listNotifications({}),
    body: '[{"id":5,"level":"Info"}]',
    result: [{ id: 5, level: 'Info' }],
    others: USUAL,
  },
  {
    reference: 'E13',
    call: (client) =>
      client.createWebhook({ name: 'g', url: 'https://h.example.com', notificationType: 'Fee' }),
    body: '{"success":true}',
    result: { success: true, exists: false },
    others: { ...COMMON, 400: 'Rejected', 409: { success: true, exists: true, id: null } },
  },
  {
    reference: 'E14',
    call: (client) => client.listDepartments({}),
    body: '[{"id":1,"name":"Ops"}]',
    result: [{ id: 1, name: 'Ops' }],
    others: COMMON,
  },
  {
    reference: 'E15',
    call: (client) => client.restoreSubUser({ id: 12 }),
    body: '{"restored":true}',
    result: { restored: true },
    others: USUAL,
  },
];

const rows = ENDPOINTS.flatMap(({ reference, call, others }) =>
  Object.entries(others).map(([status, outcome]) => ({ reference, status: Number(status), call, outcome })),
);

describe('every status that the contract lists', () => {
  it('is in the table', () => {
    // Twelve endpoints list six statuses, E6 and E14 four, and E2 none.
    expect(rows.length + ENDPOINTS.length).toBe(80);
  });

  it.each(ENDPOINTS)('$reference: 200 is its result', async ({ reference, call, body, result }) => {
    const respond = responding(200, body);
    const { client } = await bankingPartner(respond, {}, reference === 'E1' ? respond : undefined);
    const returned = await call(client);
    if (typeof result === 'object' && result !== null) expect(returned).toMatchObject(result);
    else expect(returned).toBe(result);
  });

  it.each(rows)('$reference: $status is $outcome', async ({ reference, status, call, outcome }) => {
    const respond = responding(status, '{"errors":{"Field":["is not right"]},"title":"Bad"}');
    const { client, requests } = await bankingPartner(respond, {}, reference === 'E1' ? respond : undefined);
    if (typeof outcome === 'object') {
      expect(await call(client)).toEqual(outcome);
      return;
    }
    const error = await failureOf(call(client));
    expect(error).toMatchObject({ kind: outcome, status, system: 'banking' });
    expect(error.details.reason).toBe(`HTTP ${status}`);
    expect(error.fields).toEqual([{ field: 'Field', message: 'is not right' }]);
    // A 401 is replayed once, with a fresh token; nothing else is repeated.
    if (reference !== 'E1') expect(requests()).toHaveLength(status === 401 ? 2 : 1);
  });
});

import { describe, expect, it } from 'vitest';
import type { BankingOperations } from '../../../../src/partners/banking/operations.js';
import { ADDRESS, bankingPartner, HOLDER } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { responding } from '../../../rigs/partners/servers.js';

/** Every status but 200 that the contract lists for an endpoint: the kind of failure, or the result. */
type Statuses = Readonly<Record<number, string | object>>;

const COMMON = { 401: 'RateLimited', 403: 'Forbidden', 500: 'Uncertain' };
const USUAL = { ...COMMON, 400: 'Rejected', 404: 'Rejected' };
const NO_ACTIVITY = { activity: [], transferPageInfo: [], transactionPageInfo: null };
const EXISTS = { success: true, exists: true, id: null };
const SIGN_IN = { nickName: 'b', password: 'p', tokenDevice: 'd', nameDevice: 'n' };
const STATEMENT = { period: '2026-01-01T00:00:00Z', financialAccountIds: ['fa-1'] };
const WEBHOOK = { name: 'g', url: 'https://h.example.com', notificationType: 'Fee' };

const ENDPOINTS: readonly (readonly [string, keyof BankingOperations, request: object, Statuses])[] = [
  ['E1', 'issueToken', SIGN_IN, { ...USUAL, 401: 'Unauthorized' }],
  ['E3', 'changeAddress', ADDRESS, USUAL],
  ['E4', 'setCardNickname', { paymentCardId: 'c1', nickName: 'Lunch' }, USUAL],
  ['E5', 'findProfileByMerchant', { merchantProfileId: 4711 }, USUAL],
  ['E6', 'listNewTickets', {}, COMMON],
  ['E7', 'submitBusinessAccountHolder', HOLDER, USUAL],
  ['E8', 'closeCard', { paymentCardId: 'c1' }, USUAL],
  // A search names no record, so only a gateway answers it with 404.
  ['E9', 'searchBusinessAccountHolders', { dba: 'Corner' }, { ...USUAL, 404: 'Uncertain' }],
  ['E10', 'generateFullStatement', STATEMENT, USUAL],
  ['E11', 'getExternalAccountActivity', { profileId: 4 }, { ...USUAL, 404: NO_ACTIVITY }],
  ['E12', 'listNotifications', {}, { ...USUAL, 404: 'Uncertain' }],
  ['E13', 'createWebhook', WEBHOOK, { ...COMMON, 400: 'Rejected', 409: EXISTS }],
  ['E14', 'listDepartments', {}, COMMON],
  ['E15', 'restoreSubUser', { id: 12 }, USUAL],
];

const rows = ENDPOINTS.flatMap(([reference, key, request, statuses]) =>
  Object.entries(statuses).map(([status, outcome]) => ({
    reference,
    status: +status,
    key,
    request,
    outcome,
  })),
);

describe('every status that the contract lists', () => {
  it('is in the table', () => {
    // With 200, twelve endpoints list six statuses, E6 and E14 four, and E2 none.
    expect(rows.length + ENDPOINTS.length).toBe(80);
  });

  it.each(rows)('$reference: $status is $outcome', async ({ reference, status, key, request, outcome }) => {
    const respond = responding(status, '{"errors":{"Field":["is not right"]},"title":"Bad"}');
    const { client, requests } = await bankingPartner(respond, {}, reference === 'E1' ? respond : undefined);
    // A read after the refusal of a write is not counted.
    const calls = () =>
      requests().filter(({ line }) => key === 'listNewTickets' || line !== 'GET /api/tickets/new');
    const called = client[key](request as never);
    if (typeof outcome === 'object') {
      expect(await called).toEqual(outcome);
      return;
    }
    const error = await failureOf(called);
    if (status === 401 && reference !== 'E1') {
      // Both sign-ins worked, so the password is right.
      expect(error.details.reason).toMatch(
        /: HTTP 401 right after a sign-in that worked: another process or person/,
      );
      expect([error.kind, calls().length]).toEqual([outcome, 2]);
      return;
    }
    expect(error).toMatchObject({ kind: outcome, status, details: { system: 'banking' } });
    expect(error.details.reason).toBe(`HTTP ${status}`);
    expect(error.fields).toEqual([{ field: 'Field', message: 'is not right' }]);
    if (reference !== 'E1') expect(calls()).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { type RunningBanking, runBanking } from '../../../../rigs/sandbox/banking/running-banking.js';
import { shared } from '../../../../rigs/shared.js';

interface Card {
  readonly paymentCardId: string;
  readonly status: number | string;
  readonly reissuedCardId: string | null;
}

const CALLS: Readonly<Record<string, string>> = {
  close: 'POST /svc/paymentCard/closePaymentCard',
  suspend: 'POST /svc/paymentCard/suspendPaymentCard',
  activate: 'POST /svc/paymentCard/activatePaymentCard',
  reissue: 'POST /svc/paymentCard/reissuePaymentCard',
};

const cards = async (banking: RunningBanking, query = '') =>
  (await banking.call(`GET /svc/paymentCard/list${query}`)).json<{ totalCount: number; records: Card[] }>();

const statusOf = async (banking: RunningBanking, id: string) =>
  (await cards(banking)).records.find(({ paymentCardId }) => paymentCardId === id)?.status;

describe('a card', () => {
  /** The calls, whether the last one succeeds, and the status afterwards. */
  it.each<[string, boolean, string]>([
    ['close', true, 'CLOSED'],
    ['suspend', true, 'SUSPENDED'],
    ['activate', false, 'ACTIVE'],
    ['suspend, activate', true, 'ACTIVE'],
    ['suspend, suspend', false, 'SUSPENDED'],
    ['suspend, close', true, 'CLOSED'],
    ['reissue', true, 'CLOSED'],
    ['close, close', false, 'CLOSED'],
    ['close, activate', false, 'CLOSED'],
    ['close, suspend', false, 'CLOSED'],
    ['close, reissue', false, 'CLOSED'],
    ['suspend, reissue', true, 'CLOSED'],
  ])('after %s: success is %s, it is %s', async (calls, success, status) => {
    const banking = await runBanking();
    const steps = calls.split(', ');
    let last: unknown;
    for (const step of steps) {
      last = (await banking.call(CALLS[step] ?? '', '{"paymentCardId":"card-1001"}')).json();
    }
    expect(last).toEqual({
      profileId: 501,
      success,
      errors: success ? null : expect.stringContaining('card'),
      changeLog: [],
    });
    expect(await statusOf(banking, 'card-1001')).toBe(status);
    expect(await banking.effects()).toHaveLength(success ? steps.length : steps.length - 1);
  });

  it('that was reissued names its replacement', async () => {
    const banking = await runBanking();
    await banking.call(CALLS['reissue'] ?? '', '{"paymentCardId":"card-1001","reason":"lost"}');
    const { records } = await cards(banking);
    const id = records[0]?.reissuedCardId;
    expect(records.find(({ paymentCardId }) => paymentCardId === id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('is shown with its nickname, which null clears', async () => {
    const banking = await runBanking();
    const name = async (json: string) => {
      const body = `{"paymentCardId":"card-1001","nickName":${json}}`;
      return (await banking.call('POST /api/paymentCards/nickName', body)).json<Record<string, unknown>>();
    };
    const record = await name('"Fuel"');
    expect(record).toMatchObject({ paymentCardName: 'Fuel', status: 1, active: true, last4: '1001' });
    expect(await name('null')).toMatchObject({ paymentCardName: null });
    expect(Object.keys(record).sort()).toEqual(
      [
        ...['paymentCardId', 'userProfileId', 'paymentCardName', 'maxTotalSpending', 'maxTransactionsCount'],
        ...['totalSpending', 'totalTransactionsCount', 'type', 'expirationDate', 'active', 'last4', 'bin'],
        ...['network', 'formFactor', 'status', 'partnerId', 'authorizationControls', 'cardProfileSetId'],
        ...['financialAccountId', 'cardProfileSet', 'syncSubDate', 'reissuedCardId'],
      ].sort(),
    );
  });
});

describe('lists of cards', () => {
  const running = shared((until) => runBanking({}, until));

  it.each([
    ['', 4, ['card-1001', 'card-1002', 'card-1003', 'card-1004']],
    ['?skip=1&count=2', 4, ['card-1002', 'card-1003']],
    ['?skip=9', 4, []],
    ['?userProfileId=10501&count=1', 4, ['card-1001']],
    ['?userProfileId=7', 0, []],
  ])('come in pages: %s', async (query, totalCount, ids) => {
    const banking = running();
    const page = await cards(banking, query);
    expect(page).toMatchObject({ totalCount, errorMessage: null });
    expect(page.records.map(({ paymentCardId }) => paymentCardId)).toEqual(ids);
  });

  it('show each partner its own', async () => {
    const banking = running();
    const { text } = await banking.call('GET /api/paymentCards', undefined, 'other-partner');
    expect(JSON.parse(text)).toMatchObject({ totalCount: 1, records: [{ paymentCardId: 'card-1005' }] });
  });
});

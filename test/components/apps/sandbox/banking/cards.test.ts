import { describe, expect, it } from 'vitest';
import { type RunningBanking, runBanking } from '../../../../rigs/sandbox/banking/running-banking.js';
import { shared } from '../../../../rigs/shared.js';

interface Card {
  readonly paymentCardId: string;
  readonly status: number | string;
}

const CLOSE = 'POST /svc/paymentCard/closePaymentCard';

const cards = async (banking: RunningBanking, query = '') =>
  (await banking.call(`GET /svc/paymentCard/list${query}`)).json<{ totalCount: number; records: Card[] }>();

describe('a card', () => {
  it('is closed once', async () => {
    const banking = await runBanking();
    const close = async () => (await banking.call(CLOSE, '{"paymentCardId":"card-1001"}')).json();
    const done = { profileId: 501, success: true, errors: null, changeLog: [] };
    expect(await close()).toEqual(done);
    expect(await close()).toEqual({ ...done, success: false, errors: 'the card is closed already' });
    const { records } = await cards(banking);
    expect(records.map(({ status }) => status)).toEqual(['CLOSED', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect(await banking.effects()).toEqual(['close-card card-1001']);
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
        'paymentCardId',
        'userProfileId',
        'paymentCardName',
        'maxTotalSpending',
        'maxTransactionsCount',
        'totalSpending',
        'totalTransactionsCount',
        'type',
        'expirationDate',
        'active',
        'last4',
        'bin',
        'network',
        'formFactor',
        'status',
        'partnerId',
        'authorizationControls',
        'cardProfileSetId',
        'financialAccountId',
        'cardProfileSet',
        'syncSubDate',
        'reissuedCardId',
      ].sort(),
    );
  });
});

it('a change that no workflow makes is accepted, and noted', async () => {
  const banking = await runBanking();
  const { status, json } = await banking.call(
    'POST /svc/paymentCard/suspendPaymentCard',
    '{"paymentCardId":"c-1"}',
  );
  expect([status, json()]).toEqual([200, expect.objectContaining({ success: true, errors: null })]);
  expect(await banking.effects()).toEqual(['suspend-card c-1']);
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

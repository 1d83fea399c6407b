/** Stand for the two providers whose names the contract leaves out. */
export const PROVIDERS: readonly string[] = ['AGGREGATOR_A', 'AGGREGATOR_B'];

/** Nothing is linked to any other profile; of this one that is said with a 404, of the rest with an empty list. */
export const LINKED_PROFILE_ID = 501;
export const NOT_LINKED_PROFILE_ID = 502;
/** Of this one there is more than the page that is listed. */
export const MANY_PAGES_PROFILE_ID = 503;

const PAGE = { startCursor: '1', endCursor: '1', hasNextPage: false, hasPreviousPage: false };
const NO_PAGE = { ...PAGE, startCursor: '', endCursor: '' };
const usd = (value: number) => ({ value, currencyCode: 'USD' });

const ACTIVITY = [activity(1, '2026-01-05T09:00:00Z', 25_000), activity(2, '2026-01-20T15:30:00Z', 12_500)];

/** External account activity of a profile (E11); undefined when that nothing is linked is to be said with a 404. */
export function externalActivityOf(profileId: number) {
  if (profileId === NOT_LINKED_PROFILE_ID) return undefined;
  if (profileId === MANY_PAGES_PROFILE_ID) {
    const hasNextPage = true;
    return { transferPageInfo: [PAGE], transactionPageInfo: { ...PAGE, hasNextPage }, activity: ACTIVITY };
  }
  return profileId === LINKED_PROFILE_ID
    ? { transferPageInfo: [PAGE], transactionPageInfo: PAGE, activity: ACTIVITY }
    : { transferPageInfo: [], transactionPageInfo: NO_PAGE, activity: [] };
}

function activity(number: number, createdAt: string, cents: number) {
  return {
    id: `external-${number}`,
    typename: 'ExternalTransfer',
    name: 'Deposit from outside',
    typeModel: 'Transfer',
    pendingAmount: usd(0),
    amount: usd(cents),
    lastEventBalanceSnapshot: usd(cents * number),
    createdAt,
    isComplete: true,
    transferStatus: { status: 'PROCESSED', statusReasonCode: '' },
    companyName: 'Corner Supplies',
    descriptor: {
      companyEntryDescription: 'PAYOUT',
      individualName: 'Ada Reader',
      individualIdentificationNumber: '1',
    },
    toFinancialAccount: { id: 'fa-501-1', name: 'Operating account', last4: '5011', provider: PROVIDERS[0] },
    isBetweenOwnAccounts: false,
    purpose: '',
    memo: '',
  };
}
